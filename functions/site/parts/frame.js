// What is around every page: the places of the person, and those of a club for its officers.

import { Fragment, html, useEffect, useRef } from "./kit.js";
import { isSignedIn, signOut } from "./auth.js";
import { config } from "./config.js";
import { useLoad } from "./load.js";
import { me, OFFICER } from "./me.js";
import { url } from "./path.js";
import { address, link } from "./router.js";
import { language, languages, speak, t } from "./texts.js";
import { Action, Icon, Mono, SignIn, say } from "./ui.js";

const everybody = () => true;
const signedIn = () => isSignedIn.value;
const admins = () => Boolean(me.value?.is_admin);

/**
 * The places of the site: path, text, icon, who sees it, and whether it is in the bar of a phone.
 * @type {[string, string, string, () => boolean, boolean][]}
 */
export const PLACES = [
  ["/", "nav.home", "house", everybody, true],
  ["/clubs/", "nav.clubs", "compass", everybody, true],
  ["/events/", "nav.events", "calendar", everybody, true],
  ["/applications/", "nav.applications", "file-text", signedIn, true],
  ["/tickets/", "nav.tickets", "ticket", signedIn, false],
  ["/memberships/", "nav.memberships", "users", signedIn, false],
  ["/fairs/", "fairs", "map-pin", everybody, false],

  ["/settings/", "nav.settings", "settings", signedIn, false],
  ["/admin/", "admin", "shield-check", admins, false],
];

/** The places of a club for its officers: place, path, text and icon. */
export const WORKSPACE = [
  ["overview", "manage/", "place.overview", "layout-dashboard"],
  ["recruitment", "recruitment/", "place.recruitment", "clipboard-list"],
  ["members", "members/", "members", "users"],
  ["events", "events/", "nav.events", "calendar"],
  ["profile", "edit/", "place.profile", "globe"],
  ["links", "links/", "place.links", "link"],
];

/** Whether an address is at a place, or below it. */
const isAt = (path) => {
  const here = address.value.path;
  return here === path || (path !== "/" && here.startsWith(path));
};

function Place({ path, name, icon, current }) {
  return html`<li><a href=${link(path)} aria-current=${current ? "page" : undefined}>
    <${Icon} name=${icon} /><span class="cut">${t(name)}</span></a></li>`;
}

const Brand = () => html`<a class="brand" href=${link("/")}>
  <img src=${new URL("../icon.svg", import.meta.url).href} alt="" width="28" height="28" />
  <span class="both">${t("app")} <span class="quiet cut">${config.university}</span></span></a>`;

/** The clubs of the person, below the places. */
function OwnClubs() {
  // The home page asks for its clubs anyway.
  const isHome = address.value.path === "/";
  const home = useLoad(isHome ? "/home/" : "").data;
  const memberships = useLoad(isHome ? "" : "/memberships/").data ?? [];
  const own = isHome
    ? (home?.clubs ?? []).map(({ club, role }) => ({ ...club, role }))
    : memberships.map((one) => ({
        code: one.club_code,
        name: one.club_name,
        image_url: one.club_image_url,
        role: one.role,
      }));
  if (own.length === 0) return null;
  return html`<hr /><h2>${t("nav.memberships")}</h2><ul class="places">${own
    .slice(0, 8)
    .map(({ code, name, image_url: image, role }) => {
      const path = url`/clubs/${code}/`;
      const to = role <= OFFICER ? `${path}manage/` : path;
      return html`<li key=${code}><a href=${link(to)}>
      <${Mono} code=${code} name=${name} image=${image} size="tiny" />
      <span class="cut">${name}</span></a></li>`;
    })}</ul>`;
}

