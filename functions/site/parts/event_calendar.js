// Events as a month and as a week.

import { html, useEffect, useRef, useSignal } from "./kit.js";
import { get } from "./api.js";
import { loaded } from "./load.js";
import { url } from "./path.js";
import { address, link, setQuery } from "./router.js";
import { clock, dated, t } from "./texts.js";
import { Icon } from "./ui.js";

/** A month is put together from at most this many pages of a hundred events. */
const MOST_PAGES = 10;
/** The years that can be shown: those that the API knows. */
const YEARS = [1900, 2200];

/** A day as the address has it, or nothing if it is none. @param {string | null} text */
export function dayOf(text) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "") ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const isThere = Number(year) >= YEARS[0] && Number(year) <= YEARS[1];
  return isThere && date.getMonth() === Number(month) - 1 ? date : null;
}

const two = (number) => String(number).padStart(2, "0");
const isoDay = (day) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

/** So many days later, also when the clocks change. */
function after(day, days) {
  const later = new Date(day);
  later.setDate(later.getDate() + days);
  return later;
}

/** All events between two times, page by page. */
function useAll(wanted, from, until) {
  const query = new URLSearchParams(wanted);
  query.set("from", from.toISOString());
  query.set("until", until.toISOString());
  query.set("page_size", "100");
  const asked = query.toString();
  const state = useSignal(
    /** @type {{data?: any[], error: any, asked: string}} */ ({ error: null, asked: "" }),
  );
  /** The number of the last request: an earlier one that answers later is not shown. */
  const last = useRef(0);
  const load = async () => {
    const number = ++last.current;
    try {
      const results = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const found = await get(`/events/?${asked}&page=${page}`);
        if (number !== last.current) return;
        results.push(...found.results);
        if (!found.next) break;
      }
      state.value = { data: results, error: null, asked };
    } catch (error) {
      if (number === last.current) state.value = { data: undefined, error, asked };
    }
  };
  useEffect(() => {
    state.value = { ...state.value, error: null };
    void load();
  }, [asked]);
  const { data, error, asked: of } = state.value;
  // The events of other days would look as if there were none.
  return { data: of === asked ? data : undefined, error, reload: load };
}

/** The days of the weeks that a month touches, from Monday on. */
function daysOf(first) {
  const start = new Date(first);
  start.setDate(1 - ((first.getDay() + 6) % 7));
  const days = [];
  for (const day = start; days.length < 42; day.setDate(day.getDate() + 1)) {
    if (days.length >= 28 && days.length % 7 === 0 && day.getMonth() !== first.getMonth()) break;
    days.push(new Date(day));
  }
  return days;
}

/** The first day of the month in the address; of this month if there is none, or no such month. */
function firstDay() {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(address.value.query.get("month") ?? "") ?? [];
  const today = new Date();
  const isThere =
    Number(year) >= YEARS[0] &&
    Number(year) <= YEARS[1] &&
    Number(month) >= 1 &&
    Number(month) <= 12;
  return isThere
    ? new Date(Number(year), Number(month) - 1, 1)
    : new Date(today.getFullYear(), today.getMonth(), 1);
}

/** The showings of a month, a week a row. */
export function Month({ wanted }) {
  const first = firstDay();
  const days = daysOf(first);
  const events = useAll(wanted, days[0], after(days.at(-1), 1));
  const go = (by) => {
    const to = new Date(first.getFullYear(), first.getMonth() + by, 1);
    setQuery({ month: isoDay(to).slice(0, 7) });
  };
  const name = dated(first, { month: "long", year: "numeric" });
  const weeks = Array.from({ length: days.length / 7 }, (_, n) => days.slice(n * 7, n * 7 + 7));
  return html`
    <${Turn} name=${name} go=${go} />
    ${loaded(
      events,
      (found) => html`<div class="scroll" tabindex="0" role="region" aria-label=${name}><table
        class="month">
      <thead><tr>${days.slice(0, 7).map(
        (day) => html`<th scope="col">
        ${dated(day, { weekday: "short" })}</th>`,
      )}</tr></thead>
      <tbody>${weeks.map(
        (week) =>
          html`<tr>${week.map(
            (day) => html`<${DayCell} day=${day}
        events=${found} />`,
          )}</tr>`,
      )}</tbody>
    </table></div>`,
    )}`;
}

