// `/clubs/{club}/recruitment/`: all applications of a club, with their states and dates.

import { html } from "../parts/kit.js";
import { now } from "../parts/api.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { inOrderAt } from "../parts/states.js";
import { t } from "../parts/texts.js";
import { Empty, Icon, Time, Title } from "../parts/ui.js";
import { ApplicationState } from "./workspace.js";

export default function Recruitment({ club: code }) {
  const applications = useLoad(url`/clubs/${code}/applications/`);
  const create = html`<a class="button main" href=${link(url`/clubs/${code}/applications/new/`)}>
    <${Icon} name="plus" /> ${t("builder.new")}</a>`;
  return html`<div class="head"><${Title}>${t("place.recruitment")}<//><span class="push">${create}
    </span></div>
    ${loaded(
      applications,
      (all) =>
        all.length === 0
          ? html`<${Empty} icon="clipboard-list"><p>${t("recruitment.none")}</p><//>`
          : html`<div class="stack">${inOrderAt(all, now()).map(
              (one) => html`<${One} key=${one.id} code=${code}
            one=${one} />`,
            )}</div>`,
      4,
    )}`;
}

function One({ code, one }) {
  const base = url`/clubs/${code}/applications/${one.id}/`;
  const to = (path, icon, text) =>
    html`<a class="button plain" href=${link(base + path)} aria-label=${`${t(text)}: ${one.name}`}>
      <${Icon} name=${icon} /> ${t(text)}</a>`;
  return html`<article class="card"><div class="line"><h2 class="flat"><a href=${link(base)}>
    ${one.name}</a></h2>
      <${ApplicationState} application=${one} /></div>
    <p class="quiet small">${t("recruitment.opens")} <${Time}
      at=${one.application_start_time} /> · ${t("recruitment.closes")} <${Time}
        at=${one.application_end_time} /> · ${t("recruitment.decisions")} <${Time}
        at=${one.result_release_time} zoned /></p>
    <p class="row">
      ${to("", "table-2", "submissions")}${to("review/", "star", "review")}
      ${to("interviews/", "calendar", "interviews")}${to("mails/", "mail", "mails")}
      ${to("edit/", "pencil", "builder.edit")}
      <a class="button plain" href=${link(`${url`/clubs/${code}/poster/`}?application=${one.id}`)}
        aria-label=${`${t("poster")}: ${one.name}`}><${Icon} name="qr-code" /> ${t("poster")}</a>
      </p></article>`;
}
