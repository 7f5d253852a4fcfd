// The form of a slot: a new one, a series, or a change.

import { html, useEffect, useRef } from "./kit.js";
import { call, remove } from "./api.js";
import { Form } from "./form.js";
import { loaded, useLoad } from "./load.js";
import { isPassing } from "./request.js";
import { t } from "./texts.js";
import { Action, confirmed } from "./ui.js";

/**
 * What was sent last without an answer, and its key: it may be made, and is not made twice, also if
 * the form was closed meanwhile.
 */
let unheard = { sent: "", key: "" };

/**
 * @param {object} props
 * @param {`/clubs/${string}/applications/${string}/slots/`} props.path of the slots
 * @param {any} props.begun a stored slot, the times of a new one, or nothing
 * @param {any[]} props.members of the club
 * @param {any[]} props.committees of the application
 * @param {() => Promise<any>} props.reload loads the slots again and returns them
 * @param {(made?: any) => Promise<any>} props.close gets what was stored
 */
export function SlotForm({ path, begun, members, committees, reload, close }) {
  const isStored = Boolean(begun.id);
  const title = useRef(/** @type {any} */ (null));
  useEffect(() => {
    // It may have been opened by a button far below.
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    title.current?.scrollIntoView({ block: "start" });
    title.current?.focus({ preventScroll: true });
    return () => opener?.isConnected && opener.focus();
  }, []);
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
    ...(values.interviewers?.length
      ? [{ name: "overlap", label: t("slots.overlap"), kind: "check" }]
      : []),
    { name: "note", label: t("slots.note"), kind: "area" },
  ];
  const thing = useLoad(isStored ? `${path}${begun.id}/` : "");
  const shaped = (one) => ({
    capacity: 1,
    minutes: 25,
    break_minutes: 5,
    is_series: !isStored,
    location: "",
    committee: null,
    overlap: false,
    note: "",
    ...one,
    interviewers: (one.interviewers ?? []).map((person) => person.id),
  });
  /** What was sent is stored, and need not be kept here. */
  const stored = async (made) => {
    await close(made);
    return null;
  };
  const again = async () => {
    const now = await thing.reload();
    return now && shaped(now);
  };
  const send = async ({ is_series: isSeries, minutes, break_minutes: pause, ...values }) => {
    /** @type {any} */
    const body = isSeries ? { ...values, minutes, break_minutes: pause } : values;
    if (isStored) return call("PATCH", `${path}${begun.id}/`, { body, etag: thing.etag });
    const to = isSeries ? /** @type {const} */ (`${path}series/`) : path;
    const sent = JSON.stringify([to, body]);
    if (unheard.sent !== sent) unheard = { sent, key: crypto.randomUUID() };
    try {
      const made = await call("POST", to, { body, key: unheard.key });
      unheard = { sent: "", key: "" };
      return made;
    } catch (error) {
      if (isPassing(error.status ?? 0)) await reload();
      // A refusal would be repeated, too.
      if (error.status === 400) unheard = { sent: "", key: "" };
      throw error;
    }
  };
  const drop = async () => {
    // Somebody may have booked it since this form was opened.
    const all = await reload();
    if (!all) throw new Error(t("error.network"));
    const now = all.find((one) => one.id === begun.id);
    const booked = now?.booked ?? 0;
    const sure = booked ? t("slots.delete.booked", { n: booked }) : t("slots.delete.sure");
    if (now && !confirmed(sure)) return false;
    try {
      if (now) await remove(`${path}${begun.id}/${booked ? "?force=true" : ""}`);
      // The same may be meant once more.
      unheard = { sent: "", key: "" };
    } catch (error) {
      // An earlier attempt, whose answer was lost, may have deleted it.
      if (error.status !== 404) throw error;
    }
    await close();
  };
  // What was typed for other times, or for another application, is not for these.
  const times = [begun.start_time, begun.end_time].filter(Boolean).join(" ") || "new";
  const name = `slot ${path} ${begun.id ?? times}`;
  return html`<section class="card noprint"><h2 class="flat" tabindex="-1" ref=${title}>
      ${t(isStored ? "slots.change" : "slots.new")}</h2>
    ${
      isStored
        ? loaded(
            thing,
            (found) => html`<${Form} name=${name} fields=${fields} data=${shaped(found)}
              send=${send} stored=${stored} reload=${again} />`,
            5,
          )
        : html`<${Form} name=${name} fields=${fields} data=${shaped(begun)} whole send=${send}
          stored=${close} />`
    }
    <p class="row"><button onClick=${close}>${t("close")}</button>
      ${
        isStored && html`<${Action} className="danger" run=${drop}>${t("slots.delete")}<//>`
      }</p></section>`;
}
