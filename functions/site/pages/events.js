// `/events/`: events of all clubs, as an agenda and as a month.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { get } from "../parts/api.js";
import { Pages } from "../parts/pager.js";
import { Agenda } from "../parts/event_list.js";
import { loaded, useLoad, useSearch } from "../parts/load.js";
import { url } from "../parts/path.js";
import { address, link, setQuery } from "../parts/router.js";
import { clock, dated, t } from "../parts/texts.js";
import { Action, Empty, Icon, Title } from "../parts/ui.js";

/** A month is put together from at most this many pages of a hundred events. */
const MOST_PAGES = 10;
const TYPES = [1, 2, 3, 4, 5, 6, 0];
/** The months that can be shown: those of the years that the API knows. */
const YEARS = [1900, 2200];

export default function Events() {
  const query = address.value.query;
  const words = useSearch(query.get("search") ?? "", (search) => setQuery({ search, page: "" }));
  const isMonth = query.get("view") === "month";
  const calendar = new URL(link("/api/events.ics"), location.href).href;
  const copy = () => navigator.clipboard.writeText(calendar);
  return html`
    <div class="head"><${Title}>${t("nav.events")}<//>
      <span class="push"><${Action} run=${copy} done=${t("copied")}><${Icon}
        name="calendar-plus" /> ${t("events.calendar.copy")}<//></span></div>
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <p class="find"><${Icon} name="search" /><input id="search" type="search"
        aria-label=${t("search")} placeholder=${t("events.search")}
        value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} /></p>
      <div class="chips">
        <span role="group" aria-label=${t("events.view")} class="line">
          <button type="button" aria-pressed=${!isMonth} onClick=${() => setQuery({ view: "" })}>
            ${t("events.list")}</button>
          <button type="button" aria-pressed=${isMonth}
            onClick=${() => setQuery({ view: "month" })}>${t("events.month")}</button></span>
        <select aria-label=${t("event.type")} value=${query.get("type") ?? ""}
          onChange=${(event) => setQuery({ type: event.currentTarget.value, page: "" })}>
          <option value="">${t("event.type")}</option>
          ${TYPES.map((type) => html`<option value=${type}>${t(`event.type.${type}`)}</option>`)}
            </select>
      </div></form>
    ${isMonth ? html`<${Month} />` : html`<${List} />`}`;
}

/** What is asked for: the search and the kind. */
function wanted(more) {
  const asked = new URLSearchParams(more);
  for (const name of ["search", "type"]) {
    const value = address.value.query.get(name);
    if (value) asked.set(name, value);
  }
  return asked;
}

function List() {
  const page = Number(address.value.query.get("page") ?? 1);
  const events = useLoad(`/events/?${wanted({ page_size: "30", page: String(page) })}`);
  return loaded(
    events,
    (found) => html`
    <p role="status" class="quiet small">${t("events.count", { n: found.count })}</p>
    ${found.count === 0 && html`<${Empty} icon="calendar"><p>${t("events.none")}</p><//>`}
    ${
      found.results.length > 0 &&
      html`<div class="card"><${Agenda} events=${found.results}
      level=${2} /></div>`
    }
    <${Pages} page=${page} next=${found.next} />`,
  );
}

/** All events at all times, page by page: a month shows old and coming showings. */
function useAll(asked) {
  const state = useSignal(/** @type {{data?: any[], error: any}} */ ({ error: null }));
  const load = async () => {
    try {
      const results = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const found = await get(`/events/?${asked}&page=${page}`);
        results.push(...found.results);
        if (!found.next) break;
      }
      state.value = { data: results, error: null };
    } catch (error) {
      state.value = { ...state.value, error };
    }
  };
  useEffect(() => void load(), [asked]);
  return { ...state.value, reload: load };
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

function Month() {
  const first = firstDay();
  const days = daysOf(first);
  const events = useAll(
    wanted({ earliest_start_time: "2000-01-01T00:00:00Z", page_size: "100" }).toString(),
  );
  const go = (by) => {
    const to = new Date(first.getFullYear(), first.getMonth() + by, 1);
    setQuery({ month: `${to.getFullYear()}-${String(to.getMonth() + 1).padStart(2, "0")}` });
  };
  const name = dated(first, { month: "long", year: "numeric" });
  const weeks = Array.from({ length: days.length / 7 }, (_, n) => days.slice(n * 7, n * 7 + 7));
  return html`
    <p class="row middle">
      <button onClick=${() => go(-1)}><${Icon} name="chevron-left" /> ${t("previous")}</button><b
        role="status">${name}</b>
      <button onClick=${() => go(1)}>${t("next")} <${Icon} name="chevron-right" /></button></p>
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

/** The showings of one day, with their times. */
function DayCell({ day, events }) {
  const next = new Date(day);
  next.setDate(next.getDate() + 1);
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
  shown.sort((a, b) => Date.parse(a.showing.start_time) - Date.parse(b.showing.start_time));
  return html`<td class=${day.toDateString() === new Date().toDateString() ? "today" : ""}>
    <span class="quiet">${day.getDate()}</span>
    ${shown.map(
      ({
        event,
        showing,
      }) => html`<div key=${showing.id}><a href=${link(url`/events/${event.id}/`)}>
      <span class="quiet">${clock(showing.start_time)}</span> ${event.name}</a></div>`,
    )}</td>`;
}
