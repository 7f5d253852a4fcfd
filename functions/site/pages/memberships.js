// `/memberships/`: the clubs of the caller, and their requests to join.

import { html } from "../parts/kit.js";
import { call, patch, remove } from "../parts/api.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Time, Title, confirmed, loaded, say, useLoad } from "../parts/ui.js";

export default function Memberships() {
  const own = useLoad("/memberships/");
  const requests = useLoad("/requests/membership/");
  return html`
    <${Title}>${t("nav.memberships")}<//>
    ${loaded(own, (all) => html`
      ${all.length === 0 && html`<p>${t("memberships.none")} <a href=${link("/clubs/")}>${t("nav.clubs")}</a></p>`}
      <ul class="cards">${all.map((one) => html`<${Membership} key=${one.id} one=${one} reload=${own.reload} />`)}</ul>`)}
    <h2>${t("memberships.requests")}</h2>
    ${loaded(requests, (all) => (all.length === 0
      ? html`<p class="quiet">${t("memberships.requests.none")}</p>`
      : html`<ul class="cards">${all.map((one) => html`<li key=${one.id}>
          <h3><a href=${link(`/clubs/${one.club}/`)}>${one.club}</a></h3>
          <p class="quiet">${t("memberships.asked")} <${Time} at=${one.created_at} /></p>
          <p><${Action} run=${async () => {
            await remove(`/requests/membership/${one.club}/`);
            await requests.reload();
          }} done=${t("club.asked.withdrawn")}>${t("withdraw")}<//></p>
        </li>`)}</ul>`), 2)}`;
}

function Membership({ one, reload }) {
  const path = /** @type {const} */ (`/clubs/${one.club_code}/members/${one.id}/`);
  const toggle = (name) => async (event) => {
    try {
      await patch(path, { [name]: event.currentTarget.checked });
    } catch (error) {
      say(error.message, "problem");
    }
    await reload();
  };
  const leave = async () => {
    if (!confirmed(t("memberships.leave.sure", { club: one.club_name }))) return false;
    await call("DELETE", path);
    await reload();
  };
  return html`<li>
    <h2><a href=${link(`/clubs/${one.club_code}/`)}>${one.club_name}</a></h2>
    <p><span class="state">${t(`role.${one.role}`)}</span> ${one.title}</p>
    <p><label class="check"><input type="checkbox" checked=${one.public} onChange=${toggle("public")} /> ${t("memberships.public")}</label></p>
    <p><label class="check"><input type="checkbox" checked=${one.active} onChange=${toggle("active")} /> ${t("memberships.active")}</label></p>
    <p><${Action} className="danger" run=${leave} done=${t("memberships.left")}>${t("memberships.leave")}<//></p>
  </li>`;
}
