// Of whom a question is asked: the field in which officers say it, and what it says.

import { html } from "./kit.js";
import { CHOICE, chain, find } from "./asked.js";
import { t } from "./texts.js";

/** Of whom a question is asked, in one sentence; an empty text if it has no condition. */
export function conditionText(questions, condition) {
  const above = find(questions, condition?.question);
  if (!above) return "";
  const chosen = above.multiple_choice.filter((one) => condition.options.includes(one.id));
  // What is compared with newer questions may name options that are gone.
  if (chosen.length === 0) return "";
  const options = chosen
    .map((one) => t("quoted", { text: one.value }))
    .reduce((first, last) => t("ask.or", { first, last }));
  return t("ask.if", { prompt: above.prompt.slice(0, 80), options });
}

/**
 * The field of a condition.
 * @param {object} props
 * @param {string} props.id
 * @param {{question: number, options: number[]} | null} props.value
 * @param {(value: any) => void} props.change
 * @param {any[]} props.questions those of the application
 * @param {number} [props.own] the id of the question, if it is not a new one
 */
export function Condition({ id, value, change, questions, own }) {
  // Whoever depends on this question cannot be what it depends on.
  const depends = (one) =>
    one.id === own || chain(questions, one).some((above) => above.id === own);
  const choices = questions.filter((one) => one.question_type === CHOICE && !depends(one));
  const above = find(choices, value?.question);
  const toggle = (option) => (event) => {
    const isChosen = (one) =>
      one.id === option ? event.currentTarget.checked : value?.options.includes(one.id);
    change({
      question: above.id,
      options: above.multiple_choice.filter(isChosen).map((one) => one.id),
    });
  };
  return html`<select id=${`${id}-of`} aria-label=${t("ask.condition")} onChange=${(event) => {
    const chosen = choices[event.currentTarget.selectedIndex - 1];
    change(chosen ? { question: chosen.id, options: [] } : null);
  }}>
      <option selected=${!above}>${t("ask.condition.all")}</option>
      ${choices.map(
        (one) => html`<option key=${one.id} selected=${one === above}>
        ${t("ask.condition.of", { prompt: one.prompt.slice(0, 60) })}</option>`,
      )}
    </select>
    ${
      above &&
      html`<div class="choices" role="group" aria-label=${t("ask.condition.options")}>
      ${above.multiple_choice.map(
        (one) => html`<label class="check" key=${one.id}><input type="checkbox"
          checked=${value?.options.includes(one.id)} onChange=${toggle(one.id)} /> ${one.value}
          </label>`,
      )}</div>`
    }`;
}
