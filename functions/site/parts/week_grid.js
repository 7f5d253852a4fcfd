// A week as a grid of hours, into which times are drawn with the pointer. On a small screen and for
// the keyboard the same is done with the form.

import { html, useSignal } from "./kit.js";
import { clock, dated, t } from "./texts.js";
import { span } from "./slots.js";

/** The hours that are shown, at least. */
const HOURS = [8, 20];
/** Drawn times begin and end at multiples of this. */
const STEP_MIN = 15;
/** The height of an hour: enough for the shortest slot to be pressed, if it is not very short. */
const HOUR_PX = { least: 40, most: 160 };
/** What is smaller is shown only; the list below the week has it, too. */
const TARGET_PX = 24;

const minutesOf = (slot) => (Date.parse(slot.end_time) - Date.parse(slot.start_time)) / 60_000;

function hourHeight(slots) {
  const wanted = (TARGET_PX * 60) / Math.min(60, ...slots.map(minutesOf));
  return Math.min(Math.max(Math.ceil(wanted), HOUR_PX.least), HOUR_PX.most);
}

const hourOf = (text) => new Date(text).getHours() + new Date(text).getMinutes() / 60;

/**
 * @param {object} props
 * @param {Date} props.from the first day
 * @param {any[]} props.slots of the week
 * @param {(times: {start_time: string, end_time: string}) => any} props.draw
 * @param {(slot: any) => any} props.open
 */
export function WeekGrid({ from, slots, draw, open }) {
  const drawn = useSignal(/** @type {any} */ (null));
  const days = Array.from(
    { length: 7 },
    (_, n) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + n),
  );
  const first = Math.min(HOURS[0], ...slots.map((one) => Math.floor(hourOf(one.start_time))));
  const last = Math.max(HOURS[1], ...slots.map((one) => Math.ceil(hourOf(one.start_time) + 1)));
  const row = hourHeight(slots);
  const height = (last - first) * row;
  /** The time at a place of a column, in minutes of the day. */
  const minute = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.min(Math.max(event.clientY - box.top, 0), height);
    return first * 60 + Math.round((at / row) * (60 / STEP_MIN)) * STEP_MIN;
  };
  const begin = (day) => (event) => {
    if (event.button !== 0 || event.target !== event.currentTarget) return;
    if (event.pointerType === "touch") return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drawn.value = { day, from: minute(event), to: minute(event) };
  };
  const go = (event) => {
    if (drawn.value) drawn.value = { ...drawn.value, to: minute(event) };
  };
  const end = () => {
    const { day, from: one, to: other } = drawn.value ?? {};
    drawn.value = null;
    if (!day || one === other) return;
    const at = (minutes) =>
      new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minutes).toISOString();
    draw({ start_time: at(Math.min(one, other)), end_time: at(Math.max(one, other)) });
  };
  const place = (top, bottom) => ({
    top: `${((top - first * 60) / 60) * row}px`,
    height: `${((bottom - top) / 60) * row}px`,
  });
  const isOn = (day) => (slot) => new Date(slot.start_time).toDateString() === day.toDateString();
  return html`<div class="grid-week noprint" style=${{ "--row": `${row}px` }}>
    <div class="hours" aria-hidden="true">${Array.from(
      { length: last - first },
      (_, n) => html`<span>${first + n}:00</span>`,
    )}</div>
    ${days.map(
      (day) => html`<div key=${day.getTime()} class="column"><h2 class="small">
        ${dated(day, { weekday: "short", day: "numeric" })}</h2>
      <div class="hours-of" style=${{ height: `${height}px` }} title=${t("slots.draw")}
        onPointerDown=${begin(day)} onPointerMove=${go} onPointerUp=${end}
        onPointerCancel=${() => (drawn.value = null)}>
        ${slots.filter(isOn(day)).map((slot) => {
          const start = hourOf(slot.start_time) * 60;
          const style = place(start, start + minutesOf(slot));
          if ((minutesOf(slot) / 60) * row < TARGET_PX)
            return html`<div key=${slot.id} class="slot" style=${style} aria-hidden="true"></div>`;
          return html`<button key=${slot.id} class=${slot.booked ? "slot taken" : "slot"}
            style=${style} onClick=${() => open(slot)}
            aria-label=${`${dated(day, { weekday: "long" })}, ${span(slot)}, ${t("slots.booked", {
              n: slot.booked,
              of: slot.capacity,
            })}`}>${clock(slot.start_time)}</button>`;
        })}
        ${
          drawn.value?.day === day &&
          html`<div class="slot drawn" style=${place(
            Math.min(drawn.value.from, drawn.value.to),
            Math.max(drawn.value.from, drawn.value.to),
          )}></div>`
        }</div></div>`,
    )}</div>`;
}
