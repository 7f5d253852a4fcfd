// The form of one resource of the API in a `<details>` element. The resource is loaded when the
// element is opened, and changed and deleted with the version that was shown.

import { html, useSignal } from "./kit.js";
import { call } from "./api.js";
import { Form } from "./form.js";
import { t } from "./texts.js";
import { loaded, orReload, useLoad } from "./load.js";
import { Action, confirmed } from "./ui.js";

/**
 * @param {object} props
 * @param {import("../api").OfEntity} props.path path of the resource
 * @param {any} props.summary what is shown while the element is closed
 * @param {string} props.name how the resource is called in questions and for screen readers
 * @param {any} props.fields of the form
 * @param {(thing: any) => any} [props.shape] what the form has of the resource
 * @param {(thing: any) => boolean} [props.isBusy] whether its version changes without officers
 * @param {(values: any) => any} [props.sent] what is sent for the values of the form
 * @param {() => Promise<any>} props.reload loads the list around the element again
 * @param {string} [props.sure] what is asked before it is deleted
 * @param {string} [props.inUse] what is asked if other things end with it
 * @param {string} [props.gone] what is said when it was deleted
 * @param {any} [props.children] what is shown below the form
 */
export function Entity(props) {
  const { path, summary, name, fields, shape, isBusy, sent, reload, sure, inUse, gone, children } =
    props;
  const isOpen = useSignal(false);
  const thing = useLoad(isOpen.value ? path : "");
  const version = () => (thing.data && isBusy?.(thing.data) ? {} : { etag: thing.etag });
  const save = (values) =>
    call("PATCH", path, { body: sent ? sent(values) : values, ...version() });
  const shaped = (found) => (found && shape ? shape(found) : found);
  const stored = async () => shaped((await Promise.all([thing.reload(), reload()]))[0]);
  const drop = orReload(
    async () => {
      if (!confirmed(sure ?? t("delete.sure", { name }))) return false;
      try {
        await call("DELETE", path, version());
      } catch (error) {
        if (error.code !== "in_use" || !inUse || !confirmed(inUse)) throw error;
        await call("DELETE", `${path}?force=true`, version());
      }
      await reload();
    },
    () => Promise.all([thing.reload(), reload()]),
  );
  return html`<details class="card"
    onToggle=${(event) => (isOpen.value = event.currentTarget.open)}><summary>${summary}</summary>
    ${
      isOpen.value &&
      loaded(
        thing,
        (found) => html`
      <${Form} name=${path} fields=${fields} data=${shaped(found)} send=${save}
        stored=${stored} reload=${async () => shaped(await thing.reload())} />
      ${children}
      <p><${Action} className="danger" run=${drop} done=${gone ?? t("deleted")}
        label=${`${t("delete")}: ${name}`}>${t("delete")}<//></p>`,
        3,
      )
    }
  </details>`;
}
