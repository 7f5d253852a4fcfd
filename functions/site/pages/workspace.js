// `/clubs/{club}/manage/`: what waits for the officers of a club, and how its recruitment goes.

import { html } from "../parts/kit.js";
import { now } from "../parts/api.js";
import { Left } from "../parts/countdown.js";
import { Duties } from "../parts/duties.js";
import { loaded, useLoad } from "../parts/load.js";
import { Facts, Plots } from "../parts/overview.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { inOrderAt, stateAt } from "../parts/states.js";
import { useSubmissions } from "../parts/submissions.js";
import { t } from "../parts/texts.js";
import { Chip, Empty, Icon, Problem, Skeleton, Title } from "../parts/ui.js";

export default function Workspace({ club: code }) {
  const club = useLoad(url`/clubs/${code}/`);
  const applications = useLoad(url`/clubs/${code}/applications/`);
  return html`<div class="head"><${Title} name=${t("manage")}>${club.data?.name ?? code}<//>
      ${
        club.data?.approved === null &&
        html`<${Chip} kind="warn" icon="clock">${t("club.waiting")}
        <//>`
      }
      <span class="push"><a class="button" href=${link(url`/clubs/${code}/`)}><${Icon}
        name="globe" /> ${t("place.public")}</a></span></div>
    <div class="two">
      <section class="card"><h2 class="flat">${t("overview.waits")}</h2><${Waits} code=${code} />
        </section>
      <section class="card"><div class="section"><h2>${t("place.recruitment")}</h2>
          <a class="push" href=${link(url`/clubs/${code}/recruitment/`)}>${t("all")}</a></div>
        ${loaded(applications, (all) => html`<${Current} code=${code} all=${all} />`, 3)}</section>
          </div>
    ${
      Boolean(applications.data?.length) &&
      html`<${Newest} code=${code}
      application=${newest(applications.data)} />`
    }`;
}

/** The application that is worked on: the one that ended last, or that is open. */
const newest = (all) =>
  [...all].sort(
    (a, b) => Date.parse(b.application_end_time) - Date.parse(a.application_end_time),
  )[0];

/** How each state of an application looks: the kind of chip and its icon. */
const LOOKS = {
  open: ["good", "circle-dot"],
  coming: ["", "clock"],
  closed: ["", "lock"],
  inactive: ["", "lock"],
};

/** The state of an application in a word. */
function State({ application }) {
  const state = stateAt(application, now());
  const [kind, icon] = LOOKS[state];
  return html`<${Chip} kind=${kind} icon=${icon}>${t(`state.${state}`)}<//>`;
}

export function ApplicationState({ application }) {
  return html`<${State} application=${application} />
    ${stateAt(application, now()) === "open" && html`<${Left} until=${application.application_end_time} />`}`;
}

function Current({ code, all }) {
  const open = inOrderAt(all, now())
    .filter((one) => stateAt(one, now()) !== "inactive")
    .slice(0, 4);
  if (open.length === 0) {
    return html`<${Empty} icon="clipboard-list"><p>${t("recruitment.none")}</p>
      <p><a class="button main" href=${link(url`/clubs/${code}/applications/new/`)}>
        ${t("builder.new")}</a></p><//>`;
  }
  return html`<ul class="places">${open.map(
    (one) => html`<li key=${one.id}>
    <a href=${link(url`/clubs/${code}/applications/${one.id}/`)}><span>${one.name}</span>
      <span class="push"><${State} application=${one} /></span></a></li>`,
  )}</ul>`;
}

/** What waits for the officers, as on the home page. */
const Waits = ({ code }) =>
  loaded(
    useLoad(url`/clubs/${code}/overview/`),
    ({ duties, all_counted }) =>
      duties.length > 0
        ? html`<${Duties} all=${duties} />`
        : all_counted && html`<${Empty} icon="circle-check"><p>${t("duty.none")}</p><//>`,
    2,
  );

/** The newest application in numbers. */
function Newest({ code, application }) {
  const { state, load } = useSubmissions(code, application.id);
  const { all, isComplete, error } = state.value;
  const todo = !isComplete
    ? 0
    : all.filter((one) => one.my_score === null && one.status === 1).length;
  const base = url`/clubs/${code}/applications/${application.id}/`;
  return html`<section><div class="head"><h2 class="flat">${application.name}</h2>
    <${ApplicationState} application=${application} />
      <span class="push"><a class="button" href=${link(base)}>${t("submissions")}</a>
        ${
          todo > 0 &&
          html`<a class="button main" href=${link(`${base}review/`)}>
          ${t("review.start", { n: todo })}</a>`
        }</span></div>
    ${error && html`<${Problem} error=${error} retry=${load} />`}
    ${
      // The numbers of a part would be wrong.
      !isComplete
        ? !error && html`<${Skeleton} lines=${4} />`
        : html`<${Facts} all=${all} />
      <${Plots} all=${all} end=${application.application_end_time}
        club=${code} application=${String(application.id)} />`
    }</section>`;
}