// Browsers do not scroll to a focused element of a strip if a few of its pixels are visible.
addEventListener("focusin", ({ target }) => {
  const element = /** @type {Element} */ (target);
  if (element.closest?.(".tabs, .chips")) {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
});

/** The places of a club, beside the page of an officer. */
function Workspace({ club: code, place, isNarrow, children }) {
  const club = useLoad(url`/clubs/${code}/`).data;
  const base = url`/clubs/${code}/`;
  const entries = WORKSPACE.map(
    ([name, path, text, icon]) => html`<${Place} key=${name}
    path=${base + path} name=${text} icon=${icon} current=${name === place} />`,
  );
  const strip = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const here = strip.current?.querySelector("[aria-current]");
    here?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place]);
  if (isNarrow) {
    return html`<nav class="narrow" aria-label=${club?.name ?? code}>
      <ul class="tabs" ref=${strip}>${entries}</ul></nav>`;
  }
  return html`<a class="brand" href=${link(base)}>
      <${Mono} code=${code} name=${club?.name ?? code} image=${club?.image_url} size="tiny" />
      <span class="cut">${club?.name ?? code}</span></a>${children}
    <nav aria-label=${club?.name ?? code}><ul class="places">${entries}</ul></nav>
    <hr /><ul class="places"><${Place} path="/" name="nav.home" icon="house" /></ul>`;
}

export const WorkspaceTabs = (props) => html`<${Workspace} ...${props} isNarrow />`;

const Account = () =>
  isSignedIn.value
    ? html`<${Action} className="plain" run=${signOut}><${Icon} name="log-out" /> ${t("signout")}
      <//>`
    : html`<${SignIn}>${t("signin")}<//>`;

/** Opens the list of all places. */
const Find = ({ open }) => html`<button class="plain find-place" onClick=${open}><${Icon}
  name="search" /> ${t("palette")}
  <kbd class="push">${/Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl"} K</kbd></button>`;

/** The sidebar of wide screens. `find` opens the list of all places. */
export function Side({ workspace, find }) {
  return html`<header class="side">
    ${
      workspace
        ? html`<${Workspace} ...${workspace}><${Find} open=${find} /><//>`
        : html`<${Brand} /><${Find} open=${find} />
        <nav aria-label=${t("nav")}><ul class="places">${PLACES.filter(([, , , sees]) =>
          sees(),
        ).map(
          ([path, name, icon]) => html`<${Place} key=${path} path=${path} name=${name} icon=${icon}
            current=${isAt(path)} />`,
        )}</ul></nav>
        ${isSignedIn.value && html`<${OwnClubs} />`}`
    }
    <div class="end">${isSignedIn.value && html`<p class="small quiet cut">${me.value?.name}</p>`}
      <${Account} /></div>
  </header>`;
}

/** What narrow screens have instead: a line at the top, and a bar with places at the bottom. */
export function Narrow() {
  const shown = PLACES.filter(([, , , sees, isInBar]) => isInBar && sees());
  const others = PLACES.filter(([, , , sees, isInBar]) => !isInBar && sees());
  const isElsewhere = isAt("/more/") || others.some(([path]) => isAt(path));
  return html`<${Fragment}>
    <header class="top"><${Brand} />
      ${!isSignedIn.value && html`<span class="push"><${Account} /></span>`}</header>
    <nav aria-label=${t("nav")}><ul class="dock">${shown.map(
      ([path, name, icon]) => html`<${Place} key=${path} path=${path} name=${`${name}.short`}
        icon=${icon} current=${isAt(path)} />`,
    )}<${Place} path="/more/" name="nav.more" icon="ellipsis" current=${isElsewhere} /></ul></nav>
  <//>`;
}

export function Foot() {
  const choose = async (event) => {
    const select = event.currentTarget;
    try {
      await speak(select.value);
    } catch {
      select.value = language.value;
      say(t("error.network"), "problem");
    }
  };
  return html`<footer class="foot">
    <label>${t("language")}
      <select value=${language.value} onChange=${choose}>
        ${Object.entries(languages).map(
          ([tag, name]) => html`
          <option value=${tag} lang=${tag}>${name}</option>`,
        )}
      </select>
    </label>
    <a href=${link("/receipts/")}>${t("receipts")}</a>
    <a href=${link("/api/docs/")}>${t("footer.api")}</a>
    ${config.is_local && html`<a href=${link("/local/")}>${t("footer.local")}</a>`}
  </footer>`;
}
