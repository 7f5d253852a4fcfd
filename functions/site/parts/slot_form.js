// The form of a slot: a new one, a series, or a change.

import { html } from "./kit.js";
import { call, post, remove } from "./api.js";
import { Form } from "./form.js";
import { t } from "./texts.js";
import { Action, confirmed } from "./ui.js";

/**
 * @param {object} props
 * @param {string} props.path of the slots
 * @param {any} props.begun a stored slot, the times of a new one, or nothing
 * @param {any[]} props.members of the club
 * @param {any[]} props.committees of the application
 * @param {() => Promise<any>} props.close
 */
export function SlotForm({ path, begun, members, committees, close }) {
  const isStored = Boolean(begun.id);
  const people = members.filter((one) => one.person).map((one) => [one.person, one.name]);
  const fields = (values) => [
    { name: "start_time", label: t("slots.start"), kind: "time" },
    { name: "end_time", label: t("slots.end"), kind: "time" },
    ...(isStored ? [] : [{ name: "is_series", label: t("slots.series"), kind: "check" }]),
    ...(values.is_series
      ? [
          { name: "minutes", label: t("slots.minutes"), kind: "number" },
          { name: "break_minutes", label: t("slots.break"), kind: "number" },
        ]
      : []),
    { name: "location", label: t("slots.location"), hint: t("slots.location.hint") },
    { name: "capacity", label: t("slots.capacity"), kind: "number" },
    ...(committees.length
      ? [
          {
            name: "committee",
            label: t("apply.committee"),
            kind: "choice",
            empty: null,
            options: [[null, t("slots.all")], ...committees.map((one) => [one.id, one.name])],
          },
        ]
      : []),
    { name: "interviewers", label: t("slots.interviewers"), kind: "many", options: people },
    { name: "note", label: t("slots.note"), kind: "area" },
  ];
  const data = {
    capacity: 1,
    minutes: 25,
    break_minutes: 5,
    is_series: !isStored,
    location: "",
    committee: null,
    note: "",
    ...begun,
    interviewers: (begun.interviewers ?? []).map((one) => one.id),
  };
  const send = ({ is_series: isSeries, minutes, break_minutes: pause, ...values }) => {
    /** @type {any} */
    const body = isSeries ? { ...values, minutes, break_minutes: pause } : values;
    if (isStored) return call("PATCH", `${path}${begun.id}/`, { body });
    return post(isSeries ? `${path}series/` : path, body);
  };
  const drop = async () => {
    const sure = begun.booked
      ? t("slots.delete.booked", { n: begun.booked })
      : t("slots.delete.sure");
    if (!confirmed(sure)) return false;
    await remove(`${path}${begun.id}/${begun.booked ? "?force=true" : ""}`);
    await close();
  };
  return html`<section class="card noprint"><h2 class="flat">
      ${t(isStored ? "slots.change" : "slots.new")}</h2>
    <${Form} name=${`slot ${begun.id ?? "new"}`} fields=${fields} data=${data} whole=${!isStored}
      send=${send} stored=${close} />
    <p class="row"><button onClick=${close}>${t("close")}</button>
      ${
        isStored && html`<${Action} className="danger" run=${drop}>${t("slots.delete")}<//>`
      }</p></section>`;
}
