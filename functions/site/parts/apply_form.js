// The form of one committee: the questions, the answers to check, and the sending.

import { html, useEffect, useRef, useSignal } from "./kit.js";
import { ApiError, NO_ERRORS, call, now } from "./api.js";
import { answersOf, hasAnswers, received, submittedNow, useDraft } from "./apply_draft.js";
import { Closed, Hidden, Summary } from "./apply_ends.js";
import { INFO, questionsFor } from "./asked.js";
import { sameAnswer } from "./draft.js";
import { url } from "./path.js";
import { isPassing } from "./request.js";
import { FileName } from "./file_question.js";
import { Question, answerText, hasAnswer, isTyped, tooMany } from "./question.js";
import { address, setQuery, unsaved } from "./router.js";
import { moment, t } from "./texts.js";
import {
  Action,
  Chip,
  Icon,
  Problem,
  Rich,
  Skeleton,
  focusTitle,
  forgetProblem,
  say,
  useFresh,
} from "./ui.js";

/** A submission is repeated this often: for about five minutes. */
const TRIES = 14;
/** Each try of a sending and the pause after it are shorter. */
const GOES_ON_MS = 60_000;
/** A sending waits so long, in milliseconds, for what other devices saved. */
const LOOK_MS = 4_000;
/**
 * Waits for the last look at what other devices saved, and looks again if that failed; not for
 * long, because the deadline may be near.
 */
function looked(form, look, end) {
  const left = Math.max(0, Date.parse(end) - now());
  const late = new Promise((done) => setTimeout(done, Math.min(LOOK_MS, left / 4)));
  const isCurrent = async () => (await form.looked) || look();
  return Promise.race([isCurrent(), late]);
}

/** The page and the committee that are shown. */
const formAddress = () => `${address.value.path} ${address.value.query.get("committee")}`;

/**
 * What prevents the sending, by question. Nobody is told that an answer is missing before they want
 * to send.
 */
function problemsOf(asked, draft, wantsToSend) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const question of asked) {
    const answer = draft.answers.value[question.id];
    const over = tooMany(question, answer);
    if (wantsToSend && question.required && !hasAnswer(answer, question))
      found[question.id] = [t("ask.missing")];
    if (over.length) found[question.id] = over;
    const upload = draft.uploads.value[question.id];
    if (wantsToSend && upload) found[question.id] = [upload.problem ?? t("file.wait")];
    if (draft.conflicts.value[question.id]) found[question.id] = [t("apply.conflict.first")];
  }
  return found;
}

