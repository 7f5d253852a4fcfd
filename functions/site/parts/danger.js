// A button for what cannot be undone: a dialog says what ends with it, and asks for the name.

import { html, useSignal } from "./kit.js";
import { loaded, useLoad } from "./load.js";
import { t } from "./texts.js";
import { Action, Dialog } from "./ui.js";

/** @typedef {import("../api").Schemas["EndingBody"]} Ending */

/**
 * What ends, in sentences.
 * @param {Ending} ends
 */
const sentences = ({ applications, submissions, interviews, people, has_more }) => {
  const all = [
    [submissions, "danger.submissions", { n: submissions, applications }],
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
 * @param {() => any} props.run
 * @param {string} props.done
 */
export function Danger({ label, name, about = "", ending = "", run, done }) {
  const isOpen = useSignal(false);
  const typed = useSignal("");
  const close = () => (isOpen.value = false);
  const open = () => {
    typed.value = "";
    isOpen.value = true;
  };
  const isSame = typed.value.trim() === name.trim();
  return html`<button class="danger" onClick=${open}>${label} …</button>
    ${
      isOpen.value &&
      html`<${Dialog} label=${label} close=${close}>
      ${about && html`<p>${about}</p>`}
      ${ending && html`<${Consequences} path=${ending} />`}
      <div class="field"><label for="danger-name">${t("danger.name", { name })}</label>
        <input id="danger-name" autocomplete="off" value=${typed.value}
          onInput=${(event) => (typed.value = event.currentTarget.value)} /></div>
      <p class="line"><${Action} className="danger" disabled=${!isSame} done=${done}
        run=${async () => {
          const said = await run();
          close();
          return said;
        }}>${label}<//><button onClick=${close}>${t("danger.cancel")}</button></p><//>`
    }`;
}

/**
 * What ends, before it does.
 * @param {{path: `/clubs/${string}/ending/`}} props
 */
function Consequences({ path }) {
  const ends = useLoad(path);
  return loaded(
    ends,
    (found) =>
      html`<ul class="bad">${sentences(found).map(
        (text) => html`<li key=${text}>${text}</li>`,
      )}</ul>`,
    2,
  );
}
