// `/events/{event}/`: an event with its showings.

import { html, useSignal } from "../parts/kit.js";
import { get, now } from "../parts/api.js";
import { Cover } from "../parts/club_card.js";
import { Day } from "../parts/event_list.js";
import { download } from "../parts/files.js";
import { loaded, useLoad } from "../parts/load.js";
import { split } from "../parts/past.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { TicketSale } from "../parts/ticket_sale.js";
import { Action, Chip, Empty, Icon, Mono, Past, Rich, Time, Title } from "../parts/ui.js";

/** Saves all times, with the places that whoever is signed in may see. */
async function saveCalendar(event) {
  const text = await get(url`/events/${event.id}.ics`);
  download("event.ics", text, "text/calendar");
}

export default function Event({ event: id }) {
  const event = useLoad(url`/events/${id}/`);
  return loaded(
    event,
    (found) => html`
    ${
      found.large_image_url
        ? html`<a href=${found.large_image_url} target="_blank" rel="noopener"
            aria-label=${[found.image_alt, t("event.picture")].filter(Boolean).join(": ")}><img class="picture"
              src=${found.large_image_url} alt=${found.image_alt} /></a>`
        : html`<${Cover} club=${{ code: found.club, name: found.name }} size="big" />`
    }
    <div class="head" style=${{ marginTop: "16px" }}><div><${Title}>${found.name}<//>
      <p class="line"><${Mono} code=${found.club} name=${found.club_name}
        image=${found.club_image_url} size="tiny" />
        <a href=${link(url`/clubs/${found.club}/`)}>${found.club_name}</a> <${Chip}>
          ${t(`event.type.${found.type}`)}<//></p></div></div>
    <div class="two turned">
      <section><h2>${t("event.showings")}</h2>
        ${
          found.showings.length === 0 &&
          html`<${Empty} icon="calendar"><p>${t("events.unplanned")}
          </p><//>`
        }
        ${
          found.showings.length > 0 &&
          html`<${Showings} event=${found.id} all=${found.showings} />
          <p><${Action} run=${() => saveCalendar(found)}><${Icon} name="calendar-plus" />
            ${t("event.calendar")}<//></p>`
        }</section>
      <section><h2>${t("event.about")}</h2><${Rich} text=${found.description} />
        ${
          found.url &&
          html`<p><a class="button" href=${found.url} target="_blank"
          rel="noopener noreferrer">${t("event.url")} <${Icon} name="external-link" /></a></p>`
        }
            </section></div>`,
    6,
    true,
  );
}

/** The next showing stands first and large, then the others that come. Those that are over fold. */
function Showings({ event, all }) {
  const { coming, past } = split(all);
  const [next, ...later] = coming;
  const list = (some) =>
    html`<ul class="list">${some.map(
      (one) => html`<${Showing} key=${one.id} event=${event} showing=${one} />`,
    )}</ul>`;
  return html`${
    next
      ? html`<div class="card next"><ul class="list"><${Showing}
        event=${event} showing=${next} isNext /></ul></div>`
      : html`<p class="quiet">${t("event.over")}</p>`
  }
    ${later.length > 0 && html`<div class="card">${list(later)}</div>`}
    <${Past} all=${past} show=${(one) => list([one])} />`;
}

/** A showing. Its tickets are asked for when it is the next one, or when somebody opens them. */
function Showing({ event, showing, isNext }) {
  const isOpen = useSignal(Boolean(isNext));
  const hasTickets = showing.ticketed && Date.parse(showing.end_time) > now();
  return html`<li class="day">
  <${Day} at=${showing.start_time} />
  <div><h3><${Time} at=${showing.start_time} zoned /></h3>
    <p class="quiet small">${t("event.until")} <${Time} at=${showing.end_time} /></p>
    ${showing.location && html`<p class="line"><${Icon} name="map-pin" /> ${showing.location}</p>`}
    ${
      hasTickets &&
      !isOpen.value &&
      html`<p><button onClick=${() => (isOpen.value = true)}><${Icon} name="ticket" />
        ${t("sale")}</button></p>`
    }</div>
    ${
      hasTickets && isOpen.value && html`<${TicketSale} event=${event} showing=${showing.id} />`
    }</li>`;
}
