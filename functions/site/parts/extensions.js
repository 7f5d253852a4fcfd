// Extensions: people who may submit after the end of an application.

import { html } from "./kit.js";
import { post, remove } from "./api.js";
import { Form } from "./form.js";
import { FindPeople } from "./people.js";
import { t } from "./texts.js";
import { loaded, useLoad } from "./load.js";
import { Action, Time, confirmed } from "./ui.js";

/** @param {{path: `/clubs/${string}/applications/${string}/extensions/`, end: string}} props */
export function Extensions({ path, end }) {
  const extensions = useLoad(path);
  const fields = [
    {
      name: "username",
      label: t("extensions.person"),
      kind: /** @type {const} */ ("own"),
      show: (field) => html`<p class="flat">${field.value && html`<b>${field.value}</b>`}</p>
        <${FindPeople} id=${`${field.id}-find`} label=${t("members.search")}
          show=${(person, clear) => html`<button type="button" onClick=${() => {
            field.change(person.username);
            clear();
          }} aria-label=${`${t("extensions.choose")}: ${person.name}`}>${t("extensions.choose")}
            </button>`} />`,
    },
    { name: "end_time", label: t("extensions.end"), kind: "time" },
  ];
  const takeBack = (one) => async () => {
    if (!confirmed(t("extensions.delete.sure", { name: one.username }))) return false;
    await remove(`${path}${one.id}/`).then(extensions.reload);
  };
  return html`
    ${loaded(
      extensions,
      (all) =>
        html`<ul>${all.map(
          (one) => html`<li key=${one.id}>${one.username}: <${Time} at=${one.end_time} zoned />
      <${Action} className="danger" run=${takeBack(one)}
        done=${t("extensions.deleted")} label=${`${t("extensions.delete")}: ${one.username}`}>
          ${t("extensions.delete")}<//></li>`,
        )}</ul>`,
      1,
    )}
    <details class="card"><summary>${t("extensions.new")}</summary>
      <${Form} name=${`new-${path}`} fields=${fields} data=${{ username: "", end_time: end }} whole
        send=${(values) => post(path, values)} stored=${extensions.reload}
          submit=${t("extensions.new")} /></details>`;
}
