// A list whose entries admins add, change and delete.

import { html, useSignal } from "./kit.js";
import { post } from "./api.js";
import { Entity } from "./entity.js";
import { Form } from "./form.js";
import { t } from "./texts.js";
import { loaded, useLoad } from "./load.js";

/** More entries than this have a field to find some of them. */
const MANY = 20;

/**
 * @param {object} props
 * @param {import("../api").Lookups | "/clubfairs/?all=true"} props.path the list, below `/api`
 * @param {string} props.title the field that names an entry
 * @param {import("./form.js").FieldOf[]} props.fields
 * @param {any} props.empty what a new entry begins with
 * @param {(entry: any, reload: () => any) => any} [props.more] what else is shown of an entry
 */
export function Entries({ path, title, fields, empty, more }) {
  const list = useLoad(path);
  const words = useSignal("");
  const base = /** @type {import("../api").Lookups} */ (path.split("?")[0]);
  const fits = (one) => one[title].toLowerCase().includes(words.value.trim().toLowerCase());
  const entry = (one) => html`<${Entity} key=${one.id} path=${`${base}${one.id}/`}
    summary=${one[title]} name=${one[title]} fields=${fields} reload=${list.reload}>
    ${more?.(one, list.reload)}<//>`;
  return html`
    <details class="card" open><summary>${t("lists.new")}</summary>
      <${Form} name=${`new-${base}`} fields=${fields} data=${empty} whole
        send=${(values) => post(base, values)} stored=${list.reload} submit=${t("lists.add")} />
          </details>
    ${loaded(
      list,
      (
        all,
      ) => html`<div class="row middle"><p role="status">${t("lists.count", { n: all.length })}</p>
      ${
        all.length > MANY &&
        html`<input type="search" aria-label=${t("search")}
        value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} />`
      }
          </div>
      ${all.filter(fits).map(entry)}`,
    )}`;
}
