// `/clubs/{club}/applications/{application}/mails/`: the decision mails of an application. What is
// sent is exactly what was shown: the digest of the preview goes with it.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { Bars, counted } from "../parts/overview.js";
import { useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { isPassing } from "../parts/request.js";
import { address, link } from "../parts/router.js";
import { nameOf, useSubmissions } from "../parts/submissions.js";
import { loadSentences, t, told } from "../parts/texts.js";
import { Action, Chip, Empty, Icon, Problem, Rich, Title, confirmed } from "../parts/ui.js";

const TYPES = ["acceptance", "rejection", "interview"];
const WAITING = ["queued", "sending"];
const NOT_REACHED = ["failed", "bounced", "complained", "unknown"];
/** Number of submissions that one call can name. */
const MOST = 2000;
/** How often the states of waiting mails are read. */
const POLL_MS = 8000;

export default function Mails({ club, application: id }) {
  const base = url`/clubs/${club}/applications/${id}/`;
  const application = useLoad(base);
  const { state, load } = useSubmissions(club, id);
  const { all, isComplete, error } = state.value;
  const waiting = all.filter((one) => WAITING.includes(one.email_status ?? "")).length;
  const missed = all.filter((one) => NOT_REACHED.includes(one.email_status ?? ""));
  useEffect(() => {
    if (!waiting || !isComplete) return;
    const timer = setTimeout(load, POLL_MS);
    return () => clearTimeout(timer);
  }, [all]);
  const asked = address.value.query.get("type") ?? "";
  const first = TYPES.includes(asked) ? asked : TYPES[0];
  const choice = useSignal({ type: first, one: false, decided: false });
  const isInterview = choice.value.type === "interview";
  /** Who can still be invited: nobody twice, and nobody who is decided. */
  const invitable = all.filter((one) => one.status === 1 && !one.interview).map((one) => one.id);
  const uninvited = isComplete ? invitable : null;
  const plan = useSignal(/** @type {any} */ (null));
  const result = useSignal(/** @type {any} */ (null));

  const wanted = (values) => ({
    email_type: { id: choice.value.type },
    ...(isInterview && { submissions: uninvited?.slice(0, MOST) }),
    ...(choice.value.one && !isInterview && { one_per_person: true }),
    ...(choice.value.decided && !isInterview && { require_all_decided: true }),
    ...values,
  });
  const preview =
    (values = {}) =>
    async () => {
      plan.value = null;
      const [asked, chosen] = [wanted(values), choice.value];
      const found = await post(base + "send_emails/", { ...asked, dry_run: true });
      await loadSentences();
      // What was chosen meanwhile needs a preview of its own.
      if (chosen === choice.value) plan.value = { ...found, asked, values };
    };
  const send = async () => {
    const { digest, recipients, asked, values } = plan.value;
    if (!confirmed(t("mails.send.sure", { n: recipients }))) return false;
    try {
      const sent = await post(base + "send_emails/", { ...asked, digest });
      await loadSentences();
      result.value = { ...sent, values };
      plan.value = null;
      await load();
      return sent.queued + sent.sent;
    } catch (error) {
      // Something changed since the preview: it must be looked at again.
      if (error.code === "digest_changed") plan.value = null;
      // Perhaps they were sent: who was told is looked at before they are sent again.
      if (isPassing(error.status ?? 0)) {
        plan.value = null;
        await load();
      }
      throw error;
    }
  };
  const change = (values) => {
    choice.value = { ...choice.value, ...values };
    plan.value = null;
  };
  const check = (name, text) =>
    html`<label class="check"><input type="checkbox" checked=${choice.value[name]}
      onChange=${(event) => change({ [name]: event.currentTarget.checked })} /> ${t(text)}</label>`;
  return html`
    <p class="flat"><a class="back" href=${link(base)}><${Icon} name="chevron-left" />
      ${application.data?.name ?? t("submissions")}</a></p>
    <div class="head"><${Title}>${t("mails")}<//></div>
    ${error && html`<${Problem} error=${error} retry=${load} />`}
    <div class="two"><section class="card"><h2 class="flat">${t("mails.new")}</h2>
        <div class="line" role="group" aria-label=${t("mails.type")}>${TYPES.map(
          (one) => html`
          <button key=${one} aria-pressed=${choice.value.type === one}
            onClick=${() => change({ type: one })}>${t(`mails.${one}`)}</button>`,
        )}</div>
        ${
          isInterview
            ? html`<p>${
                uninvited ? t("mails.uninvited", { n: uninvited.length }) : `${t("loading")} …`
              }</p>`
            : html`<p>${check("one", "mails.one")}</p><p>${check("decided", "mails.decided")}</p>`
        }
        <p><${Action} className="main" run=${preview()}
          disabled=${isInterview && !uninvited?.length}>${t("mails.preview")}<//></p></section>
      <section><${Bars} caption=${t("mails.ledger")}
        counts=${counted(all, (one) => t(`mail.${one.email_status ?? "none"}`))} />
        <p role="status">${
          waiting > 0 &&
          html`<${Chip} kind="warn" icon="clock">
          ${t("mails.waiting", { n: waiting })}<//>`
        }</p></section></div>
    <p class="hidden" role="status">
      ${plan.value && t("mails.plan", { n: plan.value.recipients })}</p>
    ${plan.value && html`<${Plan} plan=${plan.value} send=${send} />`}
    <div aria-live="polite">${
      result.value &&
      html`<${Result} result=${result.value}
        rest=${preview(result.value.values)} />`
    }</div>
    <section><h2>${t("mails.missed")}</h2>${
      missed.length === 0
        ? html`<${Empty} icon="circle-check"><p>${t("mails.missed.none")}</p><//>`
        : html`<ul class="list card">${missed.map(
            (one) => html`<li class="line" key=${one.id}>${nameOf(one)} <span class="quiet">
              ${one.user?.email}</span>
          <${Chip} kind="problem" icon="circle-alert">${t(`mail.${one.email_status}`)}<//></li>`,
          )}</ul>
        <p><${Action} disabled=${!isComplete}
          run=${preview({ submissions: missed.map((one) => one.id), allow_resend: true })}>
            ${t("mails.missed.preview")}<//></p>`
    }</section>`;
}

/** What the service said of a sending. What it could not queue can be sent now. */
function Result({ result, rest }) {
  const left = result.recipients - result.queued - result.sent;
  return html`<section class="card" role="status"><h2 class="flat">
    ${t("mails.queued", { n: result.queued + result.sent })}</h2>
    ${result.failed > 0 && html`<p class="problem">${t("mails.failed", { n: result.failed })}</p>`}
    ${result.warnings.map((text) => html`<p class="warn">${told(text)}</p>`)}
    ${
      left > 0 &&
      html`<p class="warn">${t("mails.left", { n: left })}</p><p><${Action}
      className="main" run=${rest}>${t("mails.rest")}<//></p>`
    }</section>`;
}

function Plan({ plan, send }) {
  return html`<section class="card">
    <h2 class="flat">${t("mails.plan", { n: plan.recipients })}</h2>
    ${plan.warnings.map((text) => html`<p class="warn">${told(text)}</p>`)}
    <dl>${Object.entries(plan.skipped).map(
      ([name, n]) =>
        n > 0 &&
        html`<dt>
      ${t(`mails.skipped.${name}`)}</dt><dd>${n}</dd>`,
    )}</dl>
    <p><${Action} className="main" run=${send} done=${(n) => t("mails.queued", { n })}
      disabled=${plan.recipients === 0}><${Icon} name="send" /> ${t("mails.send")}<//></p>
    ${plan.previews.map(
      (mail) => html`<details key=${`${mail.submission} ${mail.to}`}><summary>
      ${mail.to}: ${mail.subject}</summary><${Rich} text=${mail.html} /></details>`,
    )}
  </section>`;
}
