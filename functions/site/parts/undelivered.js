// A mail that did not arrive, where whoever must know looks.

import { html } from "./kit.js";
import { t } from "./texts.js";
import { Action, Chip } from "./ui.js";

/**
 * The last mail about something that did not arrive. Officers can send it again.
 * @param {{ of: import("../api").Schemas["UndeliveredBody"] | null | undefined,
 *   again?: () => Promise<unknown> }} props
 */
export function Undelivered({ of: shown, again }) {
  if (!shown) return null;
  return html`<p class="line"><${Chip} kind="problem" icon="circle-alert">${t("undelivered", {
    mail: t(`undelivered.${shown.type}`),
  })}<//>
    ${
      again &&
      html`<${Action} run=${again} done=${t("undelivered.sent")}>${t("undelivered.again")}<//>`
    }</p>`;
}
