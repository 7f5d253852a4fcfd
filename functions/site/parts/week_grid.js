// A week as a grid of hours, into which times are drawn with the mouse; a tap on a free place is an
// hour. On a small screen and for the keyboard the same is done with the form.

import { html, useRef, useSignal } from "./kit.js";
import { clock, dated, t } from "./texts.js";

/** The hours that are shown, at least. */
const HOURS = [8, 20];
/** Drawn times begin and end at multiples of this. */
const STEP_MIN = 15;
/** The height of an hour: enough for the shortest slot to be pressed, if it is not very short. */
const HOUR_PX = { least: 40, most: 160 };
/** What is smaller is shown only; the list below the week has it, too. */
const TARGET_PX = 24;

/** With more slots beside each other, they are too narrow to be pressed. */
const MOST_LANES = 4;
/** A pointer that moved less has only been pressed. */
const DRAWN_PX = 6;

const minutesOf = (slot) => (Date.parse(slot.end_time) - Date.parse(slot.start_time)) / 60_000;

function hourHeight(slots) {
  const wanted = (TARGET_PX * 60) / Math.min(60, ...slots.map(minutesOf));
  return Math.min(Math.max(Math.ceil(wanted), HOUR_PX.least), HOUR_PX.most);
}

const hourOf = (text) => new Date(text).getHours() + new Date(text).getMinutes() / 60;
/** When it ends, in hours of the day on which it begins. */
const endOf = (slot) => Math.min(24, hourOf(slot.start_time) + minutesOf(slot) / 60);

/** The slots of a day with their places beside each other: `[slot, lane, lanes]`. */
function inLanes(slots) {
  /** @type {[any, number, number][]} */
  const placed = [];
  /** @type {[any, number][]} */
  let group = [];
  let ends = [];
  const finish = () => {
    placed.push(...group.map(([slot, lane]) => /** @type {any} */ ([slot, lane, ends.length])));
    group = [];
    ends = [];
  };
  for (const slot of slots) {
    const start = Date.parse(slot.start_time);
    if (ends.every((end) => end <= start)) finish();
    const lane = ends.findIndex((end) => end <= start);
    const at = lane < 0 ? ends.length : lane;
    ends[at] = Date.parse(slot.end_time);
    group.push([slot, at]);
  }
  finish();
  return placed;
}

/**
 * @param {object} props
 * @param {Date} props.from the first day
 * @param {any[]} props.slots of the week
 * @param {(times: {start_time: string, end_time: string}) => any} props.draw
 * @param {(slot: any) => any} props.open
 * @param {(slot: any, times: {start_time: string, end_time: string}) => any} props.move
 */