/** @param {any} props */
export function ApplyForm(props) {
  const { club, application, committee, submission, head, hasEnded, stored, reload } = props;
  const { form, draft, load, look, submitted, isReady, isCarried, error } = useDraft(props);
  const { sending, isUnsure, errors } = form;
  const isChecking = address.value.query.get("step") === "check";
  const wantsToSend = useRef(false);
  wantsToSend.current ||= isChecking;
  const questions = questionsFor(application, committee, draft.answers.value);
  const asked = questions.filter((question) => question.question_type !== INFO);
  const answered = asked.filter((one) => hasAnswer(draft.answers.value[one.id], one));
  const before = answersOf(submission);
  const changed = submission
    ? asked.filter((one) => !sameAnswer(draft.answers.value[one.id], before[one.id]))
    : answered;

  useEffect(() => {
    document.body.classList.add("has-tray");
    return () => document.body.classList.remove("has-tray");
  }, []);
  // What is checked is what will be sent.
  useEffect(() => {
    if (isChecking && isReady) void look();
  }, [isChecking, isReady]);
  // It was closed when something was saved. Whoever comes back may find it open again.
  const isClosed = draft.isClosed.value;
  useEffect(() => {
    if (isClosed) void reload();
  }, [isClosed]);
  useEffect(() => {
    if (draft.isClosed.value && !hasEnded) void draft.retry();
  }, [application, hasEnded]);
  // If something is wrong, the list of it takes the focus.
  useEffect(() => {
    if (!document.getElementById("summary")) focusTitle();
  }, [isChecking]);

  /** Nothing is on its way any more. */
  const ended = () => {
    form.begun.remove("last");
    form.isBroken.value = false;
  };
  // It has arrived before the tab was closed.
  const isSame = Boolean(submission) && changed.length === 0;
  useEffect(() => {
    if (isReady && isSame && form.isBroken.value) {
      ended();
      isUnsure.value = false;
    }
  }, [isReady, isSame]);

  /** It is stored. Nothing that follows may say otherwise. */
  const done = (submission, here) => {
    errors.value = NO_ERRORS;
    isUnsure.value = false;
    forgetProblem(draft);
    form.last = { text: "", key: "" };
    form.unheard = [];
    ended();
    submitted();
    stored(submission);
    // Somebody may have gone to another page, or to the form of another committee.
    if (formAddress() !== here) return say(t("apply.sent.of", { name: application.name }));
    setQuery({ step: "sent" });
    scrollTo(0, 0);
  };

  const send = async (revision = submission?.revision ?? 0) => {
    const body = {
      committee,
      // What another tab or device has sent since is not replaced unseen.
      revision,
      responses: answered.map((question) => {
        const { text, multiple_choice, file } = draft.answers.value[question.id];
        if (file) return { question: question.id, file };
        return multiple_choice
          ? { question: question.id, multiple_choice }
          : { question: question.id, text };
      }),
    };
    const shown = draft.answers.value;
    await looked(form, look, props.end);
    // Nobody sends what they have not seen.
    if (draft.answers.value !== shown) return false;
    const here = formAddress();
    const text = JSON.stringify(body);
    if (form.last.text !== text) form.last = { text, key: crypto.randomUUID() };
    const answers = draft.answers.value;
    form.isBroken.value = false;
    const ends = new AbortController();
    /** It goes on: until when this is known, unless the tab is closed. */
    const goesOn = (until) => form.begun.set("last", { ...form.last, answers, until });
    const closes = () => goesOn(0);
    addEventListener("pagehide", closes);
    const told = (again) => {
      goesOn(Date.now() + GOES_ON_MS);
      sending.value = { again, stop: () => ends.abort() };
    };
    told(0);
    let sent;
    // Also after the form was left, closing the page ends the sending.
    unsaved.add(form);
    try {
      await draft.hold();
      const path = url`/clubs/${club}/applications/${application.id}/submissions/`;
      const answer = await call("POST", path, {
        body,
        key: form.last.key,
        limit: 10_000,
        tries: TRIES,
        until: ends.signal,
        again: (_, ms) => told(Math.round(ms / 1000)),
      });
      sent = answer.data;
    } catch (problem) {
      // If a try got no answer, it may have been received, whatever was said to a later one.
      const isPassed = isPassing(problem.status ?? 0) || problem.status === 401;
      isUnsure.value ||= isPassed;
      if (isPassed) sent = await received(props, asked, answers);
      if (sent) return done(sent, here);
      if (isPassed) form.unheard = [...form.unheard, answers].slice(-5);
      const newer = problem.status === 412 ? await submittedNow(props) : null;
      // This page has sent it, and got no answer.
      if (newer && form.unheard.some((one) => hasAnswers(newer, asked, one))) {
        stored(newer);
        // With `await`, the form stays locked until it has ended.
        return await send(newer.revision);
      }
      draft.release();
      if (!isUnsure.value) ended();
      if (newer !== null) await overtaken(newer);
      form.refused = draft.answers.value;
      errors.value = refusals(problem, answered, asked);
      if (problem.code === "application_closed") draft.isClosed.value = true;
      say(await toldOf(problem), "problem", null, draft);
      return false;
    } finally {
      sending.value = null;
      unsaved.delete(form);
      removeEventListener("pagehide", closes);
    }
    done(sent, here);
  };
  /** Another tab or device has sent something since. */
  const overtaken = async (newer) => {
    // After a withdrawal, what is typed here is all there is.
    if (newer) draft.overtaken(answersOf(submission), answersOf(newer));
    form.last = { text: "", key: "" };
    if (newer) stored(newer);
    else await reload();
    setQuery({ step: "" });
  };
  /** What is said of a problem. A form that has changed meanwhile is loaded again. */
  const toldOf = async (problem) => {
    if (problem.status === 412) return t("apply.overtaken");
    if (unanswered(problem).some((id) => !asked.some((one) => one.id === id))) {
      await reload();
      return t("apply.form.changed");
    }
    return problem instanceof ApiError ? problem.message : t("error.network");
  };

  if (error)
    return html`<div class="form">${head}<${Problem} error=${error} retry=${load} /></div>`;
  if (!isReady) return html`<div class="form">${head}<${Skeleton} lines=${8} /></div>`;
  // What is being sent was perhaps received in time.
  if ((hasEnded && !sending.value) || draft.isClosed.value) {
    const unsent = changed.map((one) => [one.prompt, answerText(one, draft.answers.value[one.id])]);
    // What was typed for questions that are not asked any more is not lost either.
    const isLeft = ([id, answer]) =>
      isTyped(answer) &&
      !asked.some((one) => String(one.id) === id) &&
      !sameAnswer(answer, before[id]);
    const left = Object.entries(draft.answers.value).filter(isLeft);
    return html`<div class="form">${head}<${Closed} ...${props} sent=${[]} unsent=${unsent}
      left=${left}
      isUnsure=${isUnsure.value || props.isOld} />
      </div>`;
  }
  const isRefused = ([id, _]) => sameAnswer(draft.answers.value[id], form.refused[id]);
  const still = Object.fromEntries(Object.entries(errors.value).filter(isRefused));
  const problems = { ...still, ...problemsOf(asked, draft, wantsToSend.current) };
  const path = url`/clubs/${club}/applications/${application.id}/`;
  const view = {
    ...props,
    path,
    draft,
    questions,
    asked,
    answered,
    changed,
    problems,
    sending,
    send,
  };
  return html`<div class="form">
    ${head}
    ${
      form.isBroken.value &&
      !sending.value &&
      html`<div class="card" role="status"><p class="line"><${Chip} kind="warn" icon="clock">
        ${t("apply.broken")}<//></p><p>${t("apply.broken.about")}</p>
        ${
          !isChecking &&
          html`<p><button onClick=${() => setQuery({ step: "check" }, { step: true })}>
          ${t("apply.check")}</button></p>`
        }</div>`
    }
    ${
      isChecking
        ? html`<${Check} ...${view} />`
        : html`<${Questions} ...${view}
      isCarried=${isCarried} />`
    }
  </div>`;
}

