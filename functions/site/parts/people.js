// People of the university, found by a part of their name.

import { html, useEffect, useSignal } from "./kit.js";
import { get } from "./api.js";
import { t } from "./texts.js";

/** The service is asked when nobody has typed for this time, in milliseconds. */
const PAUSE_MS = 250;

/**
 * @param {object} props
 * @param {string} props.id of the field
 * @param {string} props.label
 * @param {(person: import("../api").Schemas["UserBody"], clear: () => void) => any} props.show
 *   draws what can be done with a person
 */
export function FindPeople({ id, label, show }) {
  const words = useSignal("");
  const isFound = useSignal(false);
  const problem = useSignal("");
  const found = useSignal(/** @type {import("../api").Schemas["UserBody"][]} */ ([]));
  useEffect(() => {
    const search = words.value.trim();
    const waiting = setTimeout(async () => {
      try {
        const hits =
          search.length < 2 ? [] : await get(`/users/?${new URLSearchParams({ search })}`);
        if (search !== words.value.trim()) return;
        found.value = hits;
        isFound.value = search.length >= 2;
        problem.value = "";
      } catch (error) {
        if (search !== words.value.trim()) return;
        found.value = [];
        isFound.value = false;
        problem.value = error.message;
      }
    }, PAUSE_MS);
    return () => clearTimeout(waiting);
  }, [words.value]);
  const clear = () => (words.value = "");
  return html`<div class="field"><label for=${id}>${label}</label>
      <input id=${id} type="search" value=${words.value}
        onKeyDown=${(event) => event.key === "Enter" && event.preventDefault()}
        onInput=${(event) => (words.value = event.currentTarget.value)} /></div>
    ${problem.value && html`<p class="problem" role="alert">${problem.value}</p>`}
    <p role="status" class="quiet">${isFound.value && t("members.found", { n: found.value.length })}
      </p>
    <ul>${found.value.map(
      (person) => html`<li key=${person.id}>${person.name} <span class="quiet">${person.username}
        </span> ${show(person, clear)}</li>`,
    )}</ul>`;
}
