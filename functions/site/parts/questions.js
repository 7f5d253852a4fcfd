// The questions of an application for officers: their order, by drag and by keyboard, and what they
// ask.

import { html, useMemo, useRef, useSignal } from "./kit.js";
import { post } from "./api.js";
import { CHOICE, FILE, FREE, INFO, SHORT, chain } from "./asked.js";
import { Condition, conditionText } from "./condition.js";
import { Entity } from "./entity.js";
import { Form } from "./form.js";
import { t } from "./texts.js";
import { Action, say } from "./ui.js";

const TYPES = [FREE, SHORT, CHOICE, FILE, INFO];
const FORMATS = [
  ["pdf", "PDF"],
  ["png", "PNG"],
  ["jpeg", "JPEG"],
];
const EMPTY = {
  prompt: "",
  question_type: FREE,
  word_limit: 0,
  multiple_choice: [],
  committee_question: false,
  committees: [],
  show_if: null,
  required: false,
  formats: ["pdf"],
  max_mb: 5,
  shrink_photos: false,
};

/**
 * A list of short texts, such as options: `[{ id, [of]: text }]`. What is present keeps its id.
 */
export function Texts({ id, value, change, of, label, add }) {
  const set = (at, text) =>
    change(value.map((one, n) => (n === at ? { ...one, [of]: text } : one)));
  const more = () => {
    change([...value, { [of]: "" }]);
    const last = () => document.querySelector(`#${CSS.escape(id)}-all li:last-child input`);
    setTimeout(() => /** @type {HTMLElement | null} */ (last())?.focus());
  };
  return html`<ol class="texts" id=${`${id}-all`}>${value.map(
    (one, at) => html`<li key=${one.id ?? `new ${at}`}>
      <input aria-label=${`${label} ${at + 1}`} value=${one[of]}
        onKeyDown=${(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          more();
        }}
        onInput=${(event) => set(at, event.currentTarget.value)} />
      <button type="button" class="plain" aria-label=${t("builder.remove", { text: one[of] })}
        onClick=${() => change(value.filter((_, n) => n !== at))}>×</button>
    </li>`,
  )}</ol>
    <p><button type="button" id=${`${id}-add`} onClick=${more}>
      ${add}</button></p>`;
}

/** The fields of a question follow the type that is chosen in the form. */
const fieldsOf =
  ({ committees, questions }, own) =>
  ({ question_type: type }) => [
    {
      name: "question_type",
      label: t("builder.type"),
      kind: "choice",
      options: TYPES.map((one) => [one, t(`builder.type.${one}`)]),
    },
    { name: "prompt", label: t("builder.prompt"), kind: "area" },
    ...(type === FREE || type === SHORT
      ? [
          {
            name: "word_limit",
            label: t("builder.limit"),
            kind: "number",
            hint: t("builder.limit.hint"),
            empty: 0,
          },
        ]
      : []),
    ...(type === CHOICE
      ? [
          {
            name: "multiple_choice",
            label: t("builder.options"),
            kind: "own",
            show: (field) =>
              html`<${Texts} ...${field} of="value" label=${t("builder.option")}
                add=${t("builder.option.add")} />`,
          },
        ]
      : []),
    ...(type === FILE
      ? [
          { name: "formats", label: t("builder.formats"), kind: "many", options: FORMATS },
          {
            name: "max_mb",
            label: t("builder.size"),
            kind: "number",
            hint: t("builder.size.hint"),
          },
          { name: "shrink_photos", label: t("builder.shrink"), kind: "check" },
        ]
      : []),
    ...(committees.length
      ? [
          {
            name: "committees",
            label: t("builder.only"),
            kind: "many",
            options: committees.map((one) => [one.id, one.name]),
          },
        ]
      : []),
    ...(questions.some((one) => one.question_type === CHOICE && one.id !== own)
      ? [
          {
            name: "show_if",
            label: t("ask.condition"),
            kind: "own",
            text: (value) => conditionText(questions, value) || t("ask.condition.all"),
            show: (field) => html`<${Condition} ...${field} questions=${questions} own=${own} />`,
          },
        ]
      : []),
    ...(type === INFO ? [] : [{ name: "required", label: t("ask.required.field"), kind: "check" }]),
  ];

/**
 * What the API takes: a question is for some committees exactly if any is named, and a text without
 * an answer is not required.
 */
const sent = (values) => ({
  ...values,
  ...("committees" in values && { committee_question: values.committees.length > 0 }),
  ...("question_type" in values && values.question_type !== CHOICE && { multiple_choice: [] }),
  ...("question_type" in values && values.question_type === INFO && { required: false }),
  ...("question_type" in values &&
    (values.question_type === FILE
      ? { word_limit: 0 }
      : { formats: [], max_mb: null, shrink_photos: false })),
});