/** Back and forward, with what is shown between them. */
function Turn({ name, go }) {
  return html`<p class="row middle">
    <button onClick=${() => go(-1)}><${Icon} name="chevron-left" /> ${t("previous")}</button><b
      role="status">${name}</b>
    <button onClick=${() => go(1)}>${t("next")} <${Icon} name="chevron-right" /></button></p>`;
}

/** The showings of a day, by their beginning. */
function onDay(events, day) {
  const next = after(day, 1);
  // What ends at midnight is not on the next day; what takes no time is on its own day.
  const isOn = (showing) => {
    const start = Date.parse(showing.start_time);
    return (
      start < next.getTime() && Math.max(Date.parse(showing.end_time), start + 1) > day.getTime()
    );
  };
  const shown = events.flatMap((event) =>
    event.showings.filter(isOn).map((showing) => ({ event, showing })),
  );
  return shown.sort((a, b) => Date.parse(a.showing.start_time) - Date.parse(b.showing.start_time));
}

/** From when until when a showing is on a day: "…" stands for a time on another day. */
function hours({ start_time, end_time }, day) {
  const next = after(day, 1).getTime();
  const from = Date.parse(start_time) < day.getTime() ? "…" : clock(start_time);
  const until = Date.parse(end_time) > next ? "…" : clock(end_time);
  const isAllDay = from === "…" && until === "…";
  return { from, times: isAllDay ? t("event.wholeday") : `${from}–${until}` };
}

const isToday = (day) => day.toDateString() === new Date().toDateString();

function DayCell({ day, events }) {
  return html`<td class=${isToday(day) ? "today" : ""}>
    <span class="quiet">${day.getDate()}</span>
    ${onDay(events, day).map(
      ({
        event,
        showing,
      }) => html`<div key=${showing.id}><a href=${link(url`/events/${event.id}/`)}>
      <span class="quiet">${hours(showing, day).from}</span> ${event.name}</a></div>`,
    )}</td>`;
}

/** A week, from Monday on: a column for each day, or on a phone one below the other. */
export function Week({ wanted }) {
  const today = new Date();
  const asked = dayOf(address.value.query.get("week")) ?? today;
  const monday = after(new Date(asked.getFullYear(), asked.getMonth(), asked.getDate()), 0);
  monday.setDate(monday.getDate() - ((monday.getDay() + 6) % 7));
  const days = Array.from({ length: 7 }, (_, n) => after(monday, n));
  const events = useAll(wanted, monday, after(monday, 7));
  const style = /** @type {const} */ ({ day: "numeric", month: "short" });
  const go = (by) => setQuery({ week: isoDay(after(monday, 7 * by)) });
  return html`<${Turn} go=${go}
    name=${`${dated(monday, style)} – ${dated(after(monday, 6), { ...style, year: "numeric" })}`} />
    ${loaded(
      events,
      (found) =>
        html`<ol class="week">${days.map(
          (day) => html`<li key=${day.getTime()} class=${isToday(day) ? "today" : ""}>
        <h2 class="small"><time datetime=${isoDay(day)}>
          ${dated(day, { weekday: "short", day: "numeric", month: "short" })}</time></h2>
        <${Showings} day=${day} all=${onDay(found, day)} /></li>`,
        )}</ol>`,
    )}`;
}

function Showings({ day, all }) {
  if (all.length === 0) return html`<p class="quiet small">–</p>`;
  return html`<ul class="list">${all.map(
    ({ event, showing }) => html`<li key=${showing.id}><a
      href=${link(url`/events/${event.id}/`)}>${event.name}</a>
      <p class="quiet small">${hours(showing, day).times} · ${event.club_name}${
        showing.location && ` · ${showing.location}`
      }</p></li>`,
  )}</ul>`;
}
