// `/clubs/{club}/`: what a club is, its events, its open applications, and how to join it.

import { html } from "../parts/kit.js";
import { post, remove } from "../parts/api.js";
import { isSignedIn, signIn } from "../parts/auth.js";
import { manages } from "../parts/me.js";
import { link } from "../parts/router.js";
import { nextShowing } from "../parts/showings.js";
import { t } from "../parts/texts.js";
import { Action, Problem, Rich, Tags, Time, Title, loaded, useLoad } from "../parts/ui.js";

export default function Club({ club: code }) {
  const club = useLoad(`/clubs/${code}/`);
  // The events of one club are for those who are signed in; the list of all clubs is for everybody.
  const events = useLoad(isSignedIn.value ? `/clubs/${code}/events/` : `/events/?club__code=${code}&page_size=100`);
  const open = useLoad(isSignedIn.value ? `/clubs/${code}/applications/current/` : "");
  const request = useLoad(isSignedIn.value ? "/requests/membership/" : "");
  return loaded(club, (found) => html`
    <${Title} name=${found.name}>
      ${found.image_url && html`<img class="logo" src=${found.image_url} alt="" /> `}${found.name}
    <//>
    <p class="quiet">${found.subtitle}</p>
    <${Tags} club=${found} />
    ${found.approved !== true && html`<p class="state problem">${t(found.approved === null ? "club.waiting" : "club.refused")}</p>`}
    <${Join} club=${found} request=${request} reload=${club.reload} />
    ${isSignedIn.value && html`<${Subscribe} club=${found} reload=${club.reload} />`}
    <${Applications} code=${code} club=${found} open=${open} />
    <section><h2>${t("club.about")}</h2><${Rich} text=${found.description} />
      <dl>
        ${found.email && html`<dt>${t("email")}</dt><dd><a href=${`mailto:${found.email}`}>${found.email}</a></dd>`}
        ${found.website && html`<dt>${t("website")}</dt><dd><a href=${found.website} rel="noopener noreferrer" target="_blank">${found.website}</a></dd>`}
      </dl>
    </section>
    <section><h2>${t("nav.events")}</h2>
      ${loaded(events, (all) => html`<${Events} events=${"results" in all ? all.results : all} code=${code} />`)}
    </section>
    ${isSignedIn.value && html`<section><h2>${t("members")}</h2><p><a href=${link(`/clubs/${code}/members/`)}>${t("club.members", { n: found.membership_count })}</a></p></section>`}
  `, 8, true);
}

function Join({ club, request, reload }) {
  if (!isSignedIn.value) return html`<p><button class="main" onClick=${() => signIn()}>${t("club.join")}</button></p>`;
  const asked = request.data?.find((one) => one.club === club.code);
  const manage = manages(club) && html`<a class="button main" href=${link(`/clubs/${club.code}/manage/`)}>${t("manage")}</a>`;
  if (club.is_member !== null) {
    return html`<p class="row middle"><span class="state good">${t(`role.${club.is_member}`)}</span> ${manage}</p>`;
  }
  if (asked) {
    const withdraw = async () => {
      await remove(`/requests/membership/${club.code}/`);
      await request.reload();
    };
    return html`<p class="row middle">${manage} <span class="state">${t("club.asked")}</span>
      <${Action} run=${withdraw} done=${t("club.asked.withdrawn")}>${t("withdraw")}<//></p>`;
  }
  // Whoever has asked already must not see the button for a moment.
  if (request.data === undefined && !request.error) return html`<p>${manage}</p>`;
  const ask = async () => {
    await post("/requests/membership/", { club: club.code });
    await Promise.all([request.reload(), reload()]);
  };
  return html`<p class="row middle">${manage} <${Action} run=${ask} done=${t("club.asked")}>${t("club.ask")}<//></p>`;
}

function Subscribe({ club, reload }) {
  const toggle = async () => {
    if (club.is_subscribe) await remove(`/subscriptions/${club.code}/`);
    else await post("/subscriptions/", { club: club.code });
    await reload();
  };
  return html`<p class="row middle"><${Action} run=${toggle} done=${t("saved")}>${t(club.is_subscribe ? "club.unsubscribe" : "club.subscribe")}<//>
    <span class="quiet">${t("club.subscribe.about")}</span></p>`;
}

function Applications({ code, club, open }) {
  if (!isSignedIn.value) {
    return club.accepting_members
      ? html`<section class="card"><h2>${t("club.open")}</h2><p><button class="main" onClick=${() => signIn()}>${t("apply.signin")}</button></p></section>`
      : null;
  }
  if (open.error) return html`<${Problem} error=${open.error} retry=${open.reload} />`;
  return open.data?.map((application) => html`<section class="card" key=${application.id}>
    <h2>${application.name}</h2>
    <p>${t("apply.until")} <${Time} at=${application.application_end_time} zoned /></p>
    <p>${application.external_url
      ? html`<a class="button main" href=${application.external_url} target="_blank" rel="noopener noreferrer">${t("apply")}</a>`
      : html`<a class="button main" href=${link(`/clubs/${code}/apply/${application.id}/`)}>${t("apply")}</a>`}</p>
  </section>`);
}

function Events({ events, code }) {
  const address = new URL(link(`/api/clubs/${code}/events.ics`), location.href).href;
  const copy = () => navigator.clipboard.writeText(address);
  if (!events.length) return html`<p class="quiet">${t("events.none")}</p>`;
  return html`<ul class="cards">${events.map((event) => html`<li key=${event.id}>
      <h3><a href=${link(`/events/${event.id}/`)}>${event.name}</a></h3>
      <p class="quiet">${nextShowing(event) && html`<${Time} at=${nextShowing(event)} />`}</p>
    </li>`)}</ul>
    <p><${Action} run=${copy} done=${t("copied")}>${t("events.calendar.copy")}<//></p>`;
}
