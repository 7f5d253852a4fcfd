// `/clubs/{club}/apply/{application}/`: an application form. Each answer is saved while somebody
// types. If another tab changed it, both versions are shown, and nothing is lost.

import { Fragment, html, useEffect, useMemo, useSignal } from "../parts/kit.js";
import { NO_ERRORS, get, post } from "../parts/api.js";
import { makeDraft } from "../parts/draft.js";
import { INFO, Question, questionsFor, words } from "../parts/question.js";
import { address, leaving, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Field, Rich, Time, Title, loaded, say, useLoad } from "../parts/ui.js";

export default function Apply({ club, application: id }) {
  const application = useLoad(`/clubs/${club}/applications/${id}/`);
  return loaded(application, (found) => html`<${Form} club=${club} application=${found} />`, 8);
}

function Form({ club, application }) {
  const base = /** @type {const} */ (`/clubs/${club}/applications/${application.id}`);
  const committee = Number(address.value.query.get("committee")) || null;
  const draft = useMemo(
    () => makeDraft(`${base}/draft/${committee ? `?committee=${committee}` : ""}`),
    [committee],
  );
  const ready = useSignal(false);
  const errors = useSignal(NO_ERRORS);
  const sent = useSignal(/** @type {import("../api").Schemas["SubmissionBody"] | null} */ (null));

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
