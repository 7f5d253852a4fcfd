// `/clubs/{club}/`: what a club is, its events, its open applications, and how to join it.

import { html, useEffect } from "../parts/kit.js";
import { post, remove } from "../parts/api.js";
import { isSignedIn } from "../parts/auth.js";
import { ClubCard, Cover, Star } from "../parts/club_card.js";
import { Left } from "../parts/countdown.js";
import { Agenda, inOrder, isOver } from "../parts/event_list.js";
import { loaded, orReload, useLoad, useParts } from "../parts/load.js";
import { manages } from "../parts/me.js";
import { url } from "../parts/path.js";
import { saw } from "../parts/seen.js";
import { link } from "../parts/router.js";
import { Standing, standingOf } from "../parts/standing.js";
import { t } from "../parts/texts.js";
import {
  Action,
  Chip,
  Empty,
  Icon,
  Problem,
  Rich,
  SignIn,
  Tags,
  Time,
  Title,
} from "../parts/ui.js";

/** An address with a shown part and a part that cannot end the address. */
const mailto = (email) => `mailto:${encodeURIComponent(email).replace("%40", "@")}`;

export default function Club({ club: code }) {
  const club = useLoad(url`/clubs/${code}/`);
  // The events of one club are for those who are signed in; the list of all clubs is for everybody.
  const ofClub = new URLSearchParams({ club__code: code, page_size: "100" });
  const events = useLoad(isSignedIn.value ? url`/clubs/${code}/events/` : `/events/?${ofClub}`);
  useEffect(() => {
    if (club.data) saw({ code, name: club.data.name });
  }, [club.data]);
  return loaded(
    club,
    (found) => html`
    <${Cover} club=${found} size="big" />
    <div class="head" style=${{ marginTop: "16px" }}><div>
        <${Title}>${found.name}<//><p class="quiet">${found.subtitle}</p></div>
      <div class="push"><${Join} club=${found} reload=${club.reload} /><${Star} club=${found}
        changed=${club.reload} className="" />
        <${Share} name=${found.name} />
        ${
          manages(found) &&
          html`<a class="button" href=${link(url`/clubs/${code}/poster/`)}><${Icon}
          name="qr-code" /> ${t("poster")}</a>`
        }</div></div>
    <${Tags} club=${found} />
    ${!found.active && html`<p><${Chip} icon="lock">${t("state.inactive")}<//></p>`}
    ${
      found.approved !== true &&
      html`<p><${Chip} kind="warn" icon="clock">
      ${t(found.approved === null ? "club.waiting" : "club.refused")}<//></p>`
    }
    <${Applications} code=${code} club=${found} />
    <div class="two"><section><h2>${t("club.about")}</h2><${Rich} text=${found.description} />
        <dl>
          ${
            found.email &&
            html`<dt>${t("email")}</dt><dd><a href=${mailto(found.email)}>
            ${found.email}</a></dd>`
          }
          ${
            found.website &&
            html`<dt>${t("website")}</dt><dd><a href=${found.website}
            rel="noopener noreferrer" target="_blank">${found.website}</a></dd>`
          }
          <dt>${t("members")}</dt><dd>${
            isSignedIn.value
              ? html`<a href=${link(url`/clubs/${code}/members/`)}>
                ${t("club.members", { n: found.membership_count })}</a>`
              : t("club.members", { n: found.membership_count })
          }</dd>
        </dl>
        ${isSignedIn.value && html`<${Subscribe} club=${found} reload=${club.reload} />`}</section>
      <section><div class="section"><h2>${t("nav.events")}</h2></div>
        ${loaded(
          events,
          (all) => html`<${Events} events=${"results" in all ? all.results : all}
          code=${code} />`,
        )}</section></div>
    <${Similar} club=${found} />
  `,
    8,
    true,
  );
}

/** Hands the address of the page to another program, or copies it. */
function Share({ name }) {
  const share = async () => {
    if (navigator.share)
      return navigator
        .share({ title: name, url: location.href })
        .catch(() => {})
        .then(() => false);
    await navigator.clipboard.writeText(location.href);
  };
  return html`<${Action} run=${share} done=${t("copied")}><${Icon} name="share-2" /> ${t("share")}
    <//>`;
}

function Join({ club, reload }) {
  const request = useLoad(isSignedIn.value ? "/requests/membership/" : "");
  // What is open has the button that stands out.
  const isOpen = (club.open_applications ?? []).length > 0;
  if (!isSignedIn.value)
    return html`<${SignIn} className=${isOpen ? "" : "main"}>${t("club.join")}<//>`;
  const asked = request.data?.find((one) => one.club === club.code);
  const manage =
    manages(club) &&
    html`<a class=${isOpen ? "button" : "button main"}
      href=${link(url`/clubs/${club.code}/manage/`)}>${t("manage")}</a>`;
  if (club.is_member !== null) {
    return html`<span class="line">${manage} <${Chip} kind="good" icon="check">
      ${t(`role.${club.is_member}`)}<//></span>`;
  }
  if (asked) {
    const withdraw = async () => {
      await remove(url`/requests/membership/${club.code}/`);
      await request.reload();
    };
    return html`<span class="line">${manage} <${Chip} icon="clock">${t("club.asked")}<//>
      <${Action} run=${withdraw} done=${t("club.asked.withdrawn")}>${t("withdraw")}<//></span>`;
  }
  // Whoever has asked already must not see the button for a moment.
  if (request.data === undefined && !request.error) return manage;
  const ask = async () => {
    await post("/requests/membership/", { club: club.code });
    await Promise.all([request.reload(), reload()]);
  };
  return html`${manage} <${Action} run=${ask} done=${t("club.asked")}>${t("club.ask")}<//>`;
}

function Subscribe({ club, reload }) {
  const toggle = orReload(async () => {
    if (club.is_subscribe) await remove(url`/subscriptions/${club.code}/`);
    else await post("/subscriptions/", { club: club.code });
    await reload();
  }, reload);
  return html`<p class="row middle"><${Action} run=${toggle} done=${t("saved")}><${Icon}
    name="bell" /> ${t(club.is_subscribe ? "club.unsubscribe" : "club.subscribe")}<//>
    <span class="quiet small">${t("club.subscribe.about")}</span></p>`;
}

/** What can be applied to, and how the person stands with it. */
function Applications({ code, club }) {
  const open = useLoad(isSignedIn.value ? url`/clubs/${code}/applications/current/` : "");
  const own = useParts(isSignedIn.value ? "/applications/open/?limit=200" : "");
  if (!isSignedIn.value) {
    return club.open_applications?.map(
      (one) => html`<section class="card line" key=${one.id}>
      <div><h2 class="flat">${one.name}</h2>
        <p class="line"><${Left} until=${one.application_end_time} />
          <span class="quiet small">${t("apply.until")} <${Time} at=${one.application_end_time}
            zoned /></span></p>
        ${
          one.committees.length > 0 &&
          html`<p class="tags">${one.committees.map(
            (name) => html`<span class="tag" key=${name}>${name}</span>`,
          )}</p>`
        }</div>
      <span class="push"><${SignIn} to=${url`/clubs/${code}/apply/${one.id}/`}>
        ${t("apply.signin")}<//></span></section>`,
    );
  }
  if (open.error) return html`<${Problem} error=${open.error} retry=${open.reload} />`;
  const shown = /** @type {any[] | undefined} */ (open.data);
  return shown?.map((application) => {
    const end = application.my_end_time ?? application.application_end_time;
    const entry = own.data?.find((one) => one.id === application.id);
    return html`<section class="card line" key=${application.id}>
      <div><h2 class="flat">${application.name}</h2>
        <p class="line"><${Left} until=${end} /> ${
          own.data &&
          html`<${Standing} entry=${entry}
          end=${end} />`
        }
          <span class="quiet small">${t("apply.until")} <${Time} at=${end} zoned /></span></p></div>
      <span class="push"><${Apply} code=${code} application=${application}
        state=${standingOf(entry, end)} /></span>
    </section>`;
  });
}

function Apply({ code, application, state }) {
  if (application.external_url) {
    return html`<a class="button main" href=${application.external_url} target="_blank"
      rel="noopener noreferrer">${t("apply")}</a>`;
  }
  if (state === "decided") {
    return html`<a class="button" href=${link("/applications/")}>${t("home.look")}</a>`;
  }
  const texts = { draft: "home.continue", changed: "home.continue", sent: "apply.edit" };
  return html`<a class=${state === "sent" ? "button" : "button main"}
    href=${link(url`/clubs/${code}/apply/${application.id}/`)}>${t(texts[state] ?? "apply")}</a>`;
}

function Events({ events, code }) {
  const address = new URL(link(`/api${url`/clubs/${code}/events.ics`}`), location.href).href;
  const copy = () => navigator.clipboard.writeText(address);
  // Members get past ones, too.
  const ahead = inOrder(events.filter((event) => !isOver(event)));
  if (!ahead.length) return html`<${Empty} icon="calendar"><p>${t("events.none")}</p><//>`;
  return html`<div class="card"><${Agenda} events=${ahead.slice(0, 12)}
    withClub=${false} /></div>
    <p class="row"><a class="button plain" href=${link(`/events/?club=${code}`)}><${Icon}
      name="calendar" /> ${t("events.all.club")}</a>
      <${Action} className="plain" run=${copy} done=${t("copied")}><${Icon}
      name="calendar-plus" /> ${t("events.calendar.copy")}<//></p>`;
}

/** Other clubs with the same first tag. */
function Similar({ club }) {
  const tag = club.tags?.[0];
  const query = new URLSearchParams({ tags: String(tag?.id ?? ""), page_size: "5" });
  const others = useLoad(tag ? `/clubs/?${query}` : "");
  const shown = (others.data?.results ?? []).filter((one) => one.code !== club.code).slice(0, 4);
  if (shown.length === 0) return null;
  return html`<section><div class="section"><h2>${t("club.similar")}</h2></div>
    <ul class="grid">${shown.map(
      (one) => html`<${ClubCard} key=${one.code} club=${one}
      changed=${others.reload} />`,
    )}</ul></section>`;
}
