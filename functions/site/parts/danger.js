// A button for what cannot be undone: a dialog says what ends with it, and asks for the name.

import { html, useSignal } from "./kit.js";
import { loaded, useLoad } from "./load.js";
import { t } from "./texts.js";
import { Action, Dialog } from "./ui.js";

/** @typedef {import("../api").Schemas["EndingBody"]} Ending */
/** That of a club has the same response. @typedef {`/clubs/${string}/applications/${string}/ending/`} OfForm */

/**
 * What ends, in sentences.
 * @param {Ending} ends
 */
const sentences = ({ submissions, interviews, people, has_more }) => {
  const all = [
    [submissions, "danger.submissions", { n: submissions }],
    [interviews, "danger.interviews", { n: interviews }],
    [people, "danger.people", { n: people }],
  ];
  const texts = all.filter(([n]) => n).map(([, text, values]) => t(text, values));
  return has_more ? [...texts, t("danger.more")] : texts;
};

/**
 * @param {object} props
 * @param {string} props.label of the button
 * @param {string} props.name what must be typed
 * @param {string} [props.about] what is said in any case
 * @param {string} [props.ending] the path that counts what ends; nothing if nothing does
 * @param {(ends?: Ending) => any} props.run gets what was counted
 * @param {string} props.done
 */
export function Danger({ label, name, about = "", ending = "", run, done }) {
  const isOpen = useSignal(false);
  const close = () => (isOpen.value = false);
  return html`<button class="danger" onClick=${() => (isOpen.value = true)}>${label} …</button>
    ${
      isOpen.value &&
      html`<${Dialog} label=${label} close=${close}>
      ${about && html`<p>${about}</p>`}
      <${Question} ...${{ label, name, ending, run, done, close }} /><//>`
    }`;
}

/** What ends, and the name to be typed. What goes wrong is said here: the page is behind it. */
function Question({ label, name, ending, run, done, close }) {
  const ends = useLoad(/** @type {OfForm} */ (ending));
  const typed = useSignal("");
  const wrong = useSignal("");
  const isReady = typed.value.trim() === name.trim() && (!ending || Boolean(ends.data));
  const act = async () => {
    wrong.value = "";
    try {
      await run(ends.data);
    } catch (error) {
      wrong.value = error.message;
      return false;
    }
    close();
  };
  return html`${
    ending &&
    loaded(
      ends,
      (found) =>
        html`<ul class="bad">${sentences(found).map(
          (text) => html`<li key=${text}>${text}</li>`,
        )}</ul>`,
      2,
    )
  }
    <div class="field"><label for="danger-name">${t("danger.name", { name })}</label>
      <input id="danger-name" autocomplete="off" value=${typed.value}
        onInput=${(event) => (typed.value = event.currentTarget.value)} /></div>
    ${wrong.value && html`<p class="problem" role="alert">${wrong.value}</p>`}
    <p class="line"><${Action} className="danger" disabled=${!isReady} done=${done}
      run=${act}>${label}<//><button onClick=${close}>${t("danger.cancel")}</button></p>`;
}
