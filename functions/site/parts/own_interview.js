// An interview of one's own, in a line, with the way to its page.

import { html } from "./kit.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { moment, t } from "./texts.js";
import { Chip } from "./ui.js";

/** @param {{of: {id: number, interview: any}}} props */
export function Interview({ of }) {
  const { slot } = of.interview;
  return html`<p class="line">${
    slot
      ? html`<${Chip} kind="good" icon="calendar">${t("interview.at", {
          time: moment(slot.start_time, { zoned: true }),
        })}<//>`
      : html`<${Chip} kind="warn" icon="calendar">${t("interview.invited")}<//>`
  }
    <a class=${slot ? "button" : "button main"}
      href=${link(url`/submissions/${of.id}/interview/`)}>
      ${t(slot ? "interview.change" : "interview.choose")}</a></p>`;
}
