// `/`: for visitors what there is, and for everybody who is signed in what to do next.

import { html, useComputed } from "../parts/kit.js";
import { isSignedIn } from "../parts/auth.js";
import { JoinInvited } from "../parts/accept.js";
import { ClubCard, Cover } from "../parts/club_card.js";
import { Left, ticks, useTicks } from "../parts/countdown.js";
import { Agenda, inOrder, nextShowing } from "../parts/event_list.js";
import { loaded, useLoad } from "../parts/load.js";
import { me, OFFICER } from "../parts/me.js";
import { url } from "../parts/path.js";
import { link, open, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { seen } from "../parts/seen.js";
import { Interview } from "../parts/own_interview.js";
import { Standing, isBroken, standingOf } from "../parts/standing.js";
import { Chip, Empty, Icon, Mono, SignIn, Time, Title } from "../parts/ui.js";
import { Campus, ClubWaits, Step } from "../parts/waits.js";

const WEEK = 7 * 86_400_000;

export default function Home() {
  return isSignedIn.value ? html`<${Own} />` : html`<${Visitor} />`;
}

/** The clubs that were looked at last, in this browser. */
const Seen = () => html`<${Clubs} title="home.seen" all=${seen()} />`;

/** Clubs in a line. */
function Clubs({ title, all }) {
  if (all.length === 0) return null;
  return html`<section><div class="section"><h2>${t(title)}</h2></div>
    <p class="tags">${all.map(
      (club) => html`<a class="tag" key=${club.code} href=${link(url`/clubs/${club.code}/`)}>
        <${Mono} code=${club.code} name=${club.name} image=${club.image_url} size="tiny" />
        <span class="cut">${club.name}</span></a>`,
    )}</p></section>`;
}

/** Search for clubs: what is typed leads to the catalogue. */
function Find() {
  const go = (event) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget).get("search");
    open("/clubs/");
    setQuery({ search: words });
  };
  return html`<form role="search" class="find" onSubmit=${go}><${Icon} name="search" />
    <input type="search" name="search" aria-label=${t("home.search")}
      placeholder=${t("home.search")} /></form>`;
}

