// The ways to the pages before and after, for lists.

import { html, useEffect } from "./kit.js";
import { setQuery } from "./router.js";
import { t } from "./texts.js";
import { Icon, focusTitle } from "./ui.js";

/**
 * Goes to the first page if there is no such page any more, because others were deleted.
 * @param {{error: any}} list
 * @param {number} page
 */
export function useFirst(list, page) {
  useEffect(() => {
    if (list.error?.status === 404 && page !== 1) setQuery({ page: "" });
  }, [list.error]);
}

/** While the list of another page is still shown (`isStale`), the buttons do nothing. */
export function Pages({ page, next, isStale = false }) {
  const go = (to) => () => {
    if (isStale) return;
    setQuery({ page: to > 1 ? to : "" }, { step: true });
    focusTitle();
  };
  const disabled = isStale ? "true" : undefined;
  return html`<p class="row">
    ${
      page > 1 &&
      html`<button onClick=${go(page - 1)} aria-disabled=${disabled}><${Icon}
      name="chevron-left" /> ${t("previous")}</button>`
    }
    ${
      next &&
      html`<button onClick=${go(page + 1)} aria-disabled=${disabled}>${t("next")} <${Icon}
      name="chevron-right" /></button>`
    }</p>`;
}
