// `/events/{event}/`: an event with its showings.

import { html } from "../parts/kit.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Rich, Time, Title, loaded, useLoad } from "../parts/ui.js";

export default function Event({ event: id }) {
  const event = useLoad(`/events/${id}/`);
  return loaded(event, (found) => html`
    <${Title}>${found.name}<//>
    <p><a href=${link(`/clubs/${found.club}/`)}>${found.club_name}</a></p>
    ${found.large_image_url && html`<p><img src=${found.large_image_url} alt="" style=${{ maxWidth: "100%" }} /></p>`}
    <${Rich} text=${found.description} />
    ${found.url && html`<p><a href=${found.url} target="_blank" rel="noopener noreferrer">${found.url}</a></p>`}
    <h2>${t("event.showings")}</h2>
    ${found.showings.length === 0 && html`<p class="quiet">${t("events.none")}</p>`}
    <ul class="cards">${found.showings.map((showing) => html`<li key=${showing.id}>
      <h3><${Time} at=${showing.start_time} zoned /></h3>
      <p class="quiet">${t("event.until")} <${Time} at=${showing.end_time} /></p>
      <p>${showing.location}</p>
    </li>`)}</ul>`, 6, true);
}
