// A question of an application, as applicants answer it.

import { html } from "./kit.js";
import { t } from "./texts.js";
import { Field } from "./ui.js";

/** The types of questions, as the API counts them. */
export const [FREE, CHOICE, SHORT, INFO] = [1, 2, 3, 4];

/** The number of words of an answer. */
export const words = (text) => (text.trim() ? text.trim().split(/\s+/).length : 0);

/** The questions that somebody who applies to a committee is asked. */
export const questionsFor = (application, committee) =>
  application.questions.filter((question) => !question.committee_question || question.committees.includes(committee));

/** A question with its field. `draft` has the answers, and takes what is typed. */
export function Question({ question, draft, errors }) {
  const id = `q${question.id}`;
  if (question.question_type === INFO) return html`<p class="card">${question.prompt}</p>`;
  const answer = draft.answers.value[question.id] ?? { text: "", multiple_choice: null };
  const state = draft.states.value[question.id];
  const count = words(answer.text ?? "");
  const limit = question.word_limit;
  const problems = [
    ...(errors ?? []),
    ...(limit && count > limit ? [t("apply.words.over", { n: count - limit })] : []),
    ...(state && !["saved", "waiting", "saving", "conflict"].includes(state) ? [state] : []),
  ];
  const hint = limit ? t("apply.words", { count, limit }) : "";
  const type = (event) => draft.change(question.id, { text: event.currentTarget.value });
  const conflict = draft.conflicts.value[question.id];
  if (question.question_type === CHOICE) {
    return html`<fieldset id=${id} tabindex="-1"><legend>${question.prompt}</legend>
      ${question.multiple_choice.map((option) => html`<p><label class="check">
        <input type="radio" name=${id} checked=${answer.multiple_choice === option.id} onChange=${() => draft.change(question.id, { multiple_choice: option.id })} />
        ${option.value}</label></p>`)}
      ${answer.multiple_choice && html`<p><button class="plain" onClick=${() => draft.change(question.id, {})}>${t("apply.none")}</button></p>`}
      ${problems.map((text) => html`<p class="message" role="alert">${text}</p>`)}
      ${conflict && html`<${Conflict} question=${question} other=${conflict} draft=${draft} />`}
    </fieldset>`;
  }
  const control = question.question_type === SHORT
    ? html`<input id=${id} style=${{ width: "100%" }} value=${answer.text} onInput=${type} aria-describedby=${`${id}-notes`} />`
    : html`<textarea id=${id} rows="8" value=${answer.text} onInput=${type} aria-describedby=${`${id}-notes`}></textarea>`;
  return html`<${Field} id=${id} label=${question.prompt} errors=${problems} hint=${hint}>${control}<//>
    ${conflict && html`<${Conflict} question=${question} other=${conflict} draft=${draft} />`}`;
}

/** Both versions of an answer that another tab changed. */
function Conflict({ question, other, draft }) {
  const option = question.multiple_choice.find((one) => one.id === other.multiple_choice);
  const choose = (mine) => {
    draft.resolve(question.id, mine);
    document.getElementById(`q${question.id}`)?.focus();
  };
  return html`<div class="conflict" role="alert">
    <p><b>${t("apply.conflict")}</b></p>
    <p class="answer">${option?.value ?? other.text ?? t("apply.conflict.removed")}</p>
    <p class="row">
      <button onClick=${() => choose(true)}>${t("apply.conflict.mine")}</button>
      <button onClick=${() => choose(false)}>${t("apply.conflict.theirs")}</button>
    </p>
  </div>`;
}