/** A question in a line: its type, whether it is required, of whom it is asked, its options. */
function about({ committees }, question) {
  const of = committees.filter((one) => question.committees.includes(one.id));
  return [
    t(`builder.type.${question.question_type}`),
    question.required && t("ask.required"),
    question.word_limit > 0 && t("builder.words", { n: question.word_limit }),
    of.map((one) => one.name).join(", "),
    question.multiple_choice.map((one) => one.value).join(" / "),
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * @param {object} props
 * @param {import("../api").Schemas["ApplicationBody"]} props.application
 * @param {`/clubs/${string}/applications/${string}/questions/`} props.path
 * @param {() => any} props.reload
 */
export function Questions({ application, path, reload }) {
  /** The order while it is being changed; null if it is the stored one. */
  const order = useSignal(/** @type {number[] | null} */ (null));
  /** The work that stores orders, while there is any. */
  const isKept = useSignal(/** @type {Promise<boolean> | null} */ (null));
  const held = useSignal(/** @type {number | null} */ (null));
  const stored = application.questions;
  const shown = order.value?.flatMap((id) => stored.filter((one) => one.id === id)) ?? stored;
  const moved = (id, to) => {
    const ids = shown.map((one) => one.id).filter((one) => one !== id);
    ids.splice(to, 0, id);
    return ids;
  };
  /** The order that is to be stored next. */
  const next = useRef(/** @type {number[] | null} */ (null));
  const work = async () => {
    try {
      while (next.current) {
        const precedence = next.current;
        next.current = null;
        await post(`${path}precedence/`, { precedence });
        if (!next.current) await reload();
      }
      return true;
    } catch (error) {
      next.current = null;
      say(error.message, "problem");
      // An order before it may be stored.
      await reload();
      if (next.current) return await work();
      return false;
    } finally {
      order.value = null;
      isKept.value = null;
    }
  };
  /** Stores an order, one after the other: an earlier one that is repeated comes before a later. */
  const keep = (ids) => {
    order.value = ids;
    next.current = ids;
    isKept.value ??= work();
    return isKept.value;
  };
  /** Moves a question up or down, and keeps the focus on its button. */
  const step = (question, at, by) => async () => {
    if (await keep(moved(question.id, at + by)))
      say(t("builder.moved", { n: at + by + 1, all: shown.length }));
  };
  /** A question stands further in for each question that it depends on. */
  const classOf = (question) => {
    const depth = chain(shown, question).length;
    return [
      "card",
      held.value === question.id && "held",
      depth > 0 && `in in-${Math.min(depth, 5)}`,
    ]
      .filter(Boolean)
      .join(" ");
  };
  // A text without an answer has no number, as in the form.
  const asked = shown.filter((one) => one.question_type !== INFO);
  const numberOf = (question) =>
    question.question_type === INFO ? "" : `${asked.indexOf(question) + 1}. `;
  return html`<ol class="questions">${shown.map(
    (question, at) => html`<li key=${question.id} class=${classOf(question)}
      draggable="true"
      onDragStart=${(event) => {
        // A text that is dragged inside the question is not the question.
        if (event.target !== event.currentTarget) return;
        held.value = question.id;
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", question.prompt);
      }}
      onDragEnd=${() => {
        held.value = null;
        // A drag that was given up changes nothing.
        if (!isKept.value) order.value = null;
      }}
      onDragOver=${(event) => {
        if (held.value === null) return;
        event.preventDefault();
        if (held.value !== question.id) order.value = moved(held.value, at);
      }}
      onDrop=${(event) => {
        if (held.value === null) return;
        event.preventDefault();
        if (order.value) keep(order.value);
      }}>
      <p class="row middle">
        <span class="grip" aria-hidden="true">⋮⋮</span>
        <b>${numberOf(question)}${question.prompt.slice(0, 120)}</b>
        <span class="quiet small">${about(application, question)}</span>
        <span class="push">
          <${Action} className="plain" disabled=${at === 0} run=${step(question, at, -1)}
            label=${t("builder.up", question)}>↑<//>
          <${Action} className="plain" disabled=${at === shown.length - 1}
            run=${step(question, at, 1)} label=${t("builder.down", question)}>↓<//>
        </span>
      </p>
      ${question.show_if && html`<p class="quiet">${conditionText(shown, question.show_if)}</p>`}
      <${Entity} path=${`${path}${question.id}/`} summary=${html`${t("builder.change")}<span
        class="hidden">: ${question.prompt}</span>`}
        name=${question.prompt} fields=${fieldsOf(application, question.id)} sent=${sent}
          reload=${reload} />
    </li>`,
  )}</ol>
    <${NewQuestion} application=${application} path=${path} reload=${reload} />`;
}

/**
 * @param {object} props
 * @param {any} props.application
 * @param {`/clubs/${string}/applications/${string}/questions/`} props.path
 * @param {() => any} props.reload
 */
function NewQuestion({ application, path, reload }) {
  const isFirst = useMemo(() => application.questions.length === 0, []);
  const last = application.questions.at(-1)?.precedence ?? 0;
  const send = (values) => post(path, sent({ ...values, precedence: last + 1 }));
  return html`<details class="card" open=${isFirst}><summary>${t("builder.question.new")}</summary>
    <${Form} name=${`question-new-${application.id}`} fields=${fieldsOf(application)}
      data=${EMPTY} whole send=${send} stored=${reload} submit=${t("builder.question.add")} />
  </details>`;
}
