// The language of the page. All texts are in one file for each language.

import { signal } from "./kit.js";
import { config } from "./config.js";

const known = ["en", "de"];
const stored = localStorage.getItem("language");
const wanted = [stored, ...navigator.languages].map((tag) => (tag ?? "").slice(0, 2));
export const language = signal(wanted.find((tag) => known.includes(tag)) ?? "en");
export const languages = { en: "English", de: "Deutsch" };

/** Texts that only some pages need are in files of their own, which are loaded with them. */
const parts = new Set();
let texts = await textsOf(language.value);

async function textsOf(tag) {
  const wanted = [
    import(`../texts/${tag}.js`),
    ...[...parts].map((part) => import(`../texts/${tag}_${part}.js`)),
  ];
  return Object.assign({}, ...(await Promise.all(wanted)).map((file) => file.default));
}

/** Loads more texts: `forms` for applicants, and all for officers and admins. */
export async function loadTexts(...wanted) {
  const missing = wanted.filter((part) => !parts.has(part));
  const tag = language.value;
  const files = await Promise.all(missing.map((part) => import(`../texts/${tag}_${part}.js`)));
  if (tag !== language.value) return loadTexts(...wanted);
  for (const file of files) Object.assign(texts, file.default);
  // Not before they are there: another page may ask for them meanwhile.
  for (const part of missing) parts.add(part);
}

export async function speak(tag) {
  const before = parts.size;
  const found = await textsOf(tag);
  // A page may have loaded more meanwhile.
  if (parts.size !== before) return speak(tag);
  texts = found;
  localStorage.setItem("language", tag);
  document.documentElement.lang = tag;
  language.value = tag;
}

document.documentElement.lang = language.value;

/** The text with this name. `{x}` is a value; `a|b` is one form for 1 and one for others. */
export function t(name, values = {}) {
  language.value;
  let text = texts[name] ?? name;
  if (text.includes("|") && typeof values.n === "number")
    text = text.split("|")[values.n === 1 ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

/** Loads what the API refuses, with the first error. Without a network, its own sentences stay. */
export const loadProblems = () => loadTexts("problems").catch(() => {});

/** A number of bytes, such as "4 MB". */
function size(bytes) {
  const kilo = bytes % 1024 === 0 ? 1024 : 1000;
  const [unit, name] = bytes >= kilo * kilo ? [kilo * kilo, "MB"] : [kilo, "KB"];
  return `${decimal(bytes / unit, 1)} ${name}`;
}

/**
 * What the API refused, in the language of the page; what it said itself if there is no text.
 * @param {{code: string, [value: string]: any} | undefined} reason none from an earlier release
 * @param {string} sentence
 * @param {string} [field] where it stands
 */
export function told(reason, sentence, field = "") {
  if (!reason) return sentence;
  const { code, limit, minimum, until, allowed, count } = reason;
  const name = `problem.${code}`;
  const own = field.split(".").findLast((part) => Number.isNaN(Number(part)));
  const names = [`${name}.${own}`, `${name}.${reason.field}`, name];
  const found = names.find((one) => one in texts);
  return found
    ? t(found, {
        ...reason,
        at: field,
        n: count ?? minimum,
        size: limit === undefined ? "" : size(limit),
        until: until && moment(until),
        allowed: allowed?.join(", "),
      })
    : sentence;
}

/** The language of the page as the reader's region writes it: `en-GB` has 24 hours. */
export const locale = () =>
  navigator.languages.find((tag) => tag.split("-")[0] === language.value) ?? language.value;

/** The name of the reader's time zone. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The city of the reader's zone, where the clocks of the campus show another time. */
const city = (date) => {
  const is = (timeZone) =>
    date.toLocaleString("en", { timeZone, dateStyle: "short", timeStyle: "short" });
  try {
    if (is(config.time_zone) === is(zone)) return "";
  } catch {
    // A browser that does not know this zone.
  }
  return ` (${zone.split("/").at(-1)?.replaceAll("_", " ")})`;
};

/** A moment in the reader's zone. Deadlines name its city where it is not that of the campus. */
export function moment(text, { zoned = false, day = false } = {}) {
  const date = new Date(text);
  /** @type {Intl.DateTimeFormatOptions} */
  const style = day
    ? { weekday: "short", day: "numeric", month: "short", year: "numeric" }
    : { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" };
  /** @type {Intl.DateTimeFormatOptions} */
  const year = date.getFullYear() !== new Date().getFullYear() ? { year: "numeric" } : {};
  const shown = new Intl.DateTimeFormat(locale(), { ...style, ...year }).format(date);
  return zoned ? shown + city(date) : shown;
}

/** A number with at most two decimals, or fewer. */
export const decimal = (number, most = 2) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: most }).format(number);

/** The days and times of a part of the day, such as "7:00 PM". */
export const clock = (text) =>
  new Intl.DateTimeFormat(locale(), { hour: "numeric", minute: "2-digit" }).format(new Date(text));
/** A part of a date in the language of the page. */
export const dated = (date, style) => new Intl.DateTimeFormat(locale(), style).format(date);

/** How far a moment is away, such as "in 3 days". */
export function away(text) {
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ];
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units[2];
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  return format.format(Math.round(seconds / size), unit);
}
