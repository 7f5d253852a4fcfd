// People of the university, found by a part of their name.

import { html, useSignal } from "./kit.js";
import { useLoad, useSearch } from "./load.js";
import { t } from "./texts.js";

/** Fewer letters find too many. */
const LEAST = 2;

/**
 * @param {object} props
 * @param {string} props.id of the field
 * @param {string} props.label
 * @param {(person: import("../api").Schemas["UserBody"], clear: () => void) => any} props.show
 *   draws what can be done with a person
 */
export function FindPeople({ id, label, show }) {
  const asked = useSignal("");
  const words = useSearch(asked.value, (typed) => (asked.value = typed));
  const search = asked.value.trim();
  const isAsked = search.length >= LEAST;
  const { data, error } = useLoad(isAsked ? `/users/?${new URLSearchParams({ search })}` : "");
  const found = (isAsked && data) || [];
  const clear = () => (asked.value = "");
  return html`<div class="field"><label for=${id}>${label}</label>
      <input id=${id} type="search" value=${words.value}
        onKeyDown=${(event) => event.key === "Enter" && event.preventDefault()}
        onInput=${(event) => (words.value = event.currentTarget.value)} /></div>
    ${isAsked && error && html`<p class="problem" role="alert">${error.message}</p>`}
    <p role="status" class="quiet">${isAsked && data && t("members.found", { n: found.length })}</p>
    <ul>${found.map(
      (person) => html`<li key=${person.id}>${person.name} <span class="quiet">${person.username}
        </span> ${show(person, clear)}</li>`,
    )}</ul>`;
}
