// `/applications/`: the submissions of the caller, with what they may know of them.

import { html } from "../parts/kit.js";
import { remove } from "../parts/api.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Time, Title, confirmed, loaded, useLoad } from "../parts/ui.js";

export default function Applications() {
  const own = useLoad("/submissions/");
  return html`
    <${Title}>${t("nav.applications")}<//>
    ${loaded(own, (all) => (all.length === 0
      ? html`<p>${t("applications.none")} <a href=${link("/clubs/?accepting=true")}>${t("clubs.accepting")}</a></p>`
      : all.map((one) => html`<${Submission} key=${one.id} submission=${one} reload=${own.reload} />`)))}`;
}

const KIND = { 1: "", 2: "problem", 3: "problem", 4: "good" };

function Submission({ submission, reload }) {
  const { club, application: id } = submission;
  const application = useLoad(`/clubs/${club}/applications/${id}/`);
  const form = `/clubs/${club}/apply/${id}/${submission.committee ? `?committee=${submission.committee.id}` : ""}`;
  const withdraw = async () => {
    if (!confirmed(t("applications.withdraw.sure"))) return false;
    await remove(`/submissions/${submission.id}/`);
    await reload();
  };
  const save = URL.createObjectURL(new Blob([submission.receipt ?? ""], { type: "text/plain" }));
  return html`<article class="card">
    <h2><a href=${link(`/clubs/${club}/`)}>${club}</a>${application.data && html` · ${application.data.name}`}</h2>
    <p class="row middle">
      <span class=${`state ${KIND[submission.status]}`}>${t(`status.${submission.status}`)}</span>
      ${submission.committee && html`<b>${submission.committee.name}</b>`}
      <span class="quiet push">${t("applications.sent")} <${Time} at=${submission.created_at} /></span>
    </p>
    ${submission.reason && html`<p class="answer">${submission.reason}</p>`}
    <details><summary>${t("applications.answers", { n: submission.responses.length })}</summary>
      ${submission.responses.map((answer) => html`<h3>${answer.question.prompt}</h3>
        <p class="answer">${answer.text ?? answer.multiple_choice?.value}</p>`)}
    </details>
    <p class="row">
      ${submission.receipt && html`<a class="button" href=${save} download=${`receipt-${submission.id}-${submission.revision}.txt`}>${t("receipt.save")}</a>`}
      ${application.data && Date.parse(application.data.application_end_time) > Date.now() && html`<a class="button" href=${link(form)}>${t("apply.edit")}</a>`}
      ${submission.status === 1 && html`<${Action} className="danger" run=${withdraw} done=${t("applications.withdrawn")}>${t("withdraw")}<//>`}
    </p>
  </article>`;
}
