// The fields with which a new showing becomes a series: how often, until when, and its days, of
// which some can be left out before anything is made.

import { html } from "./kit.js";
import { config } from "./config.js";
import { MOST, dayIn, daysOf, placeOf, ruleOf } from "./series.js";
import { dated, t } from "./texts.js";

const REPEATS = ["", "daily", "weekly", "biweekly", "monthly"];
const zone = config.time_zone;
const date = (day) => new Date(`${day}T12:00:00Z`);
const named = (day, style) => dated(date(day), { ...style, timeZone: "UTC" });

/** What a new showing has of them. */
export const NO_SERIES = { repeats: "", until: "", except: [] };

const first = (values) => (values.start_time ? dayIn(values.start_time, zone) : "");
const days = (values) =>
  values.repeats && values.until && first(values)
    ? daysOf(values.repeats, first(values), values.until)
    : [];

/** The series in words, such as "every Tuesday until 20 February, except 24 December". */
function inWords(values, left) {
  const start = first(values);
  const day = named(start, { weekday: "long" });
  const style = /** @type {const} */ ({ day: "numeric", month: "long" });
  const place = t(`series.place.${placeOf(start)}`);
  const often = t(`series.${values.repeats}.words`, { day, place });
  const until = t("series.until.words", { date: named(values.until, style) });
  const except = left.map((one) => named(one, style)).join(", ");
  return `${often} ${until}${except && `, ${t("series.except.words", { dates: except })}`}`;
}

/** The days, each with a box. */
function Days({ id, values, value, change }) {
  const all = days(values);
  const left = all.filter((day) => value.includes(day));
  if (all.length === 0) return html`<p class="quiet">${t("series.none")}</p>`;
  if (all.length > MOST) return html`<p class="problem">${t("series.many", { n: MOST })}</p>`;
  const style = /** @type {const} */ ({ weekday: "short", day: "numeric", month: "short" });
  return html`<p><b>${inWords(values, left)}</b></p>
    <p class="quiet">${t("series.count", { n: all.length - left.length })}</p>
    <div class="choices">${all.map(
      (day) => html`<label class="check" key=${day}><input type="checkbox" id=${`${id}-${day}`}
        checked=${!value.includes(day)} onChange=${(event) =>
          change(
            event.currentTarget.checked ? value.filter((one) => one !== day) : [...value, day],
          )}
        /> ${named(day, style)}</label>`,
    )}</div>`;
}

export const seriesFields = (values) => {
  const repeats = {
    name: "repeats",
    label: t("series"),
    kind: "choice",
    options: REPEATS.map((one) => [one, t(`series.${one || "once"}`)]),
  };
  if (!values.repeats) return [repeats];
  const until = {
    name: "until",
    label: t("series.until"),
    kind: "own",
    show: ({ id, value, change }) =>
      html`<input type="date" id=${`${id}-day`} aria-label=${t("series.until")} value=${value}
        max="2099-12-31" onChange=${(event) => change(event.currentTarget.value)} />`,
  };
  const except = {
    name: "except",
    label: t("series.days"),
    kind: "own",
    show: (field) => html`<${Days} ...${field} values=${values} />`,
  };
  return [repeats, until, except];
};

/** What is sent to make the series, or nothing if it is none. */
export function seriesOf({ repeats, until, except, ...showing }) {
  if (!repeats) return { showing, series: null };
  const all = days({ ...showing, repeats, until });
  if (all.length === 0) throw new Error(t("series.none"));
  const rule = ruleOf(repeats, first(showing), until);
  return { showing, series: { rule, except: except.filter((day) => all.includes(day)) } };
}
