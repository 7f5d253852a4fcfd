// What waits: for the officers of a club, and for admins.

import { html } from "./kit.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { t } from "./texts.js";
import { Chip, Icon, Mono } from "./ui.js";

/** @typedef {import("../api").Schemas["HomeClubBody"]} OwnClub */

/** A thing to do next: whose it is, what it is about, and the button that leads to it. */
export function Step({ code, club, name, more, children }) {
  const [about, action] =
    Array.isArray(children) && children.length > 1 && children.at(-1)?.type === "a"
      ? [children.slice(0, -1), children.at(-1)]
      : [children, null];
  return html`<article class="card step"><${Mono} code=${code} name=${club} />
    <div><h3>${name} <span class="quiet">· ${more ?? club}</span></h3>${about}</div>${action}
      </article>`;
}

/**
 * What there is to do in a club: the text, the number, and where it is done.
 * @param {OwnClub} own
 * @returns {{text: string, path: string}[]}
 */
function duties({ club, waiting }) {
  if (!waiting) return [];
  const base = url`/clubs/${club.code}/`;
  const of = (n, text, path, values = {}) => (n ? [{ text: t(text, { n, ...values }), path }] : []);
  const recruitment = (one) => {
    const form = url`/clubs/${club.code}/applications/${one.id}/`;
    const values = { name: one.name };
    const duty = (n, text, path) =>
      of(n, text, path, values).map((found) =>
        one.has_more ? { ...found, text: t("home.atleast", found) } : found,
      );
    return [
      ...duty(one.undecided, "home.undecided", `${form}review/`),
      ...duty(one.unmailed, "home.unmailed", `${form}mails/`),
      ...duty(one.unreached, "home.unreached", `${form}mails/`),
    ];
  };
  return [
    ...of(waiting.requests, "home.requests", `${base}members/`),
    ...waiting.applications.flatMap(recruitment),
    ...of(waiting.invites_ending, "home.ending", `${base}links/`),
  ];
}

/** What waits for the officers of a club. */
export function ClubWaits({ own }) {
  const { club } = own;
  const all = duties(own);
  return html`<${Step} code=${club.code} club=${club.name} name=${club.name}
    more=${t(`role.${own.role}`)}>
    ${
      all.length === 0
        ? own.waiting &&
          !own.waiting.more_applications &&
          html`<p class="line"><${Chip} kind="good" icon="check">
          ${t("home.nothing")}<//></p>`
        : html`<ul class="duties">${all.map(
            ({ text, path }) => html`<li key=${path + text}><a href=${link(path)}>${text}
            <${Icon} name="chevron-right" /></a></li>`,
          )}</ul>`
    }
    <a class="button do" href=${link(url`/clubs/${club.code}/manage/`)}>${t("home.manage")}
      <span class="hidden"> ${club.name}</span></a><//>`;
}

/** How the campus is, for admins, and the clubs that wait for them. */
export function Campus({ figures }) {
  const facts = [
    ["home.figures.waiting", figures.waiting_clubs, "/admin/"],
    ["home.figures.clubs", figures.clubs, "/clubs/"],
    ["home.figures.members", figures.members, ""],
    ["home.figures.open", figures.open_applications, "/clubs/?accepting=true"],
  ];
  return html`<ul class="facts">${facts.map(
    ([name, count, path]) => html`<li class="fact" key=${name}>
    <span class="small quiet">${path ? html`<a href=${link(path)}>${t(name)}</a>` : t(name)}</span>
    <b>${count}</b></li>`,
  )}</ul>`;
}
