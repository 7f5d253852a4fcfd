// The ways to the pages before and after, for lists.

import { html } from "./kit.js";
import { setQuery } from "./router.js";
import { t } from "./texts.js";
import { Icon } from "./ui.js";

export function Pages({ page, next }) {
  const go = (to) => () => setQuery({ page: to > 1 ? to : "" }, { step: true });
  return html`<p class="row">
    ${
      page > 1 &&
      html`<button onClick=${go(page - 1)}><${Icon}
      name="chevron-left" /> ${t("previous")}</button>`
    }
    ${
      next &&
      html`<button onClick=${go(page + 1)}>${t("next")} <${Icon} name="chevron-right" />
      </button>`
    }</p>`;
}