function Visitor() {
  const open = useLoad("/clubs/?accepting=true&page_size=8");
  const tags = useLoad("/tags/").data ?? [];
  return html`<div class="stack"><div>
      <${Title} name=${t("nav.home")}>${t("home.title")}<//>
      <p class="quiet prose">${t("home.about")}</p></div>
    <div class="line"><${Find} /><${SignIn} className="">${t("home.signin")}<//>
      </div></div>
    <section><div class="section"><h2>${t("home.open")}</h2>
        <a class="push" href=${link("/clubs/?accepting=true")}>${t("home.all")}</a></div>
      <div class=${open.data || open.error ? "" : "row-of-cards"}>${loaded(
        open,
        (found) =>
          found.results.length
            ? html`<ul class="grid">${found.results.map(
                (club) => html`<${ClubCard} key=${club.code}
              club=${club} changed=${open.reload} />`,
              )}</ul>`
            : html`<${Empty} icon="clipboard-list"><p>${t("home.open.none")}</p>
            <p><a class="button" href=${link("/clubs/")}>${t("clubs")}</a></p><//>`,
        6,
      )}</div></section>
    <div class="two"><${Week} />
      <section><div class="section"><h2>${t("home.tags")}</h2></div>
        <p class="tags">${tags.map(
          (tag) => html`<a class="tag" key=${tag.id} href=${link(`/clubs/?tags=${tag.id}`)}>
          ${tag.name} <span class="quiet">${tag.clubs}</span></a>`,
        )}</p></section></div>
    <${Seen} />`;
}

/** The events of the next seven days; those of the person's own clubs, if there are any. */
function Week({ own }) {
  useTicks();
  const from = useComputed(() =>
    new Date(Math.floor(ticks.value / 3_600_000) * 3_600_000).toISOString(),
  );
  const until = new Date(Date.parse(from.value) + WEEK).toISOString();
  const query = new URLSearchParams({
    from: from.value,
    until,
    ordering: "next_start_time",
    page_size: "100",
  });
  const events = useLoad(`/events/?${query}`);
  return html`<section class="card"><div class="section"><h2>${t("home.week")}</h2>
      <a class="push" href=${link("/events/")}>${t("home.calendar")}</a></div>
    ${loaded(events, (found) => {
      const soon = found.results.filter(
        (event) =>
          event.showings.some((one) => Date.parse(one.end_time) > Date.now()) &&
          Date.parse(nextShowing(event) ?? "") < Date.now() + WEEK,
      );
      const mine = soon.filter((event) => own?.has(event.club));
      const shown = mine.length ? mine : soon;
      return shown.length
        ? html`<${Agenda} events=${inOrder(shown).slice(0, 5)} />`
        : html`<${Empty} icon="calendar"><p>${t("home.week.none")}</p><//>`;
    })}</section>`;
}

/** Whoever is signed in: what to do next, the week, and what is open. */
function Own() {
  const home = useLoad("/home/");
  const own = new Set((home.data?.clubs ?? []).map((one) => one.club.code));
  const hour = new Date().getHours();
  const greeting = t(hour < 11 ? "home.morning" : hour < 17 ? "home.day" : "home.evening", {
    name: me.value?.first_name ?? "",
  });
  return html`<div class="head"><${Title} name=${t("nav.home")}>${greeting}<//><span class="push">
    <${Find} /></span></div>
    ${loaded(
      home,
      (all) => html`
      ${all.admin && html`<${Campus} figures=${all.admin} />`}
      <div class="two"><section><h2 class="hidden">${t("home.next")}</h2><${Steps} home=${all}
        joined=${() => home.reload()} />
        </section><${Week} own=${own} /></div>
      <section><div class="section"><h2>${t("home.open")}</h2><span class="quiet small">
        ${t("home.deadline")}</span>
          <a class="push" href=${link("/clubs/?accepting=true")}>${t("home.all")}</a></div>
        <${Open} all=${all.applications.filter((one) => !one.submissions.length && !one.draft)}
          isNone=${all.applications.length === 0} />
      </section>`,
      8,
    )}${
      // What stands below waits until its place is known.
      (home.data || home.error) &&
      html`<${Clubs} title="memberships.favorites" all=${home.data?.favorites ?? []} /><${Seen} />`
    }`;
}

/** Invitations and drafts first, then what waits in the person's clubs, then what was sent. */
function Steps({ home, joined }) {
  const state = (one) => standingOf(one, one.my_end_time);
  const sent = home.applications.filter((one) => state(one) === "sent");
  const isBegun = (one) => one.draft && !["sent", "decided"].includes(state(one));
  const drafts = home.applications.filter(isBegun);
  const managed = home.clubs.filter((one) => one.role <= OFFICER);
  // Of two committees that accepted somebody, the first has the button.
  const accepted = home.decisions.filter((one) => one.status === 4).map((one) => one.club.code);
  const invitedBy = (one) => {
    const first = home.decisions.find((by) => by.status === 4 && by.club.code === one.club.code);
    return first === one && home.invites.find((by) => by.club.code === one.club.code);
  };
  const invites = home.invites.filter((one) => !accepted.includes(one.club.code));
  const waiting = [home.interviews, home.invites, drafts, home.decisions, sent, managed];
  if (waiting.every((some) => some.length === 0)) {
    return html`<div class="card"><${Empty} icon="compass"><p>${t("home.next.none")}</p>
      <p><a class="button main" href=${link("/clubs/")}>${t("home.discover")}</a></p><//></div>`;
  }
  return html`<div class="stack">
    ${home.interviews.map(
      (one) => html`<${Step} key=${`interview ${one.id}`} club=${one.club}
        name=${one.name} more=${[one.club.name, one.committee].filter(Boolean).join(" · ")}>
        <${Interview} of=${one} /><//>`,
    )}
    ${invites.map(
      (one) => html`<${Step} key=${one.club.code} club=${one.club}
      name=${one.club.name} more=${t(`role.${one.role}`)}>
      <p class="line"><${Chip} kind="warn" icon="mail">${t("home.invited")}<//><${Left}
        until=${one.expires_at} /></p><${JoinInvited} invite=${one} joined=${joined} /><//>`,
    )}
    ${drafts.map(
      (one) => html`<${Step} key=${one.id} club=${one.club} name=${one.name}>
      <p class="line"><${Left} until=${one.my_end_time} />
        <span class="small quiet">${t(
          isBroken(one.id) ? "apply.broken" : `state.${state(one)}`,
        )}</span></p>
      <a class="button main do" href=${applyAddress(one)}>${t("home.continue")}<span
        class="hidden"> ${one.name}</span></a><//>`,
    )}
    ${home.decisions.map(
      (one) => html`<${Decision} key=${one.id} one=${one} joined=${joined}
      invite=${invitedBy(one)} />`,
    )}
    ${managed.map(
      (one) => html`<${ClubWaits} key=${one.club.code} own=${one}
      duties=${home.duties.filter((duty) => duty.club?.code === one.club.code)} />`,
    )}
    ${sent.map(
      (one) => html`<${Step} key=${one.id} club=${one.club} name=${one.name}>
      <p class="line"><${Chip} kind="good" icon="check">${t("state.sent")}<//>
        <span class="small quiet">${t("home.change")} <${Time} at=${one.my_end_time} /></span></p>
      <a class="button plain do" href=${link("/applications/")}>${t("home.look")}<span
        class="hidden"> ${one.name}</span></a><//>`,
    )}
  </div>`;
}

/** A decision that the person may know. */
function Decision({ one, invite, joined }) {
  const isAccepted = one.status === 4;
  return html`<${Step} club=${one.club} name=${one.name}
    more=${[one.club.name, one.committee].filter(Boolean).join(" · ")}>
    <p class="line"><${Chip} kind=${isAccepted ? "good" : ""} icon=${isAccepted ? "check" : "info"}>
      ${t(`status.${one.status}`)}<//>
      <span class="small quiet"><${Time} at=${one.since} /></span></p>
    ${invite && html`<${JoinInvited} invite=${invite} joined=${joined} />`}
    <a class="button plain do" href=${link("/applications/")}>${t("home.look")}<span
      class="hidden"> ${one.name}</span></a><//>`;
}

/** Where the person goes on with an application. */
const applyAddress = (one) => link(url`/clubs/${one.club.code}/apply/${one.id}/`);

/** What is open, as covers, by the deadline. */
function Open({ all, isNone }) {
  if (all.length === 0)
    return html`<${Empty} icon="clipboard-list"><p>
      ${t(isNone ? "home.open.none" : "home.open.begun")}</p><//>`;
  return html`<ul class="grid">${all.slice(0, 8).map(
    (one) => html`<li class="club" key=${one.id}>
    <${Cover} club=${one.club} />
    <div class="in"><h3><a href=${applyAddress(one)}>${one.name}</a></h3>
      <p class="quiet small">${one.club.name}</p><p class="tags push-down"><${Left}
        until=${one.my_end_time} />${
          one.withdrawn &&
          html`<${Standing} entry=${one}
        end=${one.my_end_time} />`
        }</p></div></li>`,
  )}</ul>`;
}
