// The days of a series, as the clocks of the campus show them. Nothing here knows the page, so that
// it is tested without a browser.

const CODES = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
/** More showings than this has no event. */
export const MOST = 100;

/** The day of a moment in a time zone, such as `2026-12-24`. */
export function dayIn(moment, zone) {
  const options = /** @type {const} */ ({ year: "numeric", month: "2-digit", day: "2-digit" });
  // Swedes write dates so.
  return new Intl.DateTimeFormat("sv-SE", { ...options, timeZone: zone }).format(new Date(moment));
}

const at = (day) => new Date(`${day}T12:00:00Z`);
const dayOf = (date) => date.toISOString().slice(0, 10);
/** Which of its weekday a day is in its month: 1 to 4, or -1 for the last one. */
export function placeOf(day) {
  const nth = Math.ceil(at(day).getUTCDate() / 7);
  return nth > 4 ? -1 : nth;
}

/** The rule of a series (RFC 5545). */
export function ruleOf(repeats, first, until) {
  const day = CODES[at(first).getUTCDay()];
  const end = `UNTIL=${until.replaceAll("-", "")}`;
  const rules = {
    daily: "FREQ=DAILY",
    weekly: `FREQ=WEEKLY;BYDAY=${day}`,
    biweekly: `FREQ=WEEKLY;INTERVAL=2;BYDAY=${day}`,
    monthly: `FREQ=MONTHLY;BYDAY=${placeOf(first)}${day}`,
  };
  return `${rules[repeats]};${end}`;
}

/** The same weekday at the same place of the month after this one. */
function nextMonth(day) {
  const place = placeOf(day);
  const date = at(day);
  const weekday = date.getUTCDay();
  if (place < 0) {
    // The last day of the next month, and back to the weekday.
    date.setUTCMonth(date.getUTCMonth() + 2, 0);
    date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() - weekday + 7) % 7));
  } else {
    date.setUTCMonth(date.getUTCMonth() + 1, 1);
    date.setUTCDate(1 + ((weekday - date.getUTCDay() + 7) % 7) + 7 * (place - 1));
  }
  return dayOf(date);
}

function after(repeats, day) {
  if (repeats === "monthly") return nextMonth(day);
  const date = at(day);
  date.setUTCDate(date.getUTCDate() + { daily: 1, weekly: 7, biweekly: 14 }[repeats]);
  return dayOf(date);
}

/** The days of a series, one more than an event may have if there are so many. */
export function daysOf(repeats, first, until) {
  const days = [];
  for (let day = first; day <= until && days.length <= MOST; day = after(repeats, day))
    days.push(day);
  return days;
}
