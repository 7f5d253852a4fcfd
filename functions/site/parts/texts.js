// The language of the page. All texts are in one file for each language.

import { signal } from "./kit.js";

const known = ["en", "de"];
const stored = localStorage.getItem("language");
const wanted = [stored, ...navigator.languages].map((tag) => (tag ?? "").slice(0, 2));
export const language = signal(wanted.find((tag) => known.includes(tag)) ?? "en");
export const languages = { en: "English", de: "Deutsch" };

let texts = (await import(`../texts/${language.value}.js`)).default;

export async function speak(tag) {
  texts = (await import(`../texts/${tag}.js`)).default;
  if (tag !== "en") await readSentences();
  localStorage.setItem("language", tag);
  document.documentElement.lang = tag;
  language.value = tag;
}

document.documentElement.lang = language.value;

/** The text with this name. `{x}` stands for a value; `a|b` is one form for 1 and one for others. */
export function t(name, values = {}) {
  language.value;
  let text = texts[name] ?? name;
  if (text.includes("|") && typeof values.n === "number") text = text.split("|")[values.n === 1 ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

const API = "api.";
/** The sentences of the API with their names, as patterns. They are needed in other languages only. */
let sentences;
async function readSentences() {
  const english = Object.entries((await import("../texts/en.js")).default);
  sentences = english.filter(([name]) => name.startsWith(API)).map(([name, text]) => {
    const values = [...text.matchAll(/\{(\w+)\}/g)].map(([, value]) => value);
    const source = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "(.+)");
    return { name, values, pattern: new RegExp(`^${source}$`) };
  });
}
if (language.value !== "en") await readSentences();

/** What the API said, in the language of the page. A sentence that is not known stays as it is. */
export function told(sentence) {
  if (language.value === "en" || !sentences) return sentence;
  for (const { name, values, pattern } of sentences) {
    const found = pattern.exec(sentence);
    if (found) return t(name, Object.fromEntries(values.map((value, i) => [value, found[i + 1]])));
  }
  return sentence;
}

/** The name of the reader's time zone. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A moment in the reader's zone. Deadlines name the zone. */
export function moment(text, { zoned = false, day = false } = {}) {
  const date = new Date(text);
  /** @type {Intl.DateTimeFormatOptions} */
  const style = day
    ? { weekday: "short", day: "numeric", month: "short", year: "numeric" }
    : { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  /** @type {Intl.DateTimeFormatOptions} */
  const year = date.getFullYear() !== new Date().getFullYear() ? { year: "numeric" } : {};
  const shown = new Intl.DateTimeFormat(language.value, { ...style, ...year }).format(date);
  return zoned ? `${shown} (${zone})` : shown;
}

/** How far a moment is away, such as "in 3 days". */
export function away(text) {
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units[2];
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: "auto" });
  return format.format(Math.round(seconds / size), unit);
}
