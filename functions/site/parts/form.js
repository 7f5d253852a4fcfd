// A form for one thing of the API. What is typed stays in the tab until it is stored. Errors are
// shown beside their fields. If somebody else changed the same thing, both versions are shown.

import { html, useEffect, useMemo, useRef, useSignal, without } from "./kit.js";
import { NO_ERRORS } from "./api.js";
import { person } from "./auth.js";
import { Editor } from "./editor.js";
import { moment, t, zone } from "./texts.js";
import { Action, Field, Rich, useUnsaved } from "./ui.js";

/**
 * @typedef {"text" | "area" | "rich" | "number" | "check" | "time" | "choice" | "many" | "color"
 *   | "own"} Kind
 * @typedef {object} FieldOf One field. `name` is that of the API.
 * @property {string} name
 * @property {Kind} [kind]
 * @property {string} label
 * @property {string} [hint]
 * @property {[any, string][]} [options] value and label of each option of `choice` and `many`
 * @property {(value: any) => string} [text] the value of a field of the kind `own`, as text
 * @property {any} [empty] what is sent for an empty text; "" if not given
 * @property {(field: {id: string, value: any, change: (value: any) => void}) => any} [show]
 *   draws a field of the kind `own`
 */

/** A moment as the browser's field for date and time has it. */
const local = (text) => {
  if (!text) return "";
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const two = (n) => String(n).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const year = String(date.getFullYear()).padStart(4, "0");
  return `${year}-${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
};
const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/**
 * What was typed into a form and is not stored yet, kept in the tab for its owner: `{ now, base }`
 * for each field, where `base` is what was stored when somebody began to type. What was `sent` is
 * stored, and shown until it is loaded. A change that `follows` began from what was sent.
 */
export function useTyped(name) {
  const place = `form ${name}`;
  const typed = useSignal(
    /** @type {Record<string, {now: any, base: any, sent?: boolean, follows?: boolean}>} */ ({}),
  );
  const owner = useRef(person());
  useMemo(() => {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
    typed.value = kept && kept.owner === person() ? kept.typed : {};
  }, [place]);
  const isOpen = Object.values(typed.value).some((one) => !one.sent);
  useUnsaved(isOpen);
  const set = (values) => {
    typed.value = values;
    // After a session ended, what is typed is still that of the person before.
    owner.current = person() ?? owner.current;
    if (Object.keys(values).length)
      sessionStorage.setItem(place, JSON.stringify({ owner: owner.current, typed: values }));
    else sessionStorage.removeItem(place);
  };
  return { typed, set, isOpen };
}

/**
 * Shows the fields of `data` and sends what was changed; with `whole`, all fields.
 * @param {object} props
 * @param {string} props.name a name that no other form of the page has
 * @param {FieldOf[] | ((values: any) => FieldOf[])} props.fields may follow the values of the form
 * @param {any} props.data what is stored, or the values that a new thing begins with
 * @param {boolean} [props.whole] send all fields
 * @param {(values: any) => Promise<any>} props.send
 * @param {(stored: any) => any} [props.stored] what follows when it is stored; with `reload`, it
 *   returns what was loaded
 * @param {() => Promise<any>} [props.reload] loads `data` again and returns it
 * @param {string} [props.submit] the text of the button
 * @param {string | ((stored: any) => string)} [props.done] what is said afterwards
 */
export function Form({ name, fields: wanted, data, whole, send, stored, reload, submit, done }) {
  const { typed, set, isOpen } = useTyped(name);
  const errors = useSignal(NO_ERRORS);
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);
  const current = { ...data };
  for (const [field, { now }] of Object.entries(typed.value)) current[field] = now;
  const fields = typeof wanted === "function" ? wanted(current) : wanted;
  const idOf = (field) => `${name}-${field.name}`.replace(/[^\w-]/g, "-");
  const focus = (field) => document.getElementById(idOf(field))?.focus();
  const change = (field) => (now) => {
    const before = typed.value[field.name];
    const follows = Boolean(before?.follows || before?.sent);
    const base = before && !follows ? before.base : data[field.name];
    set(
      same(now, data[field.name]) && !follows
        ? without(typed.value, field.name)
        : { ...typed.value, [field.name]: follows ? { now, base, follows } : { now, base } },
    );
  };
  /** Whether somebody else stored something else meanwhile. A new thing is nowhere yet. */
  const conflicts = (stored) => (field) => {
    const mine = typed.value[field.name];
    return (
      mine &&
      !(whole && !reload) &&
      !mine.follows &&
      !mine.sent &&
      !same(stored[field.name], mine.base) &&
      !same(stored[field.name], mine.now)
    );
  };
  const take = (field) => {
    set(without(typed.value, field.name));
    focus(field);
  };
  const keep = (field) => {
    const { now } = typed.value[field.name];
    set({ ...typed.value, [field.name]: { now, base: data[field.name] } });
    focus(field);
  };

  useEffect(() => {
    const arrived = ([field, one]) => (one.follows || one.sent) && !same(one.base, data[field]);
    if (!Object.entries(typed.value).some(arrived)) return;
    const left = Object.entries(typed.value).filter(
      ([field, one]) => !arrived([field, one]) || (!one.sent && !same(one.now, data[field])),
    );
    set(
      Object.fromEntries(
        left.map(([field, one]) => [
          field,
          arrived([field, one]) ? { now: one.now, base: data[field] } : one,
        ]),
      ),
    );
  });

  const save = async () => {
    if (fields.some(conflicts(data))) throw new Error(t("form.choose"));
    const chosen = fields.filter((field) => whole || field.name in typed.value);
    const sent = Object.fromEntries(chosen.map((field) => [field.name, current[field.name]]));
    // What is typed while it is being sent stays, and follows what was sent. Fields that the form
    // does not have any more are forgotten.
    const settle = () => {
      const state = ([field, { now, base }]) =>
        same(now, sent[field]) ? { now, base, sent: true } : { now, base, follows: true };
      const ours = Object.entries(typed.value).filter(([field]) =>
        fields.some((one) => one.name === field),
      );
      set(Object.fromEntries(ours.map((one) => [one[0], one[0] in sent ? state(one) : one[1]])));
    };
    const forget = () => {
      const isNone = ([field, { now }]) => !reload && same(now, data[field]);
      const left = Object.entries(typed.value).filter((one) => !one[1].sent && !isNone(one));
      set(Object.fromEntries(left));
    };
    try {
      const answer = await send(sent);
      errors.value = NO_ERRORS;
      settle();
      // Whoever has gone elsewhere meanwhile stays there.
      const found = isHere.current && stored ? await stored(answer) : null;
      // If it could not be loaded, what was sent stays in the fields until it is.
      if (!reload || found !== undefined) forget();
      return answer;
    } catch (error) {
      if (error.status === 412 && reload) {
        const now = await reload();
        if (!now) throw new Error(t("error.network"));
        throw new Error(t(fields.some(conflicts(now)) ? "form.choose" : "form.again"));
      }
      /** @type {Record<string, string[]>} */
      const found = {};
      for (const [path, messages] of Object.entries(error.fields ?? {})) {
        const field = path.split(".")[0];
        found[field] = [...(found[field] ?? []), ...messages];
      }
      errors.value = found;
      const wrong = fields.find((field) => found[field.name]);
      if (wrong) focus(wrong);
      // What stands at the fields is not said twice, with the names that programs use.
      if (wrong && Object.keys(found).every((name) => fields.some((field) => field.name === name)))
        throw new Error(t("form.wrong"));
      throw error;
    }
  };
  const discard = () => {
    set({});
    errors.value = NO_ERRORS;
  };
  return html`<form onSubmit=${(event) => event.preventDefault()}>
    ${fields.map(
      (field) => html`<${Input} key=${field.name} field=${field} id=${idOf(field)}
        value=${current[field.name]} change=${change(field)} errors=${errors.value[field.name]} />
      ${
        conflicts(data)(field) &&
        html`<div class="conflict" role="alert">
        <p>${t("form.conflict", { field: field.label })}</p>
        <div class="answer">${shown(field, data[field.name])}</div>
        <p class="row"><button type="button" onClick=${() => keep(field)}>
          ${t("apply.conflict.mine")}</button>
          <button type="button" onClick=${() => take(field)}>${t("apply.conflict.theirs")}</button>
            </p></div>`
      }`,
    )}
    <p class="row middle">
      <${Action} type="submit" className="main" run=${save} done=${done ?? t("saved")}
        disabled=${!whole && !isOpen}>${submit ?? t("save")}<//>
      ${isOpen && html`<button type="button" onClick=${discard}>${t("form.discard")}</button>`}
    </p>
  </form>`;
}

/** A value as it is read, to compare two versions of it. */
function shown(field, value) {
  if (field.text) return field.text(value);
  if (field.kind === "rich") return html`<${Rich} text=${value ?? ""} />`;
  if (field.kind === "time") return value ? moment(value, { zoned: true }) : "";
  const name = (one) => field.options?.find(([key]) => key === one)?.[1] ?? one;
  if (Array.isArray(value))
    return value.map((one) => one?.name ?? one?.value ?? name(one)).join(", ");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return String(name(value) ?? "");
}

function Input({ field, id, value, change, errors }) {
  const type = (event) =>
    change(
      event.currentTarget.value === ""
        ? (field.empty ?? (field.kind === "time" ? null : ""))
        : event.currentTarget.value,
    );
  const notes = `${id}-notes`;
  const wrong = errors?.length ? "true" : undefined;
  const hint =
    field.kind === "time"
      ? [field.hint, t("form.zone", { zone })].filter(Boolean).join(" ")
      : field.hint;
  const options = field.options ?? [];
  const messages = html`${hint && html`<p class="quiet">${hint}</p>`}${errors?.map(
    (text) => html`<p
    class="message" role="alert">${text}</p>`,
  )}`;
  switch (field.kind) {
    case "check":
      return html`<div class="field"><label class="check"><input id=${id} type="checkbox"
        checked=${Boolean(value)} aria-describedby=${notes}
          onChange=${(event) => change(event.currentTarget.checked)} /> ${field.label}</label><div
            id=${notes}>${messages}</div></div>`;
    case "many":
      return html`<${Many} id=${id} field=${field} value=${value ?? []} change=${change}
        messages=${messages} />`;
    case "own":
      return html`<fieldset id=${id} tabindex="-1"><legend>${field.label}</legend>
        ${field.show({ id, value, change })}${messages}</fieldset>`;
    case "rich":
      return html`<div class=${wrong ? "field wrong" : "field"}><span class="label"
        id=${`${id}-label`}>${field.label}</span>
        <${Editor} id=${id} value=${value ?? ""} change=${change} notes=${notes} /><div id=${notes}>
          ${messages}</div></div>`;
    case "choice":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <select id=${id} aria-describedby=${notes} aria-invalid=${wrong}
          onChange=${(event) => change(options[event.currentTarget.selectedIndex][0])}>
          ${options.map(
            ([key, label]) => html`<option selected=${same(key, value)}>${label}
            </option>`,
          )}
        </select><//>`;
    case "area":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <textarea id=${id} rows="5" value=${value ?? ""} onInput=${type} aria-describedby=${notes}
          aria-invalid=${wrong}></textarea><//>`;
    case "time":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} type="datetime-local" max="9999-12-31T23:59" value=${local(value)}
          aria-describedby=${notes} aria-invalid=${wrong} onChange=${(event) => {
            const text = event.currentTarget.value;
            const date = new Date(text);
            // While a year is typed, it may have too many digits.
            if (!text) change(null);
            else if (date.getFullYear() < 10_000) {
              // The last minute of a day is in the day.
              if (text.endsWith("T23:59")) date.setSeconds(59);
              change(date.toISOString().replace(".000Z", "Z"));
            }
          }} /><//>`;
    case "number":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} inputmode="numeric" value=${value ?? ""} aria-describedby=${notes}
          aria-invalid=${wrong} onInput=${(event) => {
            const text = event.currentTarget.value.trim();
            change(
              text === "" ? (field.empty ?? null) : /^-?\d+$/.test(text) ? Number(text) : text,
            );
          }} /><//>`;
    case "color":
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} type="color" value=${value || "#666666"} onInput=${type} /><//>`;
    default:
      return html`<${Field} id=${id} label=${field.label} hint=${hint} errors=${errors}>
        <input id=${id} class="wide" value=${value ?? ""} onInput=${type} aria-describedby=${notes}
          aria-invalid=${wrong} /><//>`;
  }
}

/** More options than this have a field to find some of them. */
const MANY = 20;

/** Options of which several can be chosen. */
function Many({ id, field, value, change, messages }) {
  const words = useSignal("");
  const all = field.options ?? [];
  const fits = ([key, label]) =>
    value.includes(key) || label.toLowerCase().includes(words.value.trim().toLowerCase());
  return html`<fieldset id=${id} tabindex="-1"><legend>${field.label}</legend>
    ${
      all.length > MANY &&
      html`<p class="filter"><input type="search"
      aria-label=${`${t("search")}: ${field.label}`} value=${words.value}
        onKeyDown=${(event) => event.key === "Enter" && event.preventDefault()}
        onInput=${(event) => (words.value = event.currentTarget.value)} /></p>`
    }
    <div class="choices">${all.filter(fits).map(
      ([key, label]) =>
        html`<label class="check" key=${key}><input type="checkbox" checked=${value.includes(key)}
          onChange=${(event) => {
            const others = value.filter((one) => one !== key);
            change(event.currentTarget.checked ? [...others, key].sort((a, b) => a - b) : others);
          }} /> ${label}</label>`,
    )}</div>${messages}</fieldset>`;
}
