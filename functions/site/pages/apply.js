// `/clubs/{club}/apply/{application}/`: an application form. Each answer is saved while somebody
// types. If another tab changed it, both versions are shown, and nothing is lost.

import { Fragment, html, useEffect, useMemo, useSignal } from "../parts/kit.js";
import { NO_ERRORS, get, post } from "../parts/api.js";
import { makeDraft } from "../parts/draft.js";
import { INFO, Question, questionsFor, words } from "../parts/question.js";
import { address, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Field, Problem, Rich, Time, Title, loaded, say, useLoad, useUnsaved } from "../parts/ui.js";

export default function Apply({ club, application: id }) {
  const application = useLoad(`/clubs/${club}/applications/${id}/`);
  const committee = Number(address.value.query.get("committee")) || null;
  return loaded(application, (found) => html`<${Form} key=${committee} club=${club} application=${found} committee=${committee} />`, 8, true);
}

/** The form of one committee. */
function Form({ club, application, committee }) {
  const base = /** @type {const} */ (`/clubs/${club}/applications/${application.id}`);
  const path = /** @type {const} */ (`${base}/draft/${committee ? `?committee=${committee}` : ""}`);
  const draft = useMemo(() => makeDraft(path), []);
  const ready = useSignal(false);
  const failed = useSignal(/** @type {any} */ (null));
  const errors = useSignal(NO_ERRORS);
  const sent = useSignal(/** @type {import("../api").Schemas["SubmissionBody"] | null} */ (null));

  /** Without a draft, the answers of an earlier submission are the beginning. */
  const begin = async () => {
    const own = await get("/submissions/");
    const earlier = own.find((one) => one.application === application.id && (one.committee?.id ?? null) === committee);
    draft.answers.value = Object.fromEntries((earlier?.responses ?? []).map((answer) => [
      answer.question.id,
      { text: answer.text ?? "", multiple_choice: answer.multiple_choice?.id ?? null },
    ]));
  };
  const load = async () => {
    failed.value = null;
    try {
      await get(path).then(draft.take, (error) => (error.status === 404 ? begin() : Promise.reject(error)));
      draft.restore();
      ready.value = true;
    } catch (error) {
      // An empty form would look as if nothing had been saved.
      failed.value = error;
    }
  };
  useEffect(() => void load(), []);

  const states = Object.values(draft.states.value);
  const isUnsaved = states.some((state) => state !== "saved");
  const isSaving = states.some((state) => state === "waiting" || state === "saving");
  useUnsaved(isUnsaved);

  // What could not be saved without a network is saved when it is back.
  useEffect(() => {
    addEventListener("online", draft.settle);
    return () => removeEventListener("online", draft.settle);
  }, []);

  const questions = questionsFor(application, committee);
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
      /** @type {Record<string, string[]>} */
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
    ${failed.value && html`<${Problem} error=${failed.value} retry=${load} />`}
    ${ready.value && html`<div class="sticky">
      <label for="progress">${t("apply.progress", { done: asked.length - open.length, all: asked.length })}</label>
      <progress id="progress" max=${asked.length || 1} value=${asked.length - open.length}></progress>
      ${open.length > 0 && html`<p class="quiet">${t("apply.open")} ${open.map((question, n) => html`<${Fragment}>${n > 0 && ", "}<a href=${`${location.pathname}${location.search}#q${question.id}`} onClick=${(event) => {
        event.preventDefault();
        document.getElementById(`q${question.id}`)?.focus();
      }}>${question.prompt.slice(0, 40)}</a><//>`)}</p>`}
      <p class="row middle">
        <${Action} className="main" run=${submit} done=${t("apply.sent")} disabled=${tooLong.length > 0}>${t("apply.send")}<//>
        <span role="status" class="quiet">${t(isSaving ? "apply.saving" : isUnsaved ? "apply.unsaved" : "apply.saved")}</span>
      </p>
    </div>`}`;
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
