// The recruitment in numbers: bars that are a table as well.

import { html } from "./kit.js";
import { moment, t } from "./texts.js";

function counted(all, name) {
  const counts = new Map();
  for (const one of all) counts.set(name(one), (counts.get(name(one)) ?? 0) + 1);
  return [...counts];
}

/** Counts as bars. Each bar stands beside its number, so the table says the same. */
function Bars({ caption, counts }) {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  return html`<table class="bars"><caption>${caption}</caption><tbody>
    ${counts.map(([label, count]) => html`<tr key=${label}>
      <th scope="row">${label}</th><td>${count}</td>
      <td aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect width=${(100 * count) / most} height="10" rx="1" /></svg></td>
    </tr>`)}
  </tbody></table>`;
}

export function Overview({ all }) {
  const days = counted([...all].sort((a, b) => (a.created_at < b.created_at ? -1 : 1)), (one) => moment(one.created_at, { day: true }));
  return html`<details class="card"><summary>${t("overview")}</summary><div class="overview">
    <${Bars} caption=${t("overview.days")} counts=${days} />
    <${Bars} caption=${t("overview.committees")} counts=${counted(all, (one) => one.committee?.name ?? t("apply.committee.none"))} />
    <${Bars} caption=${t("overview.statuses")} counts=${counted(all, (one) => t(`status.${one.status}`))} />
    <${Bars} caption=${t("overview.reviews")} counts=${counted(all, (one) => t("overview.reviews.count", { n: one.review_count ?? 0 }))} />
    <${Bars} caption=${t("overview.mails")} counts=${counted(all, (one) => t(`mail.${one.email_status ?? "none"}`))} />
  </div></details>`;
}