/** The ids of the required questions that are missing in what was sent. */
function unanswered(error) {
  const reasons = error.body?.reasons?.responses ?? [];
  return reasons.filter((one) => one.code === "unanswered").map((one) => one.id);
}

/** What the API refused, by question. */
function refusals(error, answered, asked) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const [field, messages] of Object.entries(error.fields ?? {})) {
    const place = /^responses\.(\d+)/.exec(field)?.[1];
    if (place !== undefined) found[answered[Number(place)].id] = messages;
  }
  for (const question of asked.filter((one) => unanswered(error).includes(one.id)))
    found[question.id] = [t("ask.missing")];
  return found;
}

/** Which committee, what was sent before, and the questions. */
function Questions(view) {
  const { application, committee, submission, draft, questions, changed, problems } = view;
  const { isCarried, sending } = view;
  const name = application.committees.find((one) => one.id === committee)?.name;
  let number = 0;
  return html`<${Rich} text=${application.description} />
    ${
      application.committees.length > 0 &&
      html`<div class="card line">
      <div><span class="small quiet">${t("apply.committee")}</span><br /><b>
        ${name ?? t("apply.committee.none")}</b></div>
      <button class="plain push" onClick=${() => setQuery({ committee: "" }, { step: true })}>
        ${t("apply.committee.change")}</button></div>`
    }
    ${
      submission &&
      html`<div class="card"><p class="line">
      <span class=${`chip ${changed.length ? "warn" : "good"}`}><${Icon}
        name=${changed.length ? "pencil" : "check"} />
        ${t(changed.length ? "state.changed" : "state.sent")}</span>
      <span class="small">${t("apply.sent.on", { time: moment(submission.updated_at) })}</span></p>
      ${changed.length > 0 && html`<p class="small">${t("apply.changed.about")}</p>`}
      <p><a href=${sentAddress()} onClick=${toSent}>${t("apply.sent.show")}</a></p></div>`
    }
    ${isCarried && html`<p class="card line"><${Icon} name="info" /> ${t("apply.carried")}</p>`}
    ${questions.map((question) => {
      if (question.question_type !== INFO) number += 1;
      return html`<${Question} key=${question.id} question=${question} number=${number}
        draft=${draft} errors=${problems[question.id]} path=${view.path}
        isLocked=${Boolean(sending.value)} />`;
    })}
    <${Tray} ...${view}><button class="main" onClick=${() => {
      setQuery({ step: "check" }, { step: true });
    }}>${t("apply.check")}</button><//>`;
}

const sentAddress = () =>
  `${location.pathname}?${new URLSearchParams([...address.value.query, ["step", "sent"]])}`;
function toSent(event) {
  event.preventDefault();
  setQuery({ step: "sent" }, { step: true });
}

