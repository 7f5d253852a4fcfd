// `/admin/fairs/`: all club fairs, with the clubs that are registered.

import { html } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { Entries } from "../parts/entries.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Title } from "../parts/ui.js";

const EMPTY = {
  name: "",
  organization: "",
  contact: "",
  information: "",
  virtual: false,
  start_time: null,
  end_time: null,
  registration_start_time: null,
  registration_end_time: null,
};

export default function AdminFairs() {
  const fields = [
    { name: "name", label: t("edit.name") },
    { name: "start_time", label: t("event.start"), kind: "time" },
    { name: "end_time", label: t("event.end"), kind: "time" },
    { name: "registration_start_time", label: t("fairs.from"), kind: "time" },
    { name: "registration_end_time", label: t("fairs.until"), kind: "time" },
    { name: "organization", label: t("fairs.organization") },
    { name: "contact", label: t("fairs.contact") },
    { name: "virtual", label: t("fairs.virtual"), kind: "check" },
    { name: "information", label: t("edit.description"), kind: "rich" },
  ];
  return html`<${Title}>${t("fairs")}<//>
    <p><a href=${link("/admin/")}>${t("admin")}</a></p>
    <${Entries} path="/clubfairs/?all=true" title="name" fields=${fields} empty=${EMPTY}
      more=${(fair, reload) => html`<${Registered} fair=${fair} reload=${reload} />`} />`;
}

/** The clubs of a fair. Here also deleted ones are taken off, and those of fairs that are over. */
function Registered({ fair, reload }) {
  const off = (code) => async () => {
    await post(url`/clubfairs/${fair.id}/register/`, { club: code, status: false });
    await reload();
  };
  return html`<h3>${t("clubs.count", { n: fair.clubs.length })}</h3>
    <ul class="list">${fair.clubs.map((code) => {
      // A deleted club has no name here.
      const name = fair.participants.find((one) => one.code === code)?.name ?? code;
      return html`<li key=${code} class="row"><a href=${link(url`/clubs/${code}/`)}>${name}</a>
      <${Action} className="push" run=${off(code)} label=${`${t("fairs.leave")}: ${name}`}>
        ${t("fairs.leave")}<//></li>`;
    })}</ul>`;
}
