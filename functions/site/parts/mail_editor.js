// The template of a mail: its text, buttons for what it can name, and how it looks.

import { html, useRef } from "./kit.js";
import { config } from "./config.js";
import { t } from "./texts.js";
import { Rich } from "./ui.js";

/** What a template can name, with an example. */
const EXAMPLES = {
  name: "Fatima",
  full_name: "Fatima Zahra",
  club: config.university,
  committee: "Software",
  application: "Autumn recruitment",
  reason: "You build things and finish them.",
};

/** Where an applicant chooses a time: only invitations to an interview have it, and no reason. */
const LINK = { link: "https://clubs.example/submissions/1/interview/" };
const { reason: _, ...INVITED } = { ...EXAMPLES, ...LINK };

/** A condition without others inside: what it shows, and what else it would. */
const CONDITION =
  /\{%\s*if\b[^%]*%\}((?:(?!\{%).)*)(?:\{%\s*else\s*%\}(?:(?!\{%).)*)?\{%\s*endif\s*%\}/s;

/** A template as its recipient would see it; conditions count as fulfilled. */
export function filled(template, values) {
  let text = template;
  while (CONDITION.test(text)) text = text.replace(CONDITION, "$1");
  return text
    .replace(/\{%.*?%\}/gs, "")
    .replace(/\{\{\s*(\w+)[^}]*\}\}/g, (_, name) => values[name] ?? "");
}

const TAG = /<\/?[a-z][a-z0-9]*(\s[^>]*)?\/?>/i;

/** A template without a tag is text: its empty lines make paragraphs. The service does the same. */
export function shownAsMail(template) {
  if (TAG.test(template)) return template;
  const text = template.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const paragraphs = text.split(/\n\s*\n/).filter((one) => one.trim());
  return paragraphs.map((one) => `<p>${one.trim().replaceAll("\n", "<br>")}</p>`).join("");
}

/** @param {{id: string, value: string, change: (value: string) => void, examples?: any}} props */
export function MailEditor({ id, value, change, examples }) {
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const insert = (name) => () => {
    const field = area.current;
    if (!field) return;
    field.setRangeText(`{{ ${name} }}`, field.selectionStart, field.selectionEnd, "end");
    field.focus();
    change(field.value);
  };
  const known = id.includes("interview") ? INVITED : EXAMPLES;
  const values = { ...known, ...examples };
  values.committees ??= values.committee;
  return html`<div class="line" role="group" aria-label=${t("builder.mail.names")}>
      ${Object.keys(known).map(
        (name) => html`<button type="button" class="chip" key=${name} onClick=${insert(name)}>
          ${t(`builder.mail.${name}`)}</button>`,
      )}</div>
    <textarea id=${`${id}-text`} aria-label=${t("builder.mail.text")} rows="6" ref=${area}
      value=${value ?? ""} onInput=${(event) => change(event.currentTarget.value)}></textarea>
    <details class="card" open><summary>${t("builder.mail.preview")}</summary>
      ${
        value?.trim()
          ? html`<${Rich} text=${filled(shownAsMail(value), values)} />`
          : html`<p class="quiet">${t("builder.mail.standard")}</p>`
      }</details>`;
}
