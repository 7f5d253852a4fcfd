// `/clubs/{club}/applications/{application}/mails/`: the decision mails of an application. What is
// sent is exactly what was shown: the digest of the preview goes with it.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { nameOf } from "../parts/applicant.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Rich, Title, confirmed, loaded, useLoad } from "../parts/ui.js";

const TYPES = ["acceptance", "rejection"];
const WAITING = "queued,sending";
/** How often the states of waiting mails are read. */
const POLL_MS = 2000;
const NOT_REACHED = "failed,bounced,complained,unknown";

export default function Mails({ club, application: id }) {
  const base = /** @type {const} */ (`/clubs/${club}/applications/${id}`);
  const application = useLoad(`${base}/`);
  const missed = useLoad(`${base}/submissions/?email_status=${NOT_REACHED}`);
  const waiting = useLoad(`${base}/submissions/?email_status=${WAITING}&limit=200`);
  useEffect(() => {
    if (!waiting.data?.length) return;
    const timer = setTimeout(() => Promise.all([waiting.reload(), missed.reload()]), POLL_MS);
    return () => clearTimeout(timer);
  }, [waiting.data]);
  const type = useSignal(TYPES[0]);
  const onePerPerson = useSignal(false);
  const plan = useSignal(/** @type {any} */ (null));

  const choice = (values) => ({
    email_type: { id: type.value },
    ...(onePerPerson.value && { one_per_person: true }),
    ...values,
  });
  const preview = (values = {}) => async () => {
    plan.value = null;
    const wanted = choice(values);
    const found = await post(`${base}/send_emails/`, { ...wanted, dry_run: true });
    // What was chosen meanwhile needs a preview of its own.
    if (JSON.stringify(wanted) === JSON.stringify(choice(values))) plan.value = { ...found, values };
  };
  const send = async () => {
    const { digest, recipients, values } = plan.value;
    if (!confirmed(t("mails.send.sure", { n: recipients }))) return false;
    try {
      const { queued } = await post(`${base}/send_emails/`, choice({ ...values, digest }));
      plan.value = null;
      await Promise.all([waiting.reload(), missed.reload()]);
      return queued;
    } catch (error) {
      // Something changed since the preview: it must be looked at again.
      if (error.code === "digest_changed") plan.value = null;
      throw error;
    }
  };
  const change = (what, value) => {
    what.value = value;
    plan.value = null;
  };
  return html`
    <${Title}>${t("mails")}<//>
    <p><a href=${link(`/clubs/${club}/applications/${id}/`)}>${application.data?.name ?? t("submissions")}</a></p>
    <div class="row">
      <div class="field"><label for="type">${t("mails.type")}</label>
        <select id="type" value=${type.value} onChange=${(event) => change(type, event.currentTarget.value)}>
          ${TYPES.map((one) => html`<option value=${one}>${t(`mails.${one}`)}</option>`)}
        </select></div>
      <p class="field"><label class="check"><input type="checkbox" checked=${onePerPerson.value} onChange=${(event) => change(onePerPerson, event.currentTarget.checked)} /> ${t("mails.one")}</label></p>
      <p class="field"><${Action} className="main" run=${preview()}>${t("mails.preview")}<//></p>
    </div>
    <div aria-live="polite">${plan.value && html`<${Plan} plan=${plan.value} send=${send} />`}</div>
    <p role="status">${Boolean(waiting.data?.length) && t("mails.waiting", { n: waiting.data?.length ?? 0 })}</p>
    <section><h2>${t("mails.missed")}</h2>
      ${loaded(missed, (all) => (all.length === 0
        ? html`<p class="quiet">${t("none")}</p>`
        : html`<ul>${all.map((one) => html`<li key=${one.id}>${nameOf(one)} ${one.user?.email}: ${t(`mail.${one.email_status}`)}</li>`)}</ul>
          <p><${Action} run=${preview({ submissions: all.map((one) => one.id), allow_resend: true })}>${t("mails.missed.preview")}<//></p>`), 2)}
    </section>`;
}

function Plan({ plan, send }) {
  return html`<section class="card">
    <h2>${t("mails.plan", { n: plan.recipients })}</h2>
    ${plan.warnings.map((text) => html`<p class="problem">${text}</p>`)}
    <dl>${Object.entries(plan.skipped).map(([name, n]) => n > 0 && html`<dt>${t(`mails.skipped.${name}`)}</dt><dd>${n}</dd>`)}</dl>
    <p><${Action} className="main" run=${send} done=${(n) => t("mails.queued", { n })} disabled=${plan.recipients === 0}>${t("mails.send")}<//></p>
    ${plan.previews.map((mail) => html`<details key=${`${mail.submission} ${mail.to}`}><summary>${mail.to}: ${mail.subject}</summary><${Rich} text=${mail.html} /></details>`)}
  </section>`;
}
