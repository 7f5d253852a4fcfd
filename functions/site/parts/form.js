// A form for one thing of the API. What is typed stays in the tab until it is stored. Errors are
// shown beside their fields. If somebody else changed the same thing, both versions are shown.

import { html, useEffect, useMemo, useSignal, without } from "./kit.js";
import { NO_ERRORS } from "./api.js";
import { person } from "./auth.js";
import { Editor } from "./editor.js";
import { leaving } from "./router.js";
import { t, zone } from "./texts.js";
import { Action, Field } from "./ui.js";

/**
 * @typedef {object} FieldOf One field. `name` is that of the API.
 * @property {string} name
 * @property {"text" | "area" | "rich" | "number" | "check" | "time" | "choice" | "many" | "color" | "own"} [kind]
 * @property {string} label
 * @property {string} [hint]
 * @property {[any, string][]} [options] value and label of each option of `choice` and `many`
 * @property {any} [empty] what is sent for an empty text; "" if not given
 * @property {(field: {id: string, value: any, change: (value: any) => void}) => any} [show] draws a field of the kind `own`
 */

/** A moment as the browser's field for date and time has it. */
const local = (text) => {
  if (!text) return "";
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** What was typed into a form and is not stored yet, kept in the tab for its owner. */
export function useTyped(name) {
  const place = `form ${name}`;
  const typed = useSignal(/** @type {Record<string, any>} */ ({}));
  useMemo(() => {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
    typed.value = kept && kept.owner === person() ? kept.typed : {};
  }, [place]);
  const isOpen = Object.keys(typed.value).length > 0;
  useEffect(() => {
    if (!isOpen) return;
    leaving.value = t("form.unsaved");
    return () => (leaving.value = "");
  }, [isOpen]);
  const keep = (values) => {
    if (Object.keys(values).length) sessionStorage.setItem(place, JSON.stringify({ owner: person(), typed: values }));
    else sessionStorage.removeItem(place);
  };
  const set = (values) => {
    typed.value = values;
    keep(values);
  };
  return { typed, set, keep };
}

/**
 * Shows the fields of `data` and sends what was changed; with `whole`, all fields.
 * @param {object} props
 * @param {string} props.name a name that no other form of the page has
 * @param {FieldOf[] | ((values: any) => FieldOf[])} props.fields may follow the values of the form
 * @param {any} props.data what is stored, or the values that a new thing begins with
 * @param {boolean} [props.whole] send all fields
 * @param {(values: any) => Promise<any>} props.send
 * @param {(stored: any) => any} [props.stored] what follows when it is stored, such as loading it again
 * @param {() => Promise<any>} [props.reload] loads `data` again and returns it
 * @param {string} [props.submit] the text of the button
 * @param {string | ((stored: any) => string)} [props.done] what is said afterwards
 */
export function Form({ name, fields: wanted, data, whole, send, stored, reload, submit, done }) {
  const { typed, set, keep: store } = useTyped(name);
  const errors = useSignal(NO_ERRORS);
  /** What somebody else stored meanwhile, by field. */
  const theirs = useSignal({});
  const fields = typeof wanted === "function" ? wanted({ ...data, ...typed.value }) : wanted;
  const idOf = (field) => `${name}-${field.name}`.replace(/[^\w-]/g, "-");
  const value = (field) => (field.name in typed.value ? typed.value[field.name] : data[field.name]);
  const change = (field) => (now) => {
    set(same(now, data[field.name]) ? without(typed.value, field.name) : { ...typed.value, [field.name]: now });
  };
  const take = (field) => {
    set(without(typed.value, field));
    theirs.value = without(theirs.value, field);
  };
  const keep = (field) => {
    theirs.value = without(theirs.value, field);
  };

  const save = async () => {
    if (Object.keys(theirs.value).length) throw new Error(t("form.choose"));
    const chosen = fields.filter((field) => whole || field.name in typed.value);
    try {
      const answer = await send(Object.fromEntries(chosen.map((field) => [field.name, value(field)])));
      errors.value = {};
      // It is forgotten before the page shows what is stored, because that may begin this form anew.
      store({});
      await stored?.(answer);
      set({});
      return answer;
    } catch (error) {
      if (error.status === 412 && reload) {
        const now = await reload();
        const changed = fields.filter(({ name }) => name in typed.value && !same(now[name], data[name]) && !same(now[name], typed.value[name]));
        theirs.value = Object.fromEntries(changed.map(({ name }) => [name, now[name]]));
        throw new Error(t(changed.length ? "form.choose" : "form.again"));
      }
      /** @type {Record<string, string[]>} */
      const found = {};
      for (const [path, messages] of Object.entries(error.fields ?? {})) {
        const field = path.split(".")[0];
        found[field] = [...(found[field] ?? []), ...messages];
      }
      errors.value = found;
      const wrong = fields.find((field) => found[field.name]);
      if (wrong) document.getElementById(idOf(wrong))?.focus();
      // What stands at the fields is not said twice, with the names that programs use.
      if (wrong && Object.keys(found).every((name) => fields.some((field) => field.name === name))) throw new Error(t("form.wrong"));
      throw error;
    }
  };
  const open = Object.keys(typed.value).length > 0;
  return html`<form onSubmit=${(event) => event.preventDefault()}>
    ${fields.map((field) => html`<${Input} key=${field.name} field=${field} id=${idOf(field)} value=${value(field)} change=${change(field)} errors=${errors.value[field.name]} />
      ${field.name in theirs.value && html`<div class="conflict" role="alert">
        <p>${t("form.conflict", { field: field.label })}</p>
        <p class="answer">${shown(field, theirs.value[field.name])}</p>
        <p class="row"><button type="button" onClick=${() => keep(field.name)}>${t("apply.conflict.mine")}</button>
          <button type="button" onClick=${() => take(field.name)}>${t("apply.conflict.theirs")}</button></p></div>`}`)}
    <p class="row middle">
      <${Action} className="main" run=${save} done=${done ?? t("saved")} disabled=${!whole && !open}>${submit ?? t("save")}<//>
      ${open && html`<button type="button" onClick=${() => { set({}); theirs.value = {}; errors.value = {}; }}>${t("form.discard")}</button>`}
    </p>
  </form>`;
}

/** A value as text, to compare two versions of it. */
function shown(field, value) {
  const name = (one) => field.options?.find(([key]) => key === one)?.[1] ?? one;
  if (Array.isArray(value)) return value.map((one) => (one?.name ?? one?.value ?? name(one))).join(", ");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return String(name(value) ?? "");
}

function Input({ field, id, value, change, errors }) {
  const type = (event) => change(event.currentTarget.value === "" ? (field.empty ?? (field.kind === "time" ? null : "")) : event.currentTarget.value);
  const notes = `${id}-notes`;
  const wrong = errors?.length ? "true" : undefined;
  const hint = field.kind === "time" ? [field.hint, t("form.zone", { zone })].filter(Boolean).join(" ") : field.hint;
  const options = field.options ?? [];
  const messages = html`${hint && html`<p class="quiet">${hint}</p>`}${errors?.map((text) => html`<p class="message" role="alert">${text}</p>`)}`;
  switch (field.kind) {
    case "check":
      return html`<div class="field"><label class="check"><input id=${id} type="checkbox" checked=${Boolean(value)} aria-describedby=${notes} onChange=${(event) => change(event.currentTarget.checked)} /> ${field.label}</label><div id=${notes}>${messages}</div></div>`;
    case "many":
      return html`<fieldset id=${id} tabindex="-1"><legend>${field.label}</legend><div class="choices">
        ${options.map(([key, label]) => html`<label class="check" key=${key}><input type="checkbox" checked=${value?.includes(key)} onChange=${(event) => {
          const others = (value ?? []).filter((one) => one !== key);
          change(event.currentTarget.checked ? [...others, key].sort((a, b) => a - b) : others);
        }} /> ${label}</label>`)}</div>${messages}</fieldset>`;
    case "own":
      return html`<fieldset id=${id} tabindex="-1"><legend>${field.label}</legend>${field.show({ id, value, change })}${messages}</fieldset>`;
    case "rich":
      return html`<div class=${wrong ? "field wrong" : "field"}><span class="label" id=${`${id}-label`}>${field.label}</span>
        <${Editor} id=${id} value=${value ?? ""} change=${change} notes=${notes} /><div id=${notes}>${messages}</div></div>`;
    case "choice":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <select id=${id} aria-describedby=${notes} aria-invalid=${wrong} onChange=${(event) => change(options[event.currentTarget.selectedIndex][0])}>
          ${options.map(([key, label]) => html`<option selected=${same(key, value)}>${label}</option>`)}
        </select><//>`;
    case "area":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <textarea id=${id} rows="5" value=${value ?? ""} onInput=${type} aria-describedby=${notes} aria-invalid=${wrong}></textarea><//>`;
    case "time":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} type="datetime-local" value=${local(value)} aria-describedby=${notes} aria-invalid=${wrong} onChange=${(event) => {
          const text = event.currentTarget.value;
          change(text ? new Date(text).toISOString().replace(".000Z", "Z") : null);
        }} /><//>`;
    case "number":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} inputmode="numeric" value=${value ?? ""} aria-describedby=${notes} aria-invalid=${wrong} onInput=${(event) => {
          const text = event.currentTarget.value.trim();
          change(text === "" ? (field.empty ?? null) : /^-?\d+$/.test(text) ? Number(text) : text);
        }} /><//>`;
    case "color":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} type="color" value=${value || "#666666"} onInput=${type} /><//>`;
    default:
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} class="wide" value=${value ?? ""} onInput=${type} aria-describedby=${notes} aria-invalid=${wrong} /><//>`;
  }
}
