// `/events/`: events of all clubs, as a list and as a month.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { get } from "../parts/api.js";
import { address, link, setQuery } from "../parts/router.js";
import { nextShowing } from "../parts/showings.js";
import { language, t } from "../parts/texts.js";
import { Action, Time, Title, loaded, useLoad } from "../parts/ui.js";

/** A month is put together from at most this many pages of a hundred events. */
const MOST_PAGES = 10;

export default function Events() {
  const query = address.value.query;
  const words = useSignal(query.get("search") ?? "");
  const isMonth = query.get("view") === "month";
  const stored = query.get("search") ?? "";
  useEffect(() => {
    const waiting = setTimeout(() => words.value !== stored && setQuery({ search: words.value }), 200);
    return () => clearTimeout(waiting);
  }, [words.value]);
  // A link to the whole list empties the field as well.
  useEffect(() => {
    words.value = stored;
  }, [stored]);
  const calendar = new URL(link("/api/events.ics"), location.href).href;
  return html`
    <${Title}>${t("nav.events")}<//>
    <div class="row">
      <div class="field"><label for="search">${t("search")}</label>
        <input id="search" type="search" value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} /></div>
      <div class="field" role="group" aria-label=${t("events.view")}>
        <button aria-pressed=${!isMonth} onClick=${() => setQuery({ view: "" })}>${t("events.list")}</button>
        <button aria-pressed=${isMonth} onClick=${() => setQuery({ view: "month" })}>${t("events.month")}</button>
      </div>
      <p class="field push"><${Action} run=${() => navigator.clipboard.writeText(calendar)} done=${t("copied")}>${t("events.calendar.copy")}<//></p>
    </div>
    ${isMonth ? html`<${Month} />` : html`<${List} />`}`;
}

function List() {
  const query = address.value.query;
  const asked = new URLSearchParams({ page_size: "30", page: query.get("page") ?? "1" });
  const search = query.get("search");
  if (search) asked.set("search", search);
  const events = useLoad(`/events/?${asked}`);
  const page = Number(query.get("page") ?? 1);
  return loaded(events, (found) => html`
    <p role="status">${t("events.count", { n: found.count })}</p>
    <ul class="cards">${found.results.map((event) => html`<li key=${event.id}>
      <h2>${event.image_url && html`<img src=${event.image_url} alt="" loading="lazy" />`}<a href=${link(`/events/${event.id}/`)}>${event.name}</a></h2>
      <p class="quiet"><${Time} at=${nextShowing(event) ?? event.created_at} /> · ${event.club_name}</p>
    </li>`)}</ul>
    <p class="row">
      ${page > 1 && html`<button onClick=${() => setQuery({ page: page > 2 ? page - 1 : "" }, { step: true })}>${t("previous")}</button>`}
      ${found.next && html`<button onClick=${() => setQuery({ page: page + 1 }, { step: true })}>${t("next")}</button>`}
    </p>`);
}

/** All events at all times, page by page: a month shows old and coming showings. */
function useAll(search) {
  const state = useSignal(/** @type {{data?: {results: import("../api").Schemas["EventBody"][]}, error: any}} */ ({ error: null }));
  const load = async () => {
    const asked = new URLSearchParams({ earliest_start_time: "2000-01-01T00:00:00Z", page_size: "100" });
    if (search) asked.set("search", search);
    try {
      const results = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const found = await get(`/events/?${asked}&page=${page}`);
        results.push(...found.results);
        if (!found.next) break;
      }
      state.value = { data: { results }, error: null };
    } catch (error) {
      state.value = { ...state.value, error };
    }
  };
  useEffect(() => void load(), [search]);
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

function Month() {
  const query = address.value.query;
  const [year, month] = (query.get("month") ?? "").split("-").map(Number);
  const today = new Date();
  const first = new Date(year || today.getFullYear(), month ? month - 1 : today.getMonth(), 1);
  const days = daysOf(first);
  const events = useAll(query.get("search") ?? "");
  const go = (by) => {
    const to = new Date(first.getFullYear(), first.getMonth() + by, 1);
    setQuery({ month: `${to.getFullYear()}-${String(to.getMonth() + 1).padStart(2, "0")}` });
  };
  const name = new Intl.DateTimeFormat(language.value, { month: "long", year: "numeric" }).format(first);
  const weekday = new Intl.DateTimeFormat(language.value, { weekday: "short" });
  const isOn = (day) => (event) =>
    event.showings.some((showing) => {
      const next = new Date(day);
      next.setDate(next.getDate() + 1);
      const start = Date.parse(showing.start_time);
      // What ends at midnight is not on the next day; what takes no time is on its own day.
      return start < next.getTime() && Math.max(Date.parse(showing.end_time), start + 1) > day.getTime();
    });
  const weeks = Array.from({ length: days.length / 7 }, (_, n) => days.slice(n * 7, n * 7 + 7));
  return html`
    <p class="row middle">
      <button onClick=${() => go(-1)}>${t("previous")}</button><b role="status">${name}</b><button onClick=${() => go(1)}>${t("next")}</button>
    </p>
    ${loaded(events, (found) => html`<div class="scroll" tabindex="0" role="region" aria-label=${name}><table class="month">
      <thead><tr>${days.slice(0, 7).map((day) => html`<th scope="col">${weekday.format(day)}</th>`)}</tr></thead>
      <tbody>${weeks.map((week) => html`<tr>${week.map((day) => html`<td class=${day.toDateString() === today.toDateString() ? "today" : ""}>
        <span class="quiet">${day.getDate()}</span>
        ${found.results.filter(isOn(day)).map((event) => html`<div><a href=${link(`/events/${event.id}/`)}>${event.name}</a></div>`)}
      </td>`)}</tr>`)}</tbody>
    </table></div>`)}`;
}
