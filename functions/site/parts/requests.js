// The requests to join a club, for its officers.

import { html, useEffect } from "./kit.js";
import { post, remove } from "./api.js";
import { orReload, useLoad } from "./load.js";
import { url } from "./path.js";
import { t } from "./texts.js";
import { Action, Problem, Time, confirmed } from "./ui.js";

/**
 * @param {object} props
 * @param {string} props.code
 * @param {() => any} props.changed is called after somebody was accepted
 * @param {any} [props.since] with another value, the requests are loaded again
 */
export function Requests({ code, changed, since }) {
  const requests = useLoad(url`/clubs/${code}/membershiprequests/`);
  useEffect(() => void (since && requests.reload()), [since]);
  const all = () => Promise.all([requests.reload(), changed()]);
  const accept = (one) =>
    orReload(async () => {
      await post(url`/clubs/${code}/members/`, { person: one.person });
      await all();
    }, all);
  const decline = (one) =>
    orReload(async () => {
      if (!confirmed(t("manage.decline.sure", { name: one.name }))) return false;
      await remove(url`/clubs/${code}/membershiprequests/${one.id}/`);
      await requests.reload();
    }, all);
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
