// `/settings/`: the profile of the caller, the export, and the erasure.

import { html, useSignal } from "../parts/kit.js";
import { NO_ERRORS, call, get, patch } from "../parts/api.js";
import { signOut } from "../parts/auth.js";
import { t } from "../parts/texts.js";
import { Action, Field, Title, confirmed, loaded, useLoad } from "../parts/ui.js";

export default function Settings() {
  const settings = useLoad("/settings/");
  return html`
    <${Title}>${t("nav.settings")}<//>
    ${loaded(settings, (found) => html`<${Profile} key=${settings.etag} settings=${found} reload=${settings.reload} />`)}
    <section><h2>${t("settings.data")}</h2>
      <p><${Action} run=${download}>${t("settings.export")}<//></p>
    </section>
    <section><h2>${t("settings.erase")}</h2>
      <p>${t("settings.erase.about")}</p>
      <p><${Action} className="danger" run=${erase}>${t("settings.erase")}<//></p>
    </section>`;
}

function Profile({ settings, reload }) {
  const schools = useLoad("/schools/");
  const majors = useLoad("/majors/");
  const year = useSignal(settings.graduation_year ?? "");
  const chosen = useSignal({ school: [...settings.school], major: [...settings.major] });
  const errors = useSignal(NO_ERRORS);
  const save = async () => {
    try {
      const body = { graduation_year: year.value === "" ? null : Number(year.value), ...chosen.value };
      await patch("/settings/", body);
      errors.value = {};
      await reload();
    } catch (error) {
      errors.value = error.fields ?? {};
      throw error;
    }
  };
  const choices = (name, all) => html`<fieldset><legend>${t(`settings.${name}`)}</legend>
    ${all.data?.map((one) => html`<p><label class="check"><input type="checkbox" checked=${chosen.value[name].includes(one.id)} onChange=${(event) => {
      const others = chosen.value[name].filter((id) => id !== one.id);
      chosen.value = { ...chosen.value, [name]: event.currentTarget.checked ? [...others, one.id] : others };
    }} /> ${one.name}</label></p>`)}
    ${errors.value[name]?.map((text) => html`<p class="message" role="alert">${text}</p>`)}
  </fieldset>`;
  return html`
    <dl><dt>${t("settings.name")}</dt><dd>${settings.name}</dd>
      <dt>${t("settings.username")}</dt><dd>${settings.username}</dd>
      <dt>${t("email")}</dt><dd>${settings.email}</dd></dl>
    <${Field} id="year" label=${t("settings.year")} errors=${errors.value.graduation_year}>
      <input id="year" inputmode="numeric" value=${year.value} onInput=${(event) => (year.value = event.currentTarget.value)} />
    <//>
    ${choices("school", schools)} ${choices("major", majors)}
    <p><${Action} className="main" run=${save} done=${t("saved")}>${t("save")}<//></p>`;
}

/** Saves everything that is stored about the caller as a file. */
async function download() {
  const data = await get("/settings/export/");
  const file = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(file);
  anchor.download = "clubs-export.json";
  anchor.click();
}

async function erase() {
  if (!confirmed(t("settings.erase.sure"))) return false;
  try {
    await call("DELETE", "/settings/");
  } catch (error) {
    // The clubs that nobody else owns are deleted only if the person says so.
    if (error.code !== "last_owner" || !confirmed(`${error.message} ${t("settings.erase.archive")}`)) throw error;
    await call("DELETE", "/settings/?archive=true");
  }
  signOut();
}
