// `/clubs/{club}/apply/{application}/`: an application form. Each answer is saved while somebody
// types. If another tab changed it, both versions are shown, and nothing is lost.

import { Fragment, html, signal, useEffect, useMemo, useSignal } from "../parts/kit.js";
import { call, get, post } from "../parts/api.js";
import { person } from "../parts/auth.js";
import { address, leaving, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Field, Loaded, Rich, Time, Title, say, useLoad } from "../parts/ui.js";

const [FREE, CHOICE, SHORT, INFO] = [1, 2, 3, 4];
/** An answer is saved this long after the last key. */
const PAUSE_MS = 700;

const words = (text) => (text.trim() ? text.trim().split(/\s+/).length : 0);

/**
 * The draft of one committee: what is on the page, what the server has, and what is between them.
 * @param {string} path
 */
function makeDraft(path) {
  /** What is typed, by question: `{ text, multiple_choice }`. */
  const answers = signal({});
  /** `saved`, `waiting`, `saving` or an error, by question. */
  const states = signal({});
  /** What another tab saved, by question. */
  const conflicts = signal({});
  const versions = {};
  const timers = {};
  // What is not saved yet is kept in the tab, for the person who typed it, so that it comes back
  // after signing in again.
  const place = `unsaved ${path}`;
  let owner = person();
  const mark = (question, state) => {
    states.value = { ...states.value, [question]: state };
    owner ??= person();
    const unsaved = Object.keys(states.value)
      .filter((one) => states.value[one] !== "saved")
      .map((one) => [one, { answer: answers.value[one], version: versions[one] ?? 0 }]);
    if (unsaved.length) sessionStorage.setItem(place, JSON.stringify({ owner, unsaved }));
    else sessionStorage.removeItem(place);
  };

  const take = (draft) => {
    const shown = {};
    for (const answer of draft?.responses ?? []) {
      versions[answer.question] = answer.version;
      shown[answer.question] = { text: answer.text ?? "", multiple_choice: answer.multiple_choice };
    }
    answers.value = shown;
  };

  const restore = () => {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
    if (!person() || !kept) return;
    if (kept.owner !== person()) return sessionStorage.removeItem(place);
    for (const [question, { answer, version }] of kept.unsaved) {
      // With the version of then, a change in another tab meanwhile is a conflict.
      versions[question] = version;
      answers.value = { ...answers.value, [question]: answer };
    }
    for (const [question] of kept.unsaved) later(Number(question));
  };

  const save = async (question) => {
    clearTimeout(timers[question]);
    const { text, multiple_choice } = answers.value[question];
    const sent = { text, multiple_choice };
    mark(question, "saving");
    try {
      const body = {
        responses: [{
          question,
          text: multiple_choice ? null : text,
          multiple_choice: multiple_choice ?? null,
          version: versions[question] ?? 0,
        }],
      };
      const { data } = await call("PATCH", path, { body });
      const stored = data.responses.find((one) => one.question === question);
      versions[question] = stored?.version ?? 0;
      const now = answers.value[question];
      if (now.text !== sent.text || now.multiple_choice !== sent.multiple_choice) later(question);
      else mark(question, "saved");
    } catch (error) {
      if (error.code === "draft_conflict") {
        for (const other of error.body.conflicts) {
          versions[other.question] = other.version;
          conflicts.value = { ...conflicts.value, [other.question]: other };
        }
        mark(question, "conflict");
      } else mark(question, error.message);
    }
  };
  const later = (question) => {
    mark(question, "waiting");
    clearTimeout(timers[question]);
    timers[question] = setTimeout(() => save(question), PAUSE_MS);
  };
  return {
    answers,
    states,
    conflicts,
    take,
    restore,
    save,
    change: (question, value) => {
      answers.value = { ...answers.value, [question]: { text: "", multiple_choice: null, ...value } };
      later(question);
    },
    /** Ends a conflict with the own answer, or with that of the other tab. */
    resolve: (question, mine) => {
      const other = conflicts.value[question];
      const { [question]: _, ...rest } = conflicts.value;
      conflicts.value = rest;
      if (mine) return save(question);
      answers.value = {
        ...answers.value,
        [question]: { text: other.text ?? "", multiple_choice: other.multiple_choice },
      };
      mark(question, "saved");
    },
    /** After the submission nothing waits. */
    forget: () => {
      states.value = {};
      sessionStorage.removeItem(place);
    },
    /** Saves what waits, before it is submitted. */
    settle: () => Promise.all(
      Object.entries(states.value)
        .filter(([, state]) => state !== "saved" && state !== "conflict")
        .map(([question]) => save(Number(question))),
    ),
  };
}

export default function Apply({ club, application: id }) {
  const application = useLoad(`/clubs/${club}/applications/${id}/`);
  return html`<${Loaded} from=${application} lines=${8}>${(found) => html`<${Form} club=${club} application=${found} />`}<//>`;
}

