// One applicant for officers: the answers beside the own review and the decision.

import { html, useEffect, useRef } from "./kit.js";
import { call, put } from "./api.js";
import { Form } from "./form.js";
import { me } from "./me.js";
import { t } from "./texts.js";
import { Time, loaded, useLoad } from "./ui.js";

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
      <${Name}>${nameOf(found)}<//>
      <p class="quiet">${found.user?.email} · ${found.committee?.name ?? t("apply.committee.none")} · <${Time} at=${found.updated_at} /></p>
      <div class="beside">
        <div>${found.responses.map((answer) => html`<div key=${answer.question.id}>
          <h3>${answer.question.prompt}</h3>
          <p class="answer">${answer.multiple_choice?.value ?? answer.text}</p>
        </div>`)}</div>
        <div>
          <${Decision} found=${found} etag=${submission.etag} path=${path} reload=${submission.reload} changed=${changed} />
          <${Reviews} id=${found.id} path=${path} changed=${changed} />
        </div>
      </div>`, 6)}
  </section>`;
}

/** The name takes the focus, so that the keys for the next one work at once. */
function Name({ children }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return html`<h2 tabindex="-1" ref=${heading}>${children}</h2>`;
}

/** @param {{found: any, etag: string, path: Path, reload: () => any, changed: (stored: any) => void}} props */
function Decision({ found, etag, path, reload, changed }) {
  const fields = [
    { name: "status", label: t("status"), kind: "choice", options: STATUSES.map((one) => [one, t(`status.${one}`)]) },
    { name: "reason", label: t("applicant.reason"), kind: "area", hint: t("applicant.reason.hint") },
  ];
  const send = async (values) => (await call("PATCH", path, { body: values, etag })).data;
  const stored = async (decided) => {
    changed(decided);
    await reload();
  };
  return html`<h3>${t("applicant.decision")}</h3>
    <${Form} name=${`decision-${found.id}`} fields=${fields} data=${found} send=${send} stored=${stored} reload=${reload} submit=${t("applicant.decide")} />`;
}

/** @param {{id: number, path: Path, changed: (stored: any) => void}} props */
function Reviews({ id, path, changed }) {
  const reviews = useLoad(`${path}reviews/`);
  const fields = [
    { name: "score", label: t("reviews.score"), kind: "choice", options: [[null, "–"], ...[1, 2, 3, 4, 5].map((one) => [one, String(one)])] },
    { name: "comment", label: t("reviews.comment"), kind: "area" },
  ];
  const stored = async () => {
    await reviews.reload();
    changed((await call("GET", path)).data);
  };
  return html`<h3>${t("reviews")}</h3>
    ${loaded(reviews, (all) => {
      const own = all.find((one) => one.by?.id === me.value?.id) ?? { score: null, comment: "" };
      return html`
        ${me.value && html`<${Form} name=${`review-${id}`} fields=${fields} data=${own} whole send=${(values) => put(`${path}reviews/mine/`, values)} stored=${stored} submit=${t("reviews.save")} />`}
        <ul>${all.map((one) => html`<li key=${one.id}>
          ${one.score !== null && html`<b>${one.score}</b> `}${one.comment} <span class="quiet">${one.by?.username}</span></li>`)}</ul>`;
    }, 4)}`;
}
