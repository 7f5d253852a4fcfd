// `/tickets/`: the tickets of the caller. They are kept in the browser, so that their codes are there
// without a network.

import { html } from "../parts/kit.js";
import { loaded, useParts } from "../parts/load.js";
import { split } from "../parts/past.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Ticket } from "../parts/ticket.js";
import { Empty, Past, Title } from "../parts/ui.js";

export default function Tickets() {
  const own = useParts("/tickets/");
  const show = (all) => {
    const timed = all.map((one) => ({ ...one, ...one.showing, id: one.id, showing: one.showing }));
    const { coming, past } = split(timed);
    const list = (some) =>
      html`<ul class="cards">${some.map(
        (one) => html`<${Ticket} key=${one.id} ticket=${one} reload=${own.reload} />`,
      )}</ul>`;
    return html`${
      coming.length > 0
        ? list(coming)
        : html`<${Empty} icon="ticket"><p>${t("tickets.none")}</p>
            <p><a class="button main" href=${link("/events/")}>${t("nav.events")}</a></p><//>`
    }
      <${Past} all=${past} show=${(one) => list([one])} />`;
  };
  return html`<div class="head"><${Title}>${t("nav.tickets")}<//></div>
    <p class="quiet">${t("tickets.about")}</p>${loaded(own, show)}`;
}