function Form({ club, application }) {
  const base = `/clubs/${club}/applications/${application.id}`;
  const committee = Number(address.value.query.get("committee")) || null;
  const draft = useMemo(
    () => makeDraft(`${base}/draft/${committee ? `?committee=${committee}` : ""}`),
    [committee],
  );
  const ready = useSignal(false);
  const errors = useSignal({});
  const sent = useSignal(null);

  useEffect(() => {
    ready.value = false;
    sent.value = null;
    const path = `${base}/draft/${committee ? `?committee=${committee}` : ""}`;
    get(path)
      .then(draft.take)
      .catch(async (error) => {
        if (error.status !== 404) return say(error.message, "problem");
        // Without a draft, the answers of an earlier submission are the beginning.
        const own = await get("/submissions/");
        const earlier = own.find((one) => one.application === application.id && (one.committee?.id ?? null) === committee);
        draft.answers.value = Object.fromEntries((earlier?.responses ?? []).map((answer) => [
          answer.question.id,
          { text: answer.text ?? "", multiple_choice: answer.multiple_choice?.id ?? null },
        ]));
      })
      .then(draft.restore)
      .finally(() => (ready.value = true));
  }, [committee]);

  const unsaved = Object.values(draft.states.value).some((state) => state !== "saved");
  useEffect(() => {
    leaving.value = unsaved ? t("apply.unsaved") : "";
    return () => (leaving.value = "");
  }, [unsaved]);

  // What could not be saved without a network is saved when it is back.
  useEffect(() => {
    addEventListener("online", draft.settle);
    return () => removeEventListener("online", draft.settle);
  }, [committee]);

  const questions = application.questions.filter(
    (question) => !question.committee_question || question.committees.includes(committee),
  );
  const asked = questions.filter((question) => question.question_type !== INFO);
  const hasAnswer = (question) => {
    const answer = draft.answers.value[question.id];
    return Boolean(answer && (answer.multiple_choice || answer.text?.trim()));
  };
  const open = asked.filter((question) => !hasAnswer(question));
  const tooLong = asked.filter((question) => question.word_limit && words(draft.answers.value[question.id]?.text ?? "") > question.word_limit);

  const submit = async () => {
    await draft.settle();
    if (Object.keys(draft.conflicts.value).length) {
      say(t("apply.conflict.first"), "problem");
      return false;
    }
    const answered = asked.filter(hasAnswer);
    const responses = answered.map((question) => {
      const { text, multiple_choice } = draft.answers.value[question.id];
      return multiple_choice ? { question: question.id, multiple_choice } : { question: question.id, text };
    });
    try {
      sent.value = await post(`${base}/submissions/`, { committee, responses });
      errors.value = {};
      draft.forget();
      scrollTo(0, 0);
    } catch (error) {
      const found = {};
      for (const [field, messages] of Object.entries(error.fields ?? {})) {
        const [, place] = /^responses\.(\d+)/.exec(field) ?? [];
        if (place !== undefined) found[answered[Number(place)].id] = messages;
      }
      errors.value = found;
      throw error;
    }
  };

  if (sent.value) return html`<${Sent} application=${application} submission=${sent.value} again=${() => (sent.value = null)} />`;
  return html`
    <${Title}>${application.name}<//>
    <p>${t("apply.until")} <${Time} at=${application.application_end_time} zoned /></p>
    <${Rich} text=${application.description} />
    ${application.committees.length > 0 && html`<${Field} id="committee" label=${t("apply.committee")}>
      <select id="committee" value=${committee ?? ""} onChange=${(event) => setQuery({ committee: event.currentTarget.value })}>
        <option value="">${t("apply.committee.none")}</option>
        ${application.committees.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
      </select><//>`}
    ${ready.value && questions.map((question) => html`<${Question} key=${question.id} question=${question} draft=${draft} errors=${errors.value[question.id]} />`)}
    <div class="sticky">
      <label for="progress">${t("apply.progress", { done: asked.length - open.length, all: asked.length })}</label>
      <progress id="progress" max=${asked.length || 1} value=${asked.length - open.length}></progress>
      ${open.length > 0 && html`<p class="quiet">${t("apply.open")} ${open.map((question, n) => html`<${Fragment}>${n > 0 && ", "}<a href=${`${location.pathname}${location.search}#q${question.id}`} onClick=${(event) => {
        event.preventDefault();
        document.getElementById(`q${question.id}`)?.focus();
      }}>${question.prompt.slice(0, 40)}</a><//>`)}</p>`}
      <p class="row middle">
        <${Action} className="main" run=${submit} done=${t("apply.sent")} disabled=${tooLong.length > 0}>${t("apply.send")}<//>
        <span role="status" class="quiet">${unsaved ? t("apply.saving") : t("apply.saved")}</span>
      </p>
    </div>`;
}

function Question({ question, draft, errors }) {
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
  return html`<div class="conflict" role="alert">
    <p><b>${t("apply.conflict")}</b></p>
    <p class="answer">${option?.value ?? other.text ?? t("apply.conflict.removed")}</p>
    <p class="row">
      <button onClick=${() => draft.resolve(question.id, true)}>${t("apply.conflict.mine")}</button>
      <button onClick=${() => draft.resolve(question.id, false)}>${t("apply.conflict.theirs")}</button>
    </p>
  </div>`;
}

function Sent({ application, submission, again }) {
  const save = URL.createObjectURL(new Blob([submission.receipt], { type: "text/plain" }));
  return html`
    <${Title}>${t("apply.sent")}<//>
    <div class="card">
      <p class="good">${t("apply.received")} <${Time} at=${submission.updated_at} zoned /></p>
      <p>${t("apply.change")} <${Time} at=${application.application_end_time} zoned /></p>
      <h2>${t("receipt")}</h2>
      <p>${t("receipt.about")}</p>
      <p><code class="long">${submission.receipt}</code></p>
      <p class="row">
        <a class="button" href=${save} download=${`receipt-${submission.id}-${submission.revision}.txt`}>${t("receipt.save")}</a>
        <button onClick=${again}>${t("apply.edit")}</button>
        <a class="button" href=${link("/applications/")}>${t("nav.applications")}</a>
      </p>
    </div>`;
}
