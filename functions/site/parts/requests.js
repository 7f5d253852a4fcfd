// The requests to join a club, for its officers.

import { html } from "./kit.js";
import { post, remove } from "./api.js";
import { useLoad } from "./load.js";
import { url } from "./path.js";
import { t } from "./texts.js";
import { Action, Problem, Time, confirmed } from "./ui.js";

/** @param {{code: string, changed: () => any}} props */
export function Requests({ code, changed }) {
  const requests = useLoad(url`/clubs/${code}/membershiprequests/`);
  const accept = (one) => async () => {
    await post(url`/clubs/${code}/members/`, { person: one.person });
    await Promise.all([requests.reload(), changed()]);
  };
  const decline = (one) => async () => {
    if (!confirmed(t("manage.decline.sure", { name: one.name }))) return false;
    await remove(url`/clubs/${code}/membershiprequests/${one.id}/`);
    await requests.reload();
  };
  if (requests.error) return html`<${Problem} error=${requests.error} retry=${requests.reload} />`;
  if (!requests.data?.length) return null;
  return html`<section><h2>${t("memberships.requests")}</h2>
    <ul class="cards">${requests.data.map(
      (one) => html`<li key=${one.id}>
      <h3>${one.name}</h3>
      <p class="quiet small">${one.email} · <${Time} at=${one.created_at} /></p>
      <p class="row">
        <${Action} className="main" run=${accept(one)} done=${t("manage.accepted", one)}
          label=${`${t("manage.accept")}: ${one.name}`}>${t("manage.accept")}<//>
        <${Action} run=${decline(one)} done=${t("manage.declined")}
          label=${`${t("manage.decline")}: ${one.name}`}>${t("manage.decline")}<//>
      </p></li>`,
    )}</ul></section>`;
}
