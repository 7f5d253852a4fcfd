// Times of interviews: by day, in the reader's time zone, and in that of the campus if it differs.

import { html } from "./kit.js";
import { config } from "./config.js";
import { clock, dated, locale, t, zone } from "./texts.js";
import { Icon } from "./ui.js";

/** The day of a moment in the reader's time zone. */
export const dayStart = (text) => {
  const date = new Date(text);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
};

/** Things with a `start_time` by day: pairs of a day and its things, the earliest first. */
export function byDay(all) {
  const days = new Map();
  for (const one of all) {
    const day = dayStart(one.start_time);
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return [...days].sort(([a], [b]) => a - b);
}

const LONG = /** @type {const} */ ({ weekday: "long", day: "numeric", month: "long" });

/** The name of a day. */
export const dayName = (day) => dated(new Date(day), LONG);

/** From when to when, such as "2:00 – 2:25 PM". */
export const span = (slot) => `${clock(slot.start_time)} – ${clock(slot.end_time)}`;

/** Making one takes long, and a list has many times. */
const formats = new Map();
function formatOf(timeZone) {
  const name = `${locale()} ${timeZone}`;
  const options = /** @type {const} */ ({ weekday: "short", hour: "numeric", minute: "2-digit" });
  const format = formats.get(name) ?? new Intl.DateTimeFormat(locale(), { ...options, timeZone });
  formats.set(name, format);
  return format;
}

/** The same time as the clocks of the campus show it; nothing if they show the same. */
export function campusTime(slot) {
  if (config.time_zone === zone) return "";
  try {
    const at = (text, timeZone) => formatOf(timeZone).format(new Date(text));
    const there = at(slot.start_time, config.time_zone);
    return there === at(slot.start_time, zone) ? "" : `${there} (${config.time_zone})`;
  } catch {
    // A browser that does not know this time zone.
    return "";
  }
}

/** Where an interview is. */
export function Place({ at }) {
  if (!at) return null;
  return html`<span class="line inside"><${Icon} name="map-pin" /> ${
    at.startsWith("https://")
      ? html`<a href=${at} rel="noopener noreferrer" target="_blank" class="cut">${at}</a>`
      : at
  }</span>`;
}

/** A booked slot: day, time, the time on campus if it is another, and the place. */
export function When({ slot }) {
  const there = campusTime(slot);
  return html`<p class="flat"><b>${dayName(slot.start_time)}, ${span(slot)}</b>
      <span class="quiet small"> ${zone}</span></p>
    ${there && html`<p class="quiet small flat">${t("slot.campus", { time: there })}</p>`}
    <${Place} at=${slot.location} />`;
}

const stamp = (text) => new Date(text).toISOString().replace(/[-:]|\.\d+/g, "");
const escaped = (text) => text.replace(/[\\;,]/g, "\\$&").replace(/\n/g, "\\n");

/** A calendar file of something that is fixed, with the `UID` of the mails about it. */
export const calendarFile = (uid, slot, summary) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Clubs//Clubs//EN",
    "BEGIN:VEVENT",
    `UID:${uid}@clubs`,
    `SEQUENCE:${slot.sequence ?? 0}`,
    `DTSTAMP:${stamp(Date.now())}`,
    `DTSTART:${stamp(slot.start_time)}`,
    `DTEND:${stamp(slot.end_time)}`,
    `SUMMARY:${escaped(summary)}`,
    ...(slot.location ? [`LOCATION:${escaped(slot.location)}`] : []),
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
