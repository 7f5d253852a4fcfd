// A question of an application, as applicants answer it.

import { html } from "./kit.js";
import { CHOICE, FILE, INFO, SHORT } from "./asked.js";
import { FileField, FileName, focusQuestion } from "./file_question.js";
import { t } from "./texts.js";
import { Icon } from "./ui.js";

/** The number of words of an answer. */
export const words = (text) => (text.trim() ? text.trim().split(/\s+/).length : 0);

/** Whether somebody said something, in a way that the question asks for. */
export function hasAnswer(answer, question) {
  if (!answer) return false;
  if (question.question_type === CHOICE)
    return question.multiple_choice.some((one) => one.id === answer.multiple_choice);
  return Boolean(question.question_type === FILE ? answer.file : answer.text?.trim());
}

/** Whether something was typed or chosen, whatever the question asks for now. */
export const isTyped = (answer) =>
  Boolean(answer && (answer.multiple_choice || answer.file || answer.text?.trim()));

/** What is said of too many words. */
export function tooMany(question, answer) {
  const over = question.word_limit ? words(answer?.text ?? "") - question.word_limit : 0;
  return over > 0 ? [t("apply.words.over", { n: over })] : [];
}

/** An answer as text. */
export const answerText = (question, answer) =>
  question.multiple_choice.find((one) => one.id === answer?.multiple_choice)?.value ??
  (answer?.file ? t("file.there") : answer?.text) ??
  "";

const SIGNS = { saved: "check", saving: "refresh-cw", dirty: "ellipsis", failed: "cloud-off" };

/** How much of a limit is used, and whether the answer is stored. */
function Under({ id, question, answer, state }) {
  const limit = question.word_limit;
  const shown = state && state !== "clean" && state !== "conflict";
  return html`<p class="under"><span id=${`${id}-words`}>
    ${limit > 0 && t("apply.words", { count: words(answer.text ?? ""), limit })}</span>
    ${
      shown &&
      html`<span class=${`line ${state === "saved" ? "good" : state === "failed" ? "warn" : ""}`}>
      <${Icon} name=${SIGNS[state] ?? "check"} /> ${t(`draft.${state}`)}</span>`
    }</p>`;
}

/** Number, question, and what is wrong with the answer. */
export function Question({ question, number, draft, errors, isLocked, path }) {
  const id = `q${question.id}`;
  if (question.question_type === INFO) return html`<p class="card answer">${question.prompt}</p>`;
  const title = html`${number}. ${question.prompt}${
    question.required && html` <span class="quiet">(${t("ask.required")})</span>`
  }`;
  const answer = draft.answers.value[question.id] ?? {
    text: "",
    multiple_choice: null,
    file: null,
  };
  const state = draft.states.value[question.id];
  const refusal = draft.messages.value[question.id];
  const problems = [...(errors ?? []), ...(refusal ? [refusal] : [])];
  const wrong = problems.length > 0;
  const messages = html`<div id=${`${id}-notes`}>${problems.map(
    (text) => html`
    <p class="message line"><${Icon} name="circle-alert" /> ${text}</p>`,
  )}</div>`;
  const conflict = draft.conflicts.value[question.id];
  const other =
    conflict &&
    html`<${Conflict} question=${question} other=${conflict} draft=${draft}
      path=${path} />`;
  const under = html`<${Under} id=${id} question=${question} answer=${answer} state=${state} />`;
  const kind = wrong ? "question wrong" : "question";
  if (question.question_type === CHOICE) {
    const choose = (value) => () => draft.change(question.id, value);
    const none = () => {
      draft.change(question.id, {});
      focusQuestion(question);
    };
    return html`<fieldset id=${id} class=${kind} tabindex="-1" disabled=${isLocked}
      aria-describedby=${`${id}-notes`}>
      <legend>${title}</legend>${messages}
      <div class="options">${question.multiple_choice.map(
        (option) => html`<label class="option" key=${option.id}>
        <input type="radio" name=${id} checked=${answer.multiple_choice === option.id}
          onChange=${choose({ multiple_choice: option.id })} />
        <span>${option.value}</span></label>`,
      )}</div>
      ${
        answer.multiple_choice &&
        html`<button type="button" class="plain" onClick=${none}>
        ${t("apply.none")}</button>`
      }
      ${under}${other}
    </fieldset>`;
  }
  if (question.question_type === FILE)
    return html`<fieldset id=${id} class=${kind} tabindex="-1" disabled=${isLocked}
      aria-describedby=${`${id}-notes`}><legend>${title}</legend>${messages}
      <${FileField} question=${question} draft=${draft} isLocked=${isLocked} path=${path} />
      ${under}${other}</fieldset>`;
  const common = {
    id,
    dir: "auto",
    value: answer.text,
    disabled: isLocked,
    class: "wide",
    "aria-invalid": wrong ? "true" : undefined,
    "aria-required": question.required ? "true" : undefined,
    "aria-describedby": `${id}-notes ${id}-words`,
    onInput: (event) => draft.change(question.id, { text: event.currentTarget.value }),
  };
  return html`<div class=${kind}>
    <label class="label" for=${id}>${title}</label>${messages}
    ${
      question.question_type === SHORT
        ? html`<input ...${common} />`
        : html`<textarea rows="6"
      ...${common}></textarea>`
    }
    ${under}${other}</div>`;
}

/** Both versions of an answer that another tab changed. */
function Conflict({ question, other, draft, path }) {
  const choose = (mine) => {
    draft.resolve(question.id, mine);
    focusQuestion(question);
  };
  return html`<div class="conflict" role="alert">
    <p><b>${t("apply.conflict")}</b></p>
    <p class="answer">${
      other.file
        ? html`<${FileName} path=${path} id=${other.file} />`
        : answerText(question, other) || t("apply.conflict.removed")
    }</p>
    <p class="row">
      <button type="button" onClick=${() => choose(true)}>${t("apply.conflict.mine")}</button>
      <button type="button" onClick=${() => choose(false)}>${t("apply.conflict.theirs")}</button>
    </p>
  </div>`;
}
