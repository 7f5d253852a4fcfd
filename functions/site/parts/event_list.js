// Events in the order of time, as an agenda.

import { html } from "./kit.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { clock, dated, t } from "./texts.js";

/** When the next showing begins, or the last one began; undefined without showings. */
export const nextShowing = (event, from = Date.now()) => showingOf(event, from)?.start_time;

/** The next showing after a time, or the last one. */
export const showingOf = (event, from = Date.now()) =>
  event.showings.find((showing) => Date.parse(showing.end_time) > from) ?? event.showings.at(-1);

/** Whether all showings of an event have ended. */
export const isOver = (event) =>
  event.showings.length > 0 && event.showings.every((one) => Date.parse(one.end_time) < Date.now());

/** Events by their next showing; those without one come last. */
export const inOrder = (events, from = Date.now()) => {
  const begin = (event) => Date.parse(nextShowing(event, from) ?? "9999-12-31");
  return [...events].sort((a, b) => begin(a) - begin(b));
};

/** The day of an event as a leaf of a calendar. */
export function Day({ at }) {
  const date = new Date(at);
  const isFar = Math.abs(date.getTime() - Date.now()) > 300 * 86_400_000;
  return html`<time class="date" datetime=${at}>
    <span class="small quiet">${dated(date, { weekday: "short" })}</span><b>${date.getDate()}</b>
    <span class="small quiet">
      ${dated(date, isFar ? { month: "short", year: "2-digit" } : { month: "short" })}</span>
        </time>`;
}

/** @param {{events: any[], withClub?: boolean, level?: 2 | 3, from?: Date}} props */
export function Agenda({ events, withClub = true, level = 3, from }) {
  const begin = from?.getTime() ?? Date.now();
  return html`<ul class="list">${inOrder(events, begin).map((event) => {
    const showing = showingOf(event, begin);
    const facts = [
      showing ? clock(showing.start_time) : t("events.unplanned"),
      withClub && event.club_name,
      showing?.location,
    ].filter(Boolean);
    const name = html`<a class="whole" href=${link(url`/events/${event.id}/`)}>${event.name}</a>`;
    return html`<li class="day" key=${event.id}>
      ${showing ? html`<${Day} at=${showing.start_time} />` : html`<span></span>`}
      <div>${level === 2 ? html`<h2 class="flat">${name}</h2>` : html`<h3>${name}</h3>`}
        <p class="quiet small">${facts.join(" · ")}</p></div></li>`;
  })}</ul>`;
}
