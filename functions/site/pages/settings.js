// `/settings/`: the profile of the caller, reminders, the calendar, the export, and the erasure.

import { html } from "../parts/kit.js";
import { call } from "../parts/api.js";
import { signOut } from "../parts/auth.js";
import { config } from "../parts/config.js";
import { download } from "../parts/files.js";
import { Form } from "../parts/form.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Undelivered } from "../parts/undelivered.js";
import { loaded, problems, useLoad } from "../parts/load.js";
import { Action, Icon, Title, confirmed } from "../parts/ui.js";

export default function Settings() {
  const settings = useLoad("/settings/");
  return html`
    <${Title}>${t("nav.settings")}<//>
    ${loaded(
      settings,
      (found) => html`<${Profile} settings=${found} etag=${settings.etag}
      reload=${settings.reload} />`,
    )}
    ${
      config.second_factor &&
      html`<p><a class="button" href=${link("/settings/second-factor/")}>${t("factor")}</a></p>`
    }
    ${loaded(
      settings,
      (found) => html`<${Undelivered} of=${found.undelivered} />
      <${Notices} notices=${found.notices} etag=${settings.etag}
      reload=${settings.reload} />`,
    )}
    <${Calendar} />
    <section><h2>${t("tokens")}</h2><p>${t("tokens.short")}</p>
      <p><a class="button" href=${link("/settings/tokens/")}>${t("tokens")}</a></p></section>
    <section><h2>${t("settings.data")}</h2>
      <p><${Action} run=${save}>${t("settings.export")}<//></p>
    </section>
    <section><h2>${t("settings.erase")}</h2>
      <p>${t("settings.erase.about")}</p>
      <p><${Action} className="danger" run=${erase}>${t("settings.erase")}<//></p>
    </section>`;
}

function Profile({ settings, etag, reload }) {
  const schools = useLoad("/schools/");
  const majors = useLoad("/majors/");
  const named = (all) => (all.data ?? []).map((one) => [one.id, one.name]);
  const fields = [
    { name: "graduation_year", label: t("settings.year"), kind: "number" },
    { name: "school", label: t("settings.school"), kind: "many", options: named(schools) },
    { name: "major", label: t("settings.major"), kind: "many", options: named(majors) },
  ];
  return html`
    <dl><dt>${t("settings.name")}</dt><dd>${settings.name}</dd>
      <dt>${t("settings.username")}</dt><dd>${settings.username}</dd>
      <dt>${t("email")}</dt><dd>${settings.email}</dd></dl>
    ${problems(schools, majors)}
    <${Form} name="profile" fields=${fields} data=${settings}
      send=${(values) => call("PATCH", "/settings/", { body: values, etag })} stored=${reload}
        reload=${reload} />`;
}

/** Which reminders and news the person gets. */
function Notices({ notices, etag, reload }) {
  const fields = ["drafts", "interviews", "events", "news"].map((name) => ({
    name,
    label: t(`notices.${name}`),
    kind: /** @type {const} */ ("check"),
  }));
  const send = ({ news, ...others }) => {
    const rhythm =
      news === undefined ? {} : { news: /** @type {"weekly" | "off"} */ (news ? "weekly" : "off") };
    return call("PATCH", "/settings/", { body: { notices: { ...others, ...rhythm } }, etag });
  };
  return html`<section><h2>${t("notices")}</h2>
    <${Form} name="notices" fields=${fields} data=${{ ...notices, news: notices.news === "weekly" }}
      send=${send} stored=${reload}
      reload=${async () => {
        const found = await reload();
        return found && { ...found.notices, news: found.notices.news === "weekly" };
      }} /></section>`;
}

/** The address of the person's calendar, which other programs read without signing in. */
function Calendar() {
  const found = useLoad("/settings/calendar/");
  const renew = async () => {
    if (!confirmed(t("calendar.renew.sure"))) return false;
    found.take(await call("POST", "/settings/calendar/"));
  };
  return html`<section><h2>${t("calendar")}</h2><p>${t("calendar.about")}</p>
    ${loaded(
      found,
      ({ url }) => html`<p><input readonly aria-label=${t("calendar.address")} value=${url}
        onFocus=${(event) => event.currentTarget.select()} /></p>
        <p class="row">
        <a class="button" href=${url.replace(/^https?:/, "webcal:")}><${Icon}
          name="calendar" /> ${t("calendar.open")}</a>
        <${Action} run=${() => navigator.clipboard.writeText(url)} done=${t("copied")}><${Icon}
          name="link" /> ${t("calendar.copy")}<//>
        <${Action} run=${renew} done=${t("saved")}>${t("calendar.renew")}<//></p>`,
    )}</section>`;
}

/** Saves everything that is stored about the caller as a file. */
async function save() {
  const first = await call("GET", "/settings/export/");
  const data = first.data;
  // Long answers come in parts.
  for (let next = first.next; next; ) {
    const part = await call("GET", /** @type {"/settings/export/"} */ (next));
    data.submissions.push(...part.data.submissions);
    next = part.next;
  }
  download("clubs-export.json", JSON.stringify(data, null, 2), "application/json");
}

async function erase() {
  if (!confirmed(t("settings.erase.sure"))) return false;
  try {
    await call("DELETE", "/settings/");
  } catch (error) {
    // The clubs that nobody else owns are deleted only if the person says so.
    if (
      error.code !== "last_owner" ||
      !confirmed(`${error.message} ${t("settings.erase.archive")}`)
    )
      throw error;
    await call("DELETE", "/settings/?archive=true");
  }
  await signOut({ isAsked: false });
}
