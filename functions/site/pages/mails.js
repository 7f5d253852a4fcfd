// `/clubs/{club}/applications/{application}/mails/`: the decision mails of an application. What is
// sent is exactly what was shown: the digest of the preview goes with it.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { now, post } from "../parts/api.js";
import { choose, chosenIn, freePlaces } from "../parts/chosen.js";
import { Bars } from "../parts/overview.js";
import { useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { isPassing } from "../parts/request.js";
import { address, link } from "../parts/router.js";
import { counted } from "../parts/states.js";
import { isErased, nameOf, useSubmissions } from "../parts/submissions.js";
import { loadProblems, t, told } from "../parts/texts.js";
import { Undelivered } from "../parts/undelivered.js";
import {
  Action,
  Chip,
  Empty,
  Icon,
  Problem,
  Rich,
  Skeleton,
  Title,
  confirmed,
  say,
} from "../parts/ui.js";

const TYPES = ["acceptance", "rejection", "interview"];
const WAITING = ["queued", "sending"];
const NOT_REACHED = ["failed", "bounced", "complained", "unknown"];
const isMissed = (status) => NOT_REACHED.includes(status ?? "");
const missedOf = (all) => all.filter((one) => isMissed(one.email_status));
/** Those whose invitation did not arrive, and who have neither booked anyway nor are decided. */
const unaskedOf = (all) =>
  all.filter(
    (one) =>
      one.status === 1 &&
      !isErased(one) &&
      !one.interview?.slot &&
      isMissed(one.interview_email_status),
  );
/** Number of submissions that one call can name. */
const MOST = 2000;
/** How often the states of waiting mails are read. */
const POLL_MS = 8000;
/** For so long after a sending the reports of what was not delivered are waited for. */
const REPORTS_MS = 120_000;

export default function Mails({ club, application: id }) {
  const base = url`/clubs/${club}/applications/${id}/`;
  const application = useLoad(base);
  const { state, load } = useSubmissions(club, id);
  const { all, isComplete, error } = state.value;
  const isWaiting = (status) => WAITING.includes(status ?? "");
  const waiting = all.filter(
    (one) => isWaiting(one.email_status) || isWaiting(one.interview_email_status),
  ).length;
  const missed = missedOf(all);
  const unasked = unaskedOf(all);
  const others = all.filter((one) => one.undelivered && !isErased(one));
  const isUnreached = missed.length + unasked.length + others.length > 0;
  /** Until when reports of bounces may come for what was sent here. */
  const reports = useRef(0);
  useEffect(() => {
    const isSoon = waiting > 0 || Date.now() < reports.current;
    if (!isSoon || !isComplete) return;
    const timer = setTimeout(load, POLL_MS);
    return () => clearTimeout(timer);
  }, [all]);
  const asked = address.value.query.get("type") ?? "";
  const first = TYPES.includes(asked) ? asked : TYPES[0];
  const choice = useSignal({ type: first, one: false, decided: false });
  const isInterview = choice.value.type === "interview";
  /** The mail that those who were missed get: the chosen one, if it is about decisions. */
  const isAccepted = missed.some((one) => one.status === 4);
  const decision = isInterview ? (isAccepted ? "acceptance" : "rejection") : choice.value.type;
  /** Those who were chosen in the list. Of them, nobody is invited twice or after a decision. */
  const ids = chosenIn(id);
  const chosen = all.filter((one) => ids.has(one.id) && !isErased(one));
  const hasChosen = ids.size > 0;
  const invited = chosen.filter((one) => one.status === 1 && !one.interview);
  const plan = useSignal(/** @type {any} */ (null));
  const result = useSignal(/** @type {any} */ (null));

  const wanted = (values) => {
    // What was chosen just now, not what is drawn.
    const { type, one, decided } = choice.value;
    const invites = type === "interview";
    return {
      email_type: { id: type },
      ...(invites && { submissions: invited.slice(0, MOST).map((one) => one.id) }),
      ...(!invites && hasChosen && { submissions: chosen.slice(0, MOST).map((one) => one.id) }),
      ...(one && !invites && { one_per_person: true }),
      ...(decided && !invites && { require_all_decided: true }),
      ...values,
    };
  };
  const preview =
    (values = {}) =>
    async () => {
      plan.value = null;
      const [asked, chosen] = [wanted(values), choice.value];
      const found = await post(`${base}send_emails/`, { ...asked, dry_run: true });
      await loadProblems();
      // What was chosen meanwhile needs a preview of its own.
      if (chosen === choice.value) plan.value = { ...found, asked, values, chosen };
    };
  const send = async () => {
    const { digest, recipients, asked, values, chosen } = plan.value;
    if (!confirmed(t("mails.send.sure", { n: recipients }))) return false;
    try {
      const sent = await post(`${base}send_emails/`, { ...asked, digest });
      await loadProblems();
      result.value = { ...sent, values, chosen };
      plan.value = null;
      reports.current = Date.now() + REPORTS_MS;
      await load();
      return sent.queued + sent.sent;
    } catch (error) {
      // Something changed since the preview: it must be looked at again.
      if (error.code === "digest_changed") plan.value = null;
      // Perhaps they were sent: who was told is looked at before they are sent again. If it is
      // refused, somebody has withdrawn meanwhile.
      if (isPassing(error.status ?? 0) || error.status === 400) {
        plan.value = null;
        await load();
      }
      throw error;
    }
  };
  /** What a sending had no time for: of those who were named, only whom it did not reach. */
  const rest = async () => {
    const { values, chosen } = result.value;
    // The list before does not show who was mailed just now, and they would be mailed again.
    if (!(await load())) return false;
    choice.value = chosen;
    const left = (chosen.type === "interview" ? unaskedOf : missedOf)(state.value.all);
    const named = values.submissions && left.filter((one) => values.submissions.includes(one.id));
    if (named && named.length === 0) return say(t("mails.missed.none"));
    await preview(named ? { ...values, submissions: named.map((one) => one.id) } : values)();
  };
  const again = (type, those) => async () => {
    choice.value = { ...choice.value, type };
    await preview({ submissions: those.map((one) => one.id), allow_resend: true })();
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
    ${
      missed.length > 0 &&
      html`<${Missed} title=${t("mails.missed")} those=${missed} state=${state}
      statusOf=${(one) => one.email_status} again=${again(decision, missed)} />`
    }
    ${
      unasked.length > 0 &&
      html`<${Missed} title=${t("mails.missed.interview")} those=${unasked} state=${state}
      statusOf=${(one) => one.interview_email_status} again=${again("interview", unasked)} />`
    }
    <${Others} base=${base} load=${load} all=${others} />
    <div class="two"><section class="card"><h2 class="flat">${t("mails.new")}</h2>
        <div class="line" role="group" aria-label=${t("mails.type")}>${TYPES.map(
          (one) => html`
          <button key=${one} aria-pressed=${choice.value.type === one}
            onClick=${() => change({ type: one })}>${t(`mails.${one}`)}</button>`,
        )}</div>
        ${
          isInterview
            ? html`<${Invited} base=${base} people=${invited} hasChosen=${hasChosen} application=${application.data}
              isComplete=${isComplete} />`
            : html`${
                hasChosen &&
                html`<p class="line">${t("mails.chosen", { n: chosen.length })} <button class="plain"
                  onClick=${() => {
                    choose(id, []);
                    plan.value = null;
                  }}>${t("mails.everybody")}</button></p>`
              }
              <p>${check("one", "mails.one")}</p><p>${check("decided", "mails.decided")}</p>`
        }
        <p><${Action} className=${plan.value ? "" : "main"} run=${preview()} disabled=${
          !isComplete || (isInterview ? invited : hasChosen ? chosen : all).length === 0
        }>${t("mails.preview")}<//></p></section>
      <section><${Bars} caption=${t("mails.ledger")}
        counts=${counted(all, (one) => t(`mail.${one.email_status ?? "none"}`))} />
        <p role="status">${
          waiting > 0 &&
          html`<${Chip} kind="warn" icon="clock">
          ${t("mails.waiting", { n: waiting })}<//>`
        }</p></section></div>
    <p class="hidden" role="status">
      ${plan.value && t("mails.plan", { n: plan.value.recipients })}</p>
    ${plan.value && html`<${Plan} plan=${plan.value} all=${all} send=${send} />`}
    <div aria-live="polite">${
      result.value && html`<${Result} result=${result.value} rest=${rest} />`
    }</div>
    ${!isUnreached && html`<${Reached} state=${state} />`}`;
}

/**
 * Who would be invited, and whether there are times for them.
 * @param {{base: import("../api").OfApplication, people: any[], hasChosen: boolean,
 *   application: any, isComplete: boolean}} props
 */
function Invited({ base, people, hasChosen, application, isComplete }) {
  const slots = useLoad(`${base}slots/`);
  if (!isComplete) return html`<p>${t("loading")} …</p>`;
  if (people.length === 0)
    return html`<p>${t(hasChosen ? "mails.invite.nobody" : "mails.invite.none")}</p><p><a class="button"
      href=${link(`${base}?status=1&interview=none`)}>${t("mails.invite.choose")}</a></p>`;
  const free = freePlaces(slots.data ?? [], {
    notice: application?.interview_notice_hours ?? 0,
    committees: new Set(people.map((one) => one.committee?.id ?? 0)),
    now: now(),
  });
  const [n, places] = [people.length, free];
  return html`<p>${t("mails.invite.people", { n })}, ${t("mails.invite.places", { n: places })}</p>
    ${slots.data && free < n && html`<p class="warn">${t("mails.invite.few")}</p>`}`;
}

/**
 * Whom another mail about their submission did not reach.
 * @param {{ base: import("../api").OfApplication, all: any[], load: () => any }} props
 */
function Others({ base, all, load }) {
  if (all.length === 0) return null;
  const again = (one) => () => post(`${base}submissions/${one.id}/resend/`).then(load);
  return html`<section><h2>${t("mails.missed.others")}</h2><ul class="list card">${all.map(
    (one) => html`<li key=${one.id}>${nameOf(one)} <span class="quiet">${one.user?.email}</span>
      <${Undelivered} of=${one.undelivered} again=${again(one)} /></li>`,
  )}</ul></section>`;
}

/** Whom a mail did not reach. */
function Missed({ title, those, state, statusOf, again }) {
  return html`<section><h2>${title}</h2><ul class="list card">${those.map(
    (one) => html`<li class="line" key=${one.id}>${nameOf(one)} <span class="quiet">
              ${one.user?.email}</span>
          <${Chip} kind="problem" icon="circle-alert">${t(`mail.${statusOf(one)}`)}<//></li>`,
  )}</ul>
    <p><${Action} disabled=${!state.value.isComplete} run=${again}>${t("mails.missed.preview")}<//>
      </p></section>`;
}

/** Nobody was missed. Only a complete list can say so. */
function Reached({ state }) {
  const { isComplete, error } = state.value;
  return html`<section><h2>${t("mails.missed")}</h2>${
    isComplete
      ? html`<${Empty} icon="circle-check"><p>${t("mails.missed.none")}</p><//>`
      : !error && html`<${Skeleton} lines=${2} />`
  }</section>`;
}

/** What the officer should check. */
const warnings = ({ warnings, reasons }) =>
  warnings.map((text, i) => html`<p class="warn">${told(reasons?.[i], text)}</p>`);

/** What the service said of a sending. What it could not queue can be sent now. */
function Result({ result, rest }) {
  return html`<section class="card" role="status"><h2 class="flat">
    ${t("mails.queued", { n: result.queued + result.sent })}</h2>
    ${result.failed > 0 && html`<p class="problem">${t("mails.failed", { n: result.failed })}</p>`}
    ${warnings(result)}
    ${
      result.left > 0 &&
      html`<p class="warn">${t("mails.left", { n: result.left })}</p><p><${Action}
      className="main" run=${rest}>${t("mails.rest")}<//></p>`
    }</section>`;
}

function Plan({ plan, all, send }) {
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  // The button that asked may stand far above.
  useEffect(() => {
    title.current?.scrollIntoView({ block: "center" });
    title.current?.focus({ preventScroll: true });
  }, [plan]);
  const of = (mail) => all.find((one) => one.id === mail.submission);
  return html`<section class="card">
    <h2 class="flat" tabindex="-1" ref=${title}>
      ${t(`mails.${plan.email_type.id}`)}: ${t("mails.plan", { n: plan.recipients })}</h2>
    ${warnings(plan)}
    <dl>${Object.entries(plan.skipped).map(
      ([name, n]) =>
        n > 0 &&
        html`<dt>
      ${t(`mails.skipped.${name}`)}</dt><dd>${n}</dd>`,
    )}</dl>
    <p><${Action} className="main" run=${send} done=${(n) => t("mails.queued", { n })}
      disabled=${plan.recipients === 0}><${Icon} name="send" /> ${t("mails.send")}<//></p>
    ${plan.previews.map(
      (mail) => html`<details open key=${`${mail.submission} ${mail.to}`}><summary>
      <b>${of(mail) ? nameOf(of(mail)) : mail.to}</b> <span class="quiet">${mail.to}</span>
      · ${mail.subject}</summary><${Rich} text=${mail.html} /></details>`,
    )}
  </section>`;
}
