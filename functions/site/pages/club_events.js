// `/clubs/{club}/events/`: the events of a club, for its officers.

import { html } from "../parts/kit.js";
import { inOrder, isOver, nextShowing } from "../parts/event_list.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Empty, Icon, Time, Title } from "../parts/ui.js";

/** What is coming in the order of time, then what is over, the last one first. */
const comingFirst = (all) => [
  ...inOrder(all.filter((one) => !isOver(one))),
  ...inOrder(all.filter(isOver)).reverse(),
];

export default function ClubEvents({ club: code }) {
  const events = useLoad(url`/clubs/${code}/events/`);
  return html`<div class="head"><${Title}>${t("nav.events")}<//>
      <span class="push"><a class="button main" href=${link(url`/clubs/${code}/events/new/`)}>
        <${Icon} name="plus" /> ${t("event.new")}</a></span></div>
    ${loaded(
      events,
      (all) =>
        all.length === 0
          ? html`<${Empty} icon="calendar"><p>${t("events.none")}</p><//>`
          : html`<ul class="places card">${comingFirst(all).map(
              (one) => html`<li key=${one.id}>
          <a href=${link(url`/clubs/${code}/events/${one.id}/`)}><${Icon} name="calendar" /><span
            class="cut">${one.name}</span>
            <span class="push quiet small">${
              nextShowing(one)
                ? html`<${Time}
              at=${nextShowing(one)} />`
                : t("events.unplanned")
            }</span></a></li>`,
            )}</ul>`,
      4,
    )}`;
}
