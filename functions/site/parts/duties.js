// What waits for somebody, as the service counts it: the same on the home page and in a club.

import { html } from "./kit.js";
import { link } from "./router.js";
import { t } from "./texts.js";
import { Icon } from "./ui.js";

/** @typedef {import("../api").Schemas["DutyBody"]} Duty */

/**
 * What there is to do, in words.
 * @param {Duty} duty
 */
export function dutyText({ kind, count, has_more, application }) {
  const text = t(`duty.${kind}`, { n: count });
  const whole = has_more ? t("duty.more", { text }) : text;
  return application ? `${application.name}: ${whole}` : whole;
}

/**
 * Each duty leads to exactly those that it counts.
 * @param {{all: Duty[]}} props
 */
export const Duties = ({ all }) =>
  html`<ul class="duties">${all.map(
    (duty) => html`<li key=${duty.link}><a href=${link(duty.link)}>${dutyText(duty)}
      <${Icon} name="chevron-right" /></a></li>`,
  )}</ul>`;