/** One line: how much is answered, whether it is stored, and the way on. */
function Tray({ asked, answered, draft, sending, children }) {
  const state = draft.state.value;
  const again = Math.round(draft.again.value / 1000);
  const text = sending.value
    ? t(sending.value.again ? "apply.sending.again" : "apply.sending", { n: sending.value.again })
    : t(state === "failed" && again ? "draft.again" : `draft.${state}`, { n: again });
  const circle = 2 * Math.PI * 15;
  const part = asked.length ? answered.length / asked.length : 1;
  const open = asked.find((question) => !answered.includes(question));
  return html`<div class="tray" role="region"
    aria-label=${t("apply.progress", { done: answered.length, all: asked.length })}><div>
    <svg class="ring" viewBox="0 0 36 36" aria-hidden="true"><circle cx="18" cy="18" r="15" />
      <circle class="done" cx="18" cy="18" r="15"
        stroke-dasharray=${`${part * circle} ${circle}`} /></svg>
    <p class="small cut"><b>${t("apply.count", { done: answered.length, all: asked.length })}</b>
      ${
        open &&
        html` <a href=${`#q${open.id}`} onClick=${(event) => {
          event.preventDefault();
          if (address.value.query.has("step")) setQuery({ step: "" });
          setTimeout(() => document.getElementById(`q${open.id}`)?.focus(), 50);
        }}>${t("next")}<span class="hidden">: ${t("apply.next")}</span></a>`
      }<br />
      <span role="status" class=${state === "failed" || state === "conflict" ? "warn" : "quiet"}>
        ${text}</span></p>
    <span class="push">${children}</span></div></div>`;
}

/** "Check your answers" before they are sent: each with a way back to it. */
function Check(view) {
  const { draft, asked, answered, submission, changed, problems, sending, send, path } = view;
  const { application } = view;
  const isSure = useSignal(false);
  const isFresh = useFresh(true);
  const wrong = asked.filter((question) => problems[question.id]);
  const isHidden = ([id, answer]) =>
    isTyped(answer) && !answered.some((one) => String(one.id) === id);
  const hidden = Object.entries(draft.answers.value).filter(isHidden);
  const back = (question) => (event) => {
    event.preventDefault();
    setQuery({ step: "" });
    setTimeout(() => document.getElementById(`q${question.id}`)?.focus(), 50);
  };
  const go = async () => {
    if (wrong.length) {
      document.getElementById("summary")?.focus();
      return false;
    }
    if (answered.length === 0 && asked.length > 0 && !isSure.value) {
      isSure.value = true;
      return false;
    }
    return send();
  };
  const isSame = submission && changed.length === 0;
  return html`
    ${wrong.length > 0 && html`<${Summary} questions=${wrong} problems=${problems} back=${back} />`}
    <h2>${t("apply.check.title")}</h2>
    ${isSame && html`<p>${t("apply.same")}</p>`}
    ${hidden.length > 0 && html`<${Hidden} all=${hidden} application=${application} />`}
    <dl class="answers">${asked.map((question, n) => {
      // What does not fit the question, because that was changed, is not sent.
      const answer = answered.includes(question) ? draft.answers.value[question.id] : undefined;
      const text = answerText(question, answer);
      return html`<div key=${question.id} class="card"><dt class="line"><b>
        ${n + 1}. ${question.prompt}</b>
        <a class="push" href=${`#q${question.id}`} onClick=${back(question)}>${t("apply.fix")}<span
          class="hidden"> ${question.prompt}</span></a></dt>
        <dd class="answer" dir="auto">${
          answer?.file
            ? html`<${FileName} path=${path} id=${answer.file} />`
            : text || html`<span class="quiet">${t("apply.none")}</span>`
        }</dd></div>`;
    })}</dl>
    ${isSure.value && html`<div class="card" role="alert"><p>${t("apply.empty")}</p></div>`}
    ${
      sending.value &&
      sending.value.again > 0 &&
      html`<div class="card" role="alert">
      <p>${t("apply.sending.failed")}</p><p><button onClick=${sending.value.stop}>
        ${t("apply.sending.stop")}</button></p></div>`
    }
    <p><button onClick=${() => setQuery({ step: "" })}>${t("apply.back")}</button></p>
    <${Tray} ...${view}><${Action} className="main" run=${go}
      disabled=${Boolean(sending.value)}
      isFresh=${isFresh}>
      ${t(isSure.value ? "apply.send.anyway" : "apply.send")}<//><//>`;
}
