// One applicant for officers: the answers beside the own review and the decision.

import { html, useSignal } from "./kit.js";
import { NO_ERRORS, call, put } from "./api.js";
import { me } from "./me.js";
import { t } from "./texts.js";
import { Action, Field, Time, loaded, useLoad } from "./ui.js";

export const STATUSES = [1, 2, 3, 4];

/** The name of an applicant; nobody has one after their data was erased. */
export const nameOf = (submission) => submission.user?.name ?? t("applicant.erased");

/** @typedef {`/clubs/${string}/applications/${string}/submissions/${string}/`} Path of a submission */

/**
 * Shows one submission. `changed` gets what was stored.
 * @param {{path: Path, close: () => void, previous?: () => void, next?: () => void, changed: (stored: any) => void}} props
 */
export function Applicant({ path, close, previous, next, changed }) {
  const submission = useLoad(path);
  /** What was chosen and typed when another officer was faster. */
  const late = useSignal(null);
  const keys = (event) => {
    if (!event.altKey) return;
    if (event.key === "ArrowLeft" && previous) previous();
    else if (event.key === "ArrowRight" && next) next();
    else return;
    event.preventDefault();
  };
  return html`<section class="card" aria-label=${t("applicant")} onKeyDown=${keys}>
    <p class="row middle">
      <button onClick=${previous} disabled=${!previous}>${t("previous")}</button>
      <button onClick=${next} disabled=${!next}>${t("next")}</button>
      <span class="quiet">${t("applicant.keys")}</span>
      <button class="push" onClick=${close}>${t("close")}</button>
    </p>
    ${loaded(submission, (found) => html`
      <h2 tabindex="-1">${nameOf(found)}</h2>
      <p class="quiet">${found.user?.email} · ${found.committee?.name ?? t("apply.committee.none")} · <${Time} at=${found.updated_at} /></p>
      <div class="beside">
        <div>${found.responses.map((answer) => html`<div key=${answer.question.id}>
          <h3>${answer.question.prompt}</h3>
          <p class="answer">${answer.multiple_choice?.value ?? answer.text}</p>
        </div>`)}</div>
        <div>
          <${Decision} key=${submission.etag} found=${found} etag=${submission.etag} path=${path} reload=${submission.reload} changed=${changed} late=${late} />
          <${Reviews} path=${path} changed=${changed} />
        </div>
      </div>`, 6)}
  </section>`;
}

/** @param {{found: any, etag: string, path: Path, reload: () => any, changed: (stored: any) => void, late: {value: any}}} props */
function Decision({ found, etag, path, reload, changed, late }) {
  const status = useSignal(found.status);
  const reason = useSignal(found.reason);
  const errors = useSignal(NO_ERRORS);
  const save = async () => {
    try {
      const body = { status: status.value, reason: reason.value };
      const { data } = await call("PATCH", path, { body, etag });
      errors.value = {};
      late.value = null;
      changed(data);
      await reload();
    } catch (error) {
      errors.value = error.fields ?? {};
      // Another officer was faster: what they decided is shown, beside what was typed.
      if (error.status === 412) {
        late.value = { status: status.value, reason: reason.value };
        await reload();
      }
      throw error;
    }
  };
  const keepMine = () => {
    status.value = late.value.status;
    reason.value = late.value.reason;
    late.value = null;
  };
  return html`<h3>${t("applicant.decision")}</h3>
    <${Field} id="status" label=${t("status")} errors=${errors.value.status}>
      <select id="status" value=${status.value} onChange=${(event) => (status.value = Number(event.currentTarget.value))}>
        ${STATUSES.map((one) => html`<option value=${one}>${t(`status.${one}`)}</option>`)}
      </select><//>
    <${Field} id="reason" label=${t("applicant.reason")} hint=${t("applicant.reason.hint")} errors=${errors.value.reason}>
      <textarea id="reason" rows="3" value=${reason.value} onInput=${(event) => (reason.value = event.currentTarget.value)} aria-describedby="reason-notes"></textarea><//>
    ${late.value && html`<div class="conflict" role="alert"><p>${t("applicant.changed")}</p>
      <p class="answer">${t(`status.${late.value.status}`)}: ${late.value.reason}</p>
      <p><button onClick=${keepMine}>${t("apply.conflict.mine")}</button></p></div>`}
    <p><${Action} className="main" run=${save} done=${t("saved")}>${t("applicant.decide")}<//></p>`;
}

/** @param {{path: Path, changed: (stored: any) => void}} props */
function Reviews({ path, changed }) {
  const reviews = useLoad(`${path}reviews/`);
  return html`<h3>${t("reviews")}</h3>
    ${loaded(reviews, (all) => html`
      ${me.value && html`<${OwnReview} own=${all.find((one) => one.by?.id === me.value?.id)} path=${path} reload=${reviews.reload} changed=${changed} />`}
      <ul>${all.map((one) => html`<li key=${one.id}>
        ${one.score !== null && html`<b>${one.score}</b> `}${one.comment} <span class="quiet">${one.by?.username}</span></li>`)}</ul>`, 4)}`;
}

/** @param {{own: any, path: Path, reload: () => any, changed: (stored: any) => void}} props */
function OwnReview({ own, path, reload, changed }) {
  const score = useSignal(own?.score ?? "");
  const comment = useSignal(own?.comment ?? "");
  const errors = useSignal(NO_ERRORS);
  const save = async () => {
    try {
      const body = { score: score.value === "" ? null : Number(score.value), comment: comment.value };
      await put(`${path}reviews/mine/`, body);
      errors.value = {};
      await reload();
      changed((await call("GET", path)).data);
    } catch (error) {
      errors.value = error.fields ?? {};
      throw error;
    }
  };
  return html`
    <${Field} id="score" label=${t("reviews.score")} errors=${errors.value.score}>
      <select id="score" value=${score.value} onChange=${(event) => (score.value = event.currentTarget.value)}>
        <option value=""></option>${[1, 2, 3, 4, 5].map((one) => html`<option value=${one}>${one}</option>`)}
      </select><//>
    <${Field} id="comment" label=${t("reviews.comment")} errors=${errors.value.comment}>
      <textarea id="comment" rows="3" value=${comment.value} onInput=${(event) => (comment.value = event.currentTarget.value)}></textarea><//>
    <p><${Action} run=${save} done=${t("saved")}>${t("reviews.save")}<//></p>`;
}
