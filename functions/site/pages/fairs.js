// `/fairs/`: club fairs, for everybody. Officers register their clubs here.

import { html, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { isSignedIn } from "../parts/auth.js";
import { OFFICER } from "../parts/me.js";
import { split } from "../parts/past.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded, useLoad } from "../parts/load.js";
import { Action, Mono, Past, Rich, Time, Title } from "../parts/ui.js";

/** Whether clubs can be registered now. */
export const isOpen = (fair) =>
  (!fair.registration_start_time || Date.parse(fair.registration_start_time) <= Date.now()) &&
  Date.parse(fair.registration_end_time ?? fair.end_time) > Date.now();

export default function Fairs() {
  const fairs = useLoad("/clubfairs/");
  const own = useLoad(isSignedIn.value ? "/memberships/" : "");
  const clubs = (own.data ?? []).filter((one) => one.role <= OFFICER);
  const show = (fair) => html`<${Fair} key=${fair.id} fair=${fair} clubs=${clubs}
    reload=${fairs.reload} />`;
  return html`<${Title}>${t("fairs")}<//>
    ${loaded(
      fairs,
      (all) => html`
      ${all.length === 0 && html`<p class="quiet">${t("fairs.none")}</p>`}
      ${split(all).coming.map(show)}<${Past} all=${split(all).past} show=${show} />`,
    )}`;
}

function Fair({ fair, clubs, reload }) {
  return html`<article class="card">
    <h2>${fair.name}</h2>
    <p><${Time} at=${fair.start_time} zoned /> ${t("event.until")} <${Time} at=${fair.end_time} />
      </p>
    <p class="quiet">
      ${[fair.organization, fair.contact, fair.virtual && t("fairs.virtual")]
        .filter(Boolean)
        .join(" · ")}</p>
    <${Rich} text=${fair.information} />
    <h3>${t("clubs.count", { n: fair.clubs.length })}</h3>
    <p class="tags">${fair.participants.map(
      (club) => html`<a class="tag" key=${club.code} href=${link(url`/clubs/${club.code}/`)}>
        <${Mono} code=${club.code} name=${club.name} image=${club.image_url} size="tiny" />
        <span class="cut">${club.name}</span></a>`,
    )}</p>
    ${
      isOpen(fair) &&
      clubs.length > 0 &&
      html`<${Register} fair=${fair} clubs=${clubs}
      reload=${reload} />`
    }
  </article>`;
}

/** Registers one of the caller's clubs, or takes it off again. */
function Register({ fair, clubs, reload }) {
  const chosen = useSignal(clubs[0].club_code);
  const isIn = fair.clubs.includes(chosen.value);
  const register = async () => {
    await post(url`/clubfairs/${fair.id}/register/`, { club: chosen.value, status: !isIn });
    await reload();
  };
  const id = `fair-${fair.id}`;
  return html`<div class="row">
    <div class="field"><label for=${id}>${t("fairs.club")}</label>
      <select id=${id} value=${chosen.value}
        onChange=${(event) => (chosen.value = event.currentTarget.value)}>
        ${clubs.map((one) => html`<option value=${one.club_code}>${one.club_name}</option>`)}
      </select></div>
    <p class="field"><${Action} className=${isIn ? "" : "main"} run=${register} done=${t("saved")}>
      ${t(isIn ? "fairs.leave" : "fairs.register")}<//></p>
  </div>
  <p class="quiet">${t("fairs.until")} <${Time} at=${fair.registration_end_time ?? fair.end_time}
    zoned /></p>`;
}
