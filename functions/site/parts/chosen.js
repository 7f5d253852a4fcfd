// The submissions that an officer has chosen: the list chooses, and the list or the page of the
// mails acts. They stay while the tab is open, for the application that was chosen in last.

import { signal } from "./kit.js";

const KEY = "chosen";
const stored = () => {
  try {
    return JSON.parse(globalThis.sessionStorage?.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
};
const chosen = signal(/** @type {{application?: string, ids?: number[]}} */ (stored()));

/**
 * @param {string} application
 * @returns {Set<number>}
 */
export const chosenIn = (application) =>
  new Set(chosen.value.application === application ? chosen.value.ids : []);

/**
 * @param {string} application
 * @param {Iterable<number>} ids
 */
export function choose(application, ids) {
  chosen.value = { application, ids: [...ids] };
  globalThis.sessionStorage?.setItem(KEY, JSON.stringify(chosen.value));
}

/**
 * What is chosen after a click on a row. With Shift, all rows from the one before are as this one
 * will be.
 * @param {Set<number>} before
 * @param {number[]} rows ids, in the order that is shown
 * @param {number} id
 * @param {number | null} last the row that was clicked before, if Shift is pressed
 */
export function clicked(before, rows, id, last) {
  const next = new Set(before);
  const isOn = !before.has(id);
  const [from, to] = [rows.indexOf(last ?? id), rows.indexOf(id)].sort((a, b) => a - b);
  for (const one of rows.slice(from < 0 ? to : from, to + 1)) {
    if (isOn) next.add(one);
    else next.delete(one);
  }
  return next;
}

/**
 * The ids of so many with the best average score; of equal ones, of those who came first.
 * @param {{id: number, score_average?: number | null, created_at: string}[]} rows
 * @param {number} n
 */
export function best(rows, n) {
  const scored = rows.filter((one) => typeof one.score_average === "number");
  scored.sort(
    (a, b) =>
      Number(b.score_average) - Number(a.score_average) || (a.created_at < b.created_at ? -1 : 1),
  );
  return scored.slice(0, Math.max(0, n)).map((one) => one.id);
}

const HOUR = 3_600_000;

/**
 * How many places can still be booked in these slots by people of these committees. 0 stands for
 * people without a committee.
 * @param {{start_time: string, capacity: number, booked: number, committee: number | null}[]} slots
 * @param {{notice: number, committees: Set<number>, now: number}} of `notice` in hours
 */
export function freePlaces(slots, { notice, committees, now }) {
  const fits = ({ start_time, committee }) =>
    Date.parse(start_time) - notice * HOUR > now &&
    (committee === null || committees.has(committee));
  return slots
    .filter(fits)
    .reduce((sum, slot) => sum + Math.max(0, slot.capacity - slot.booked), 0);
}