export function WeekGrid({ from, slots, draw, open, move }) {
  const drawn = useSignal(/** @type {any} */ (null));
  /** Where the pointer was pressed, and whether it has drawn since. */
  const pressed = useRef(/** @type {any} */ (null));
  const days = Array.from(
    { length: 7 },
    (_, n) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + n),
  );
  const first = Math.min(HOURS[0], ...slots.map((one) => Math.floor(hourOf(one.start_time))));
  const last = Math.max(HOURS[1], ...slots.map((one) => Math.ceil(endOf(one))));
  const row = hourHeight(slots);
  const height = (last - first) * row;
  /** The time at a place of a column, in minutes of the day. */
  const exact = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.min(Math.max(event.clientY - box.top, 0), height);
    return first * 60 + (at / row) * 60;
  };
  const minute = (event) => Math.round(exact(event) / STEP_MIN) * STEP_MIN;
  /** The times between two minutes of a day. */
  const times = (day, from, to) => {
    const at = (minutes) =>
      new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minutes).toISOString();
    return { start_time: at(from), end_time: at(to) };
  };
  const tell = (day, from, to) => draw(times(day, from, to));
  /** The day below the pointer, and the minute of it. */
  const below = (event) => {
    const columns = [...event.currentTarget.closest(".grid-week").querySelectorAll(".hours-of")];
    const boxes = columns.map((one) => one.getBoundingClientRect());
    const n = boxes.findIndex((box) => event.clientX >= box.left && event.clientX < box.right);
    const day = days[n];
    return day && { day, minute: first * 60 + ((event.clientY - (boxes[n]?.top ?? 0)) / row) * 60 };
  };
  /** A slot is dragged to another time: by the mouse, from where it was taken. */
  const take = (slot) => (event) => {
    event.stopPropagation();
    if (event.button !== 0 || event.pointerType === "touch") return;
    // Also a fast pointer moves the slot that was taken.
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = hourOf(slot.start_time) * 60;
    const [x, y] = [event.clientX, event.clientY];
    pressed.current = { slot, x, y, by: (below(event)?.minute ?? at) - at, hasDrawn: false };
  };
  const drag = (event) => {
    const { current } = pressed;
    if (!current?.slot || event.buttons === 0) return;
    event.stopPropagation();
    const way = Math.hypot(event.clientX - current.x, event.clientY - current.y);
    if (!current.hasDrawn && way < DRAWN_PX) return;
    current.hasDrawn = true;
    const to = below(event);
    if (!to) return;
    const start = Math.round((to.minute - current.by) / STEP_MIN) * STEP_MIN;
    const from = Math.min(Math.max(start, 0), 24 * 60 - STEP_MIN);
    drawn.value = { day: to.day, from, to: from + minutesOf(current.slot) };
  };
  const drop = (slot) => (event) => {
    if (!pressed.current?.slot) return;
    event.stopPropagation();
    const to = drawn.value;
    drawn.value = null;
    if (!to) return;
    const moved = times(to.day, to.from, to.to);
    if (Date.parse(moved.start_time) !== Date.parse(slot.start_time)) void move(slot, moved);
  };
  const opened = (slot) => () => {
    const hasMoved = pressed.current?.slot && pressed.current.hasDrawn;
    pressed.current = null;
    if (!hasMoved) open(slot);
  };
  const begin = (event) => {
    // A finger that moves scrolls the page.
    const isMouse = event.button === 0 && event.pointerType !== "touch";
    pressed.current = isMouse ? { y: event.clientY, from: minute(event), hasDrawn: false } : null;
  };
  const go = (day) => (event) => {
    const { current } = pressed;
    if (!current || event.buttons === 0) return;
    if (!current.hasDrawn && Math.abs(event.clientY - current.y) < DRAWN_PX) return;
    // From here on a slot below the pointer is not pressed.
    if (!current.hasDrawn) event.currentTarget.setPointerCapture(event.pointerId);
    current.hasDrawn = true;
    drawn.value = { day, from: current.from, to: minute(event) };
  };
  const end = () => {
    const { day, from: one, to: other } = drawn.value ?? {};
    drawn.value = null;
    if (day && one !== other) tell(day, Math.min(one, other), Math.max(one, other));
  };
  const press = (day) => (event) => {
    const hasDrawn = pressed.current?.hasDrawn;
    pressed.current = null;
    if (hasDrawn || event.target !== event.currentTarget) return;
    const half = Math.min(Math.floor(exact(event) / 30) * 30, (last - 1) * 60);
    tell(day, half, half + 60);
  };
  const place = (top, bottom) => ({
    top: `${((top - first * 60) / 60) * row}px`,
    height: `${((bottom - top) / 60) * row}px`,
  });
  const isOn = (day) => (slot) => new Date(slot.start_time).toDateString() === day.toDateString();
  return html`<div class="grid-week noprint" style=${{ "--row": `${row}px` }}>
    <div class="hours" aria-hidden="true">${Array.from(
      { length: last - first },
      (_, n) => html`<span>${clock(new Date(2000, 0, 1, first + n).toISOString())}</span>`,
    )}</div>
    ${days.map(
      (day) => html`<div key=${day.getTime()}><h2 class="small">
        ${dated(day, { weekday: "short", day: "numeric" })}</h2>
      <div class="hours-of" style=${{ height: `${height}px` }} title=${t("slots.draw")}
        onPointerDown=${begin} onPointerMove=${go(day)} onPointerUp=${end} onClick=${press(day)}
        onPointerCancel=${() => (drawn.value = null)}>
        ${inLanes(slots.filter(isOn(day))).map(([slot, lane, lanes]) => {
          const style = {
            ...place(hourOf(slot.start_time) * 60, endOf(slot) * 60),
            left: `calc(2px + ${(lane / lanes) * 100}%)`,
            width: `calc(${100 / lanes}% - 4px)`,
          };
          if ((minutesOf(slot) / 60) * row < TARGET_PX || lanes > MOST_LANES)
            return html`<div key=${slot.id} class="slot" style=${style} aria-hidden="true"></div>`;
          const people = slot.bookings.map((one) => one.user.name).join(", ");
          const text = [clock(slot.start_time), people].filter(Boolean).join(" ");
          const booked = t("slots.booked", { n: slot.booked, of: slot.capacity });
          const name = [dated(day, { weekday: "long" }), text, `– ${clock(slot.end_time)}`, booked];
          return html`<button key=${slot.id} class=${slot.booked ? "slot taken" : "slot"}
            style=${style} onClick=${opened(slot)} onPointerDown=${take(slot)}
            onPointerMove=${drag} onPointerUp=${drop(slot)} title=${people || undefined}
            aria-label=${name.join(", ")}>${text}</button>`;
        })}
        ${
          drawn.value?.day.getTime() === day.getTime() &&
          html`<div class="slot drawn" style=${place(
            Math.min(drawn.value.from, drawn.value.to),
            Math.max(drawn.value.from, drawn.value.to),
          )}></div>`
        }</div></div>`,
    )}</div>`;
}
