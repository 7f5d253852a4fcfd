// `/events/`: events of all clubs, as an agenda, a week and a month.

import { html } from "../parts/kit.js";
import { Month, Week, dayOf } from "../parts/event_calendar.js";
import { Agenda } from "../parts/event_list.js";
import { loaded, useLoad, useSearch } from "../parts/load.js";
import { Pages, useFirst } from "../parts/pager.js";
import { url } from "../parts/path.js";
import { address, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Empty, Icon, Title } from "../parts/ui.js";

const TYPES = [1, 2, 3, 4, 5, 6, 0];
const VIEWS = ["list", "week", "month"];

export default function Events() {
  const query = address.value.query;
  const words = useSearch(query.get("search") ?? "", (search) => setQuery({ search, page: "" }));
  const view = VIEWS.find((one) => one === query.get("view")) ?? "list";
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
          ${VIEWS.map(
            (one) => html`<button type="button" key=${one} aria-pressed=${one === view}
            onClick=${() => setQuery({ view: one === "list" ? "" : one, page: "" })}>
            ${t(`events.${one}`)}</button>`,
          )}</span>
        <${Filters} query=${query} view=${view} />
      </div></form>
    ${
      view === "month"
        ? html`<${Month} wanted=${wanted()} />`
        : view === "week"
          ? html`<${Week} wanted=${wanted()} />`
          : html`<${List} />`
    }`;
}

/** What kind, of which club, and in the list between which days. */
function Filters({ query, view }) {
  const change = (name) => (event) => setQuery({ [name]: event.currentTarget.value, page: "" });
  const code = query.get("club") ?? "";
  const club = useLoad(code ? url`/clubs/${code}/` : "");
  const day = (name) => html`<label class="line">${t(`events.${name}`)} <input type="date"
    value=${query.get(name) ?? ""} onChange=${change(name)} /></label>`;
  return html`<select aria-label=${t("event.type")} value=${query.get("type") ?? ""}
      onChange=${change("type")}>
      <option value="">${t("event.type")}</option>
      ${TYPES.map((type) => html`<option value=${type}>${t(`event.type.${type}`)}</option>`)}
    </select>
    ${
      code &&
      html`<button type="button" class="chip" onClick=${() => setQuery({ club: "", page: "" })}
        aria-label=${t("events.club.remove", { club: club.data?.name ?? code })}>
        ${club.data?.name ?? code} <${Icon} name="x" /></button>`
    }
    ${view === "list" && [day("from"), day("to")]}`;
}

/** What is asked for: the search, the kind and the club. */
function wanted() {
  const { query } = address.value;
  const asked = new URLSearchParams();
  for (const [name, parameter] of [
    ["search", "search"],
    ["type", "type"],
    ["club", "club__code"],
  ]) {
    const value = query.get(name);
    if (value) asked.set(parameter, value);
  }
  return asked;
}

function List() {
  const { query } = address.value;
  const page = Number(query.get("page") ?? 1);
  const asked = wanted();
  asked.set("page_size", "30");
  asked.set("ordering", "next_start_time");
  asked.set("page", String(page));
  const from = dayOf(query.get("from"));
  const to = dayOf(query.get("to"));
  // Without a first day, what is over does not come first, unless it is asked for.
  const today = new Date(new Date().setHours(0, 0, 0, 0));
  const first = from ?? (to && to >= today ? today : null);
  if (first) asked.set("from", first.toISOString());
  if (to) asked.set("until", new Date(to.setHours(23, 59, 59)).toISOString());
  const events = useLoad(`/events/?${asked}`);
  useFirst(events, page);
  return loaded(
    events,
    (found) => html`
    <p role="status" class="quiet small">${t("events.count", { n: found.count })}</p>
    ${found.count === 0 && html`<${Empty} icon="calendar"><p>${t("events.none")}</p><//>`}
    ${
      found.results.length > 0 &&
      html`<div class="card"><${Agenda} events=${found.results}
      level=${2} from=${from ?? undefined} /></div>`
    }
    <${Pages} page=${page} next=${found.next} isStale=${events.isStale} />`,
  );
}
