// The fields of a showing that has tickets, for its officers.

import { html } from "./kit.js";
import { t } from "./texts.js";
import { Field } from "./ui.js";

const NEW = { name: "", description: "", capacity: null, audience: "everybody", price: "" };

/** What the API reads of a type. */
export const typesOf = (types) =>
  types?.map(({ id, name, description, capacity, audience, price }) => ({
    ...(id === undefined ? {} : { id }),
    name,
    description,
    capacity,
    audience,
    price,
  }));

/** A showing without what changes when somebody orders. */
export const withTypes = (showing) => ({ ...showing, ticket_types: typesOf(showing.ticket_types) });
export const hasTypes = (showing) => showing.ticket_types.length > 0;

/** The types of a showing: each with its name, how many there are, and for whom. */
function Types({ id, value, change }) {
  const all = value ?? [];
  const set = (at, values) => change(all.map((one, n) => (n === at ? { ...one, ...values } : one)));
  const text = (at, name) => (event) => set(at, { [name]: event.currentTarget.value });
  const count = (at) => (event) => {
    const typed = event.currentTarget.value.trim();
    set(at, { capacity: typed === "" ? null : /^\d+$/.test(typed) ? Number(typed) : typed });
  };
  return html`${all.map((one, at) => {
    const part = `${id}-${at}`;
    return html`<div class="card" role="group" aria-label=${one.name || t("sale.type")} key=${at}>
      <${Field} id=${`${part}-name`} label=${t("edit.name")}>
        <input id=${`${part}-name`} class="wide" value=${one.name} onInput=${text(at, "name")} /><//>
      <div class="row">
        <${Field} id=${`${part}-count`} label=${t("types.capacity")} hint=${t("types.capacity.hint")}>
          <input id=${`${part}-count`} inputmode="numeric" value=${one.capacity ?? ""}
            aria-describedby=${`${part}-count-notes`} onInput=${count(at)} /><//>
        <${Field} id=${`${part}-for`} label=${t("types.audience")}>
          <select id=${`${part}-for`} value=${one.audience} onChange=${text(at, "audience")}>
            ${["everybody", "members"].map(
              (name) => html`<option value=${name}>${t(`types.${name}`)}</option>`,
            )}</select><//>
        <${Field} id=${`${part}-price`} label=${t("types.price")} hint=${t("types.price.hint")}>
          <input id=${`${part}-price`} value=${one.price} aria-describedby=${`${part}-price-notes`}
            onInput=${text(at, "price")} /><//></div>
      <${Field} id=${`${part}-about`} label=${t("edit.description")}>
        <textarea id=${`${part}-about`} rows="2" value=${one.description}
          onInput=${text(at, "description")}></textarea><//>
      <p><button type="button" class="danger"
        onClick=${() => change(all.filter((_, n) => n !== at))}>${t("types.remove")}</button></p>
    </div>`;
  })}
    ${
      all.length < 10 &&
      html`<p><button type="button" onClick=${() => change([...all, NEW])}>
      ${t("types.add")}</button></p>`
    }`;
}

/** The fields that a showing with types has. */
const FIELDS = () => [
  { name: "ticket_drop_time", label: t("types.drop"), kind: "time", hint: t("types.drop.hint") },
  { name: "ticket_end_time", label: t("types.end"), kind: "time", hint: t("types.end.hint") },
  { name: "ticket_order_limit", label: t("types.limit"), kind: "number" },
  {
    name: "ticket_sale",
    label: t("types.sale"),
    kind: "choice",
    options: [
      ["first_come", t("types.first_come")],
      ["draw", t("types.draw")],
    ],
  },
];

/** The fields of the tickets, as far as they matter for what is typed. */
export const ticketFields = (values) => {
  const types = {
    name: "ticket_types",
    label: t("sale"),
    kind: "own",
    show: (field) => html`<p class="quiet">${t("types.about")}</p><${Types} ...${field} />`,
    text: (all) => (all ?? []).map((one) => one.name).join(", "),
  };
  if (!values.ticket_types?.length) return [types];
  const draw = {
    name: "ticket_draw_time",
    label: t("types.draw_time"),
    kind: "time",
    hint: t("types.draw_time.hint"),
  };
  const wait = { name: "waiting_list", label: t("types.waiting_list"), kind: "check" };
  return [types, ...FIELDS(), ...(values.ticket_sale === "draw" ? [draw] : []), wait];
};

/** What a new showing has of them. */
export const NO_TICKETS = {
  ticket_types: [],
  ticket_drop_time: null,
  ticket_end_time: null,
  ticket_order_limit: 4,
  ticket_sale: "first_come",
  ticket_draw_time: null,
  waiting_list: true,
};

/** What is sent for the values of a form: nothing about tickets if there are none. */
export function sentOf(values, isNew) {
  const { ticket_types: types, ...others } = values;
  if (types === undefined) return others;
  if (isNew && types.length === 0)
    return Object.fromEntries(Object.entries(others).filter(([name]) => !(name in NO_TICKETS)));
  return { ...others, ticket_types: typesOf(types) };
}
