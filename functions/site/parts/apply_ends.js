// What an application shows when nothing can be typed: what was sent, and that it is closed.

import { html, useEffect, useMemo, useRef } from "./kit.js";
import { now } from "./api.js";
import { useLoad } from "./load.js";
import { url } from "./path.js";
import { answerText } from "./question.js";
import { link, setQuery } from "./router.js";
import { FileLink } from "./submitted_files.js";
import { moment, t } from "./texts.js";
import { Chip, Icon, Time, Title } from "./ui.js";

/** What is wrong, with a link to each answer. */
export function Summary({ questions, problems, back }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.focus(), []);
  return html`<div class="summary" id="summary" role="alert" tabindex="-1" ref=${place}>
    <h2>${t("apply.problems")}</h2>
    <ul>${questions.map(
      (question) => html`<li key=${question.id}>
      <a href=${`#q${question.id}`} onClick=${back(question)}>${question.prompt}
        </a>: ${problems[question.id].join(" ")}</li>`,
    )}</ul></div>`;
}

/** Answers that are not sent, by question, to be copied. */
export const Copies = ({ all, application }) =>
  all.map(([id, answer]) => {
    const question = application.questions.find((one) => one.id === Number(id));
    return html`<h3>${question?.prompt ?? t("ask.gone")}</h3>
      <p class="answer" dir="auto">${question ? answerText(question, answer) : answer.text}</p>`;
  });

/** Answers that are not sent, because their questions are not asked here, or not any more. */
export function Hidden({ all, application }) {
  return html`<details class="card"><summary>${t("ask.hidden", { n: all.length })}</summary>
    <${Copies} all=${all} application=${application} /></details>`;
}

/** The answers of a submission. */
export const Answers = ({ submission }) =>
  submission.responses.map(
    (answer) => html`<div key=${answer.question.id}>
  <h3>${answer.question.prompt}</h3>
  ${
    answer.file
      ? html`<p class="answer"><${FileLink} submission=${submission} file=${answer.file} /></p>`
      : html`<p class="answer" dir="auto">${answer.multiple_choice?.value ?? answer.text}</p>`
  }</div>`,
  );

/** The receipt of a submission as a file. */
export function Receipt({ submission }) {
  const address = useMemo(
    () => URL.createObjectURL(new Blob([submission.receipt ?? ""], { type: "text/plain" })),
    [submission.receipt],
  );
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  if (!submission.receipt) return null;
  return html`<a class="button" href=${address}
    download=${`receipt-${submission.id}-${submission.revision}.txt`}>
    <${Icon} name="download" /> ${t("receipt.save")}</a>`;
}

/** What was sent, to whom and when, until when it can be changed, and what happens next. */
export function Sent({ application, submission, end }) {
  const isOpen = submission.status === 1 && Date.parse(end) > now();
  const club = useLoad(url`/clubs/${submission.club}/`);
  const to = [club.data?.name ?? submission.club_name, submission.committee?.name];
  const release = application.result_release_time;
  return html`<div class="form">
    <${Title}>${t("apply.sent")}<//>
    <p class="line"><${Chip} kind="good" icon="circle-check">${t("state.sent")}<//> <b>
      ${application.name}</b> <span class="quiet">${to.filter(Boolean).join(" · ")}</span></p>
    <div class="card">
      <p class="good">${t("apply.received")} <${Time} at=${submission.submitted_at} zoned /></p>
      ${isOpen && html`<p>${t("apply.change")} <${Time} at=${end} zoned /></p>`}
      ${
        submission.status === 1 &&
        html`<h2>${t("apply.after")}</h2><p>${t("apply.after.read")}</p>
        <p>${t("apply.after.told")} ${
          release && html`${t("apply.after.until")} <${Time} at=${release} zoned />`
        }</p>`
      }
      <p class="row">
        ${
          isOpen &&
          html`<button onClick=${() => setQuery({ step: "" })}><${Icon}
          name="pencil" /> ${t("apply.edit")}</button>`
        }
        <a class="button" href=${link("/applications/")}>${t("nav.applications")}</a>
      </p></div>
    <div class="card"><h2>${t("receipt")}</h2>
      <p>${t("receipt.about")}</p>
      <p class="row"><${Receipt} submission=${submission} /></p>
      <details><summary>${t("receipt.show")}</summary><p><code class="long">${submission.receipt}
        </code></p></details></div>
    <details class="card"><summary>${t("applications.answers", { n: submission.responses.length })}
      </summary>
      <${Answers} submission=${submission} /></details></div>`;
}

/** Why nothing can be sent now: it has ended, has not begun, or is switched off. */
function whyClosed(application, end) {
  const { application_start_time: start } = application;
  if (Date.parse(end) <= now()) return t("apply.closed", { time: moment(end) });
  return Date.parse(start) > now() ? t("apply.coming", { time: moment(start) }) : t("apply.paused");
}

/** It is closed or decided: what was sent, and what was typed but not sent. */
export function Closed(props) {
  const { application, submission, sent, unsent = [], left = [] } = props;
  const { end, isDecided, isUnsure = false } = props;
  const all = submission ? [submission] : sent;
  return html`<div class="card" role="status"><p class="line"><${Icon} name="lock" />
      <b>${isDecided ? t("apply.decided") : whyClosed(application, end)}</b></p>
    ${isUnsure && html`<p>${t("apply.closed.unsure")}</p>`}
    ${all.length === 0 && !isUnsure && html`<p>${t("apply.closed.nothing")}</p>`}</div>
    ${all.map(
      (one) => html`<div class="card" key=${one.id}>
      <p class="line"><${Chip} kind="good" icon="check">${t("state.sent")}
        <//> ${one.committee && html`<b>${one.committee.name}</b>`}
        <span class="small">${t("apply.sent.on", { time: moment(one.submitted_at) })}</span></p>
      <${Answers} submission=${one} /><p><${Receipt} submission=${one} /></p></div>`,
    )}
    ${
      unsent.length + left.length > 0 &&
      html`<div class="card"><h2>${t(isUnsure ? "apply.yours" : "apply.unsent")}</h2>
      ${!isUnsure && html`<p>${t("apply.unsent.about")}</p>`}
      ${unsent.map(([prompt, text]) => html`<h3>${prompt}</h3><p class="answer">${text}</p>`)}
      <${Copies} all=${left} application=${application} />
        </div>`
    }
    <p><a class="button" href=${link("/applications/")}>${t("nav.applications")}</a></p>`;
}
