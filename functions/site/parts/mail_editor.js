// The template of a mail: its text with chips for what it names, and how it looks to an applicant.

import { html, useSignal } from "./kit.js";
import { config } from "./config.js";
import { Editor } from "./editor.js";
import { nameOf } from "./submissions.js";
import { filled, shownAsMail } from "./template.js";
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

/**
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.value
 * @param {string} props.label
 * @param {(value: string) => void} props.change
 * @param {Record<string, any>} [props.examples] what the mail would name
 * @param {any[]} [props.people] submissions whose applicants can be looked at beside the text
 */
export function MailEditor({ id, value, label, change, examples, people = [] }) {
  const chosen = useSignal(0);
  const known = id.includes("interview") ? INVITED : EXAMPLES;
  const one = people[Math.min(chosen.value, people.length - 1)];
  const values = { ...known, ...examples, ...(one && ofPerson(one)) };
  values.committees ??= values.committee;
  const names = Object.fromEntries(
    Object.keys(known).map((name) => [name, t(`builder.mail.${name}`)]),
  );
  return html`<div class="two even">
    <${Editor} id=${`${id}-text`} label=${`${label}: ${t("builder.mail.text")}`}
      value=${shownAsMail(value ?? "")} change=${change} names=${names} />
    <section class="card"><p class="line flat"><b>${t("builder.mail.preview")}</b>
      ${
        people.length > 0 &&
        html`<select aria-label=${`${label}: ${t("builder.mail.for")}`}
        onChange=${(event) => (chosen.value = event.currentTarget.selectedIndex)}>
        ${people.map((of, n) => html`<option selected=${n === chosen.value}>${nameOf(of)}</option>`)}
        </select>`
      }</p>
      ${
        value?.trim()
          ? html`<${Rich} text=${filled(shownAsMail(value), values)} />`
          : html`<p class="quiet">${t("builder.mail.standard")}</p>`
      }</section></div>`;
}

/** What a mail to this applicant names. */
const ofPerson = ({ user, committee, reason }) => ({
  name: user?.first_name || user?.name || "",
  full_name: user?.name ?? "",
  committee: committee?.name ?? "",
  reason: reason ?? "",
});
