// Go to a page, a club, a form or an applicant by typing a part of its name: Ctrl K, or ⌘ K.

import { html, useRef, useSignal } from "./kit.js";
import { isSignedIn } from "./auth.js";
import { PLACES, WORKSPACE } from "./frame.js";
import { useLoad, useSearch } from "./load.js";
import { OFFICER, manages } from "./me.js";
import { url } from "./path.js";
import { address, open } from "./router.js";
import { nameOf, submissionsHere } from "./submissions.js";
import { t } from "./texts.js";
import { Dialog, Icon } from "./ui.js";
import { finder } from "./words.js";

/** So many entries are shown. */
const MOST = 9;

/** @typedef {{name: string, more?: string, icon: string, to: string, isPerson?: boolean}} Entry */

/** What the address is about: the club whose officer looks at it, and the form. */
const here = () => {
  const [, , club, , application] = address.value.path.split("/");
  const isIn = (name, value) => address.value.path.includes(`/${name}/${value}/`);
  return {
    code: club && isIn("clubs", club) ? club : "",
    application: isIn("applications", application) ? Number(application) || 0 : 0,
  };
};

/** The places of the site, and the person's own clubs. */
function places(memberships) {
  const pages = PLACES.filter(([, , , sees]) => sees());
  return [
    ...pages.map(([path, name, icon]) => ({ name: t(name), icon, to: path })),
    ...memberships.map((one) => {
      const path = url`/clubs/${one.club_code}/`;
      const to = one.role <= OFFICER ? `${path}manage/` : path;
      return { name: one.club_name, more: t("nav.memberships"), icon: "users", to };
    }),
  ];
}

/** The places of a club, and its forms. */
function workplaces(club, forms) {
  const base = url`/clubs/${club.code}/`;
  return [
    ...WORKSPACE.map(([, path, text, icon]) => ({
      name: t(text),
      more: club.name,
      icon,
      to: base + path,
    })),
    ...forms.map((form) => ({
      name: form.name,
      more: club.name,
      icon: "file-text",
      to: url`/clubs/${club.code}/applications/${form.id}/`,
    })),
  ];
}

/** The applicants of a form, as far as its page has loaded them. */
const applicantsOf = (code, application) =>
  submissionsHere(code, application).map((one) => ({
    name: nameOf(one),
    more: one.committee?.name,
    isPerson: true,
    icon: "clipboard-list",
    to: `${url`/clubs/${code}/applications/${application}/review/`}?only=all&open=${one.id}`,
  }));

/** @param {{close: () => void}} props */
export default function Palette({ close }) {
  const asked = useSignal("");
  const typed = useSearch(asked.value, (words) => (asked.value = words));
  const at = useSignal(0);
  const { code, application } = useRef(here()).current;
  const club = useLoad(code ? url`/clubs/${code}/` : "").data;
  const isManager = isSignedIn.value && club && manages(club);
  const forms = useLoad(isManager ? url`/clubs/${code}/applications/` : "").data ?? [];
  const memberships = useLoad(isSignedIn.value ? "/memberships/" : "").data ?? [];
  const search = asked.value.trim();
  const query = new URLSearchParams({ search, page_size: "6" });
  const clubs = useLoad(search ? `/clubs/?${query}` : "").data?.results ?? [];
  const fits = finder(typed.value);
  /** @type {Entry[]} */
  const own = [
    ...(isManager ? workplaces(club, forms) : []),
    ...(isManager ? applicantsOf(code, application) : []),
    ...places(memberships),
  ].filter((one) => (typed.value || !one.isPerson) && fits(one.name));
  const others = clubs.map((one) => ({
    name: one.name,
    more: t("clubs"),
    icon: "compass",
    to: url`/clubs/${one.code}/`,
  }));
  // A club may be one of the person's own.
  const found = new Map([...own.slice(0, MOST), ...others].map((one) => [one.to, one]));
  const all = [...found.values()].slice(0, MOST + 3);
  const chosen = Math.min(at.value, all.length - 1);
  const go = (one) => {
    close();
    if (one) open(one.to);
  };
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at.value = (chosen + step + all.length) % Math.max(1, all.length);
    else if (event.key === "Enter") go(all[chosen]);
    else return;
    event.preventDefault();
  };
  return html`<${Dialog} label=${t("palette")} close=${close}>
    <input type="text" role="combobox" autofocus aria-label=${t("palette")}
      aria-expanded="true" aria-controls="palette" autocomplete="off" spellcheck=${false}
      aria-activedescendant=${all.length ? `palette-${chosen}` : undefined}
      placeholder=${t(application ? "palette.people" : "palette.clubs")}
      value=${typed.value} onKeyDown=${press} onInput=${(event) => {
        typed.value = event.currentTarget.value;
        at.value = 0;
      }} />
    <ul id="palette" role="listbox" aria-label=${t("palette")} class="found">${all.map(
      (one, i) => html`<li key=${one.to} id=${`palette-${i}`} role="option"
        aria-selected=${i === chosen} onClick=${() => go(one)}>
        <${Icon} name=${one.icon} /><span class="cut">${one.name}</span>
        <span class="push small quiet cut">${one.more}</span></li>`,
    )}</ul>
    ${all.length === 0 && html`<p class="quiet">${t("palette.none")}</p>`}<//>`;
}
