// What waits: for the officers of a club, and for admins.

import { Duties } from "./duties.js";
import { html } from "./kit.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { t } from "./texts.js";
import { Chip, Mono } from "./ui.js";

/** A thing to do next: whose it is, what it is about, and the button that leads to it. */
export function Step({ club, name, more, children }) {
  const [about, action] =
    Array.isArray(children) && children.length > 1 && children.at(-1)?.type === "a"
      ? [children.slice(0, -1), children.at(-1)]
      : [children, null];
  return html`<article class="card step"><${Mono} code=${club.code} name=${club.name}
      image=${club.image_url} />
    <div><h3>${name} <span class="quiet">· ${more ?? club.name}</span></h3>${about}</div>${action}
      </article>`;
}

/**
 * What waits for the officers of a club.
 * @param {{own: import("../api").Schemas["HomeClubBody"], duties: import("./duties.js").Duty[]}}
 *   props
 */
export function ClubWaits({ own, duties }) {
  const { club } = own;
  return html`<${Step} club=${club} name=${club.name}
    more=${t(`role.${own.role}`)}>
    ${
      duties.length > 0
        ? html`<${Duties} all=${duties} />`
        : own.all_counted &&
          html`<p class="line"><${Chip} kind="good" icon="check">${t("duty.none")}<//></p>`
    }
    <a class="button plain do" href=${link(url`/clubs/${club.code}/manage/`)}>${t("home.manage")}
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
