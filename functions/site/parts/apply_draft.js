// The draft of a form as the page has it: loaded, kept while the form is left, and what was sent.

import { signal, useEffect, useMemo, useRef, useSignal } from "./kit.js";
import { ApiError, NO_ERRORS, call, get, learn } from "./api.js";
import { questionsFor } from "./asked.js";
import { isSignedIn, person } from "./auth.js";
import { makeDraft, sameAnswer } from "./draft.js";
import { unremember } from "./offline.js";
import { url } from "./path.js";
import { hasAnswer } from "./question.js";
import { typedStore } from "./store.js";
import { t } from "./texts.js";
import { say } from "./ui.js";

/** What was typed for one committee, for those that ask the same, by person and form. */
const carried = {};
/**
 * The drafts that this page has had, and what is being sent, by person and form. Whoever leaves a
 * form and comes back goes on with the same: another one would write over what this one still
 * sends.
 */
const drafts = {};

/** The answers of a submission, by question. */
export const answersOf = (submission) =>
  Object.fromEntries(
    (submission?.responses ?? []).map((answer) => [
      answer.question.id,
      {
        text: answer.text ?? "",
        multiple_choice: answer.multiple_choice?.id ?? null,
        file: answer.file?.id ?? null,
      },
    ]),
  );

/** The draft of this form, and what loading it said. */
export function useDraft({ club, application, committee, submission, others }) {
  const key = `${person()} ${application.id}`;
  const whole = url`/clubs/${club}/applications/${application.id}/draft/`;
  const path = committee ? /** @type {const} */ (`${whole}?committee=${committee}`) : whole;
  const place = `draft/${application.id}/${committee ?? 0}`;
  const form = useMemo(() => (drafts[`${person()} ${place}`] ??= newForm(path, place)), []);
  const { draft } = form;
  const state = useSignal(/** @type {any} */ ({ isReady: false, error: null, isCarried: false }));

  /** Answers to the same questions for another committee are the beginning. */
  const carry = () => {
    const known = { ...answersOf(others[0]), ...carried[key] };
    const questions = questionsFor(application, committee, known).filter((one) =>
      hasAnswer(known[one.id], one),
    );
    draft.begin(Object.fromEntries(questions.map((one) => [one.id, known[one.id]])));
    state.value = { ...state.value, isCarried: questions.length > 0 };
  };
  const load = async () => {
    state.value = { ...state.value, error: null };
    // What is typed here is newer than what the service has.
    if (draft.isOpen() || form.sending.value) {
      state.value = { ...state.value, isReady: true };
      return draft.retry();
    }
    const [owner, before] = [person(), draft.answers.value];
    try {
      const stored = await get(path).catch(async (error) => {
        // Whoever comes back without a network may begin with nothing.
        if (error.status === 404) {
          await unremember(owner, path);
          learn(path, { responses: [] });
          return null;
        }
        // Without a network, what was sent is the beginning of a change.
        if (error.status === 0 && submission) return null;
        throw error;
      });
      // Somebody may have typed into the same form meanwhile: it was left and opened again.
      if (!draft.isOpen() && !form.sending.value && draft.answers.value === before) {
        const isNew = !stored?.responses.length;
        draft.take(stored);
        // Without a draft, an earlier submission is the beginning.
        if (isNew && submission) draft.begin(answersOf(submission));
        draft.restore();
        if (isNew && !submission && !draft.isOpen()) carry();
      }
      state.value = { ...state.value, isReady: true };
    } catch (error) {
      // An empty form would look as if nothing had been saved.
      state.value = { ...state.value, error };
    }
  };
  /** Whether the form was shown: before that, `load` takes over what is stored. */
  const isShown = useRef(false);
  isShown.current = state.value.isReady;
  /**
   * Shows what another tab or device has saved since. Returns whether the answers on the page are
   * now as they were: false if some came, or if nobody knows.
   */
  const refresh = async () => {
    if (form.sending.value || !isShown.current) return false;
    const before = draft.answers.value;
    let stored;
    try {
      stored = await call("GET", path, { tries: 1 });
    } catch (error) {
      if (error.status !== 404) return false;
      // There is no draft, and whoever comes back without a network begins with nothing.
      await unremember(person(), path);
      learn(path, { responses: [] });
      return true;
    }
    // What this device remembered is too old, and so is what was asked for before somebody typed.
    if (/** @type {any} */ (stored).isOld || form.sending.value) return false;
    if (draft.answers.value !== before) return false;
    const isNew = draft.merge(stored.data.responses);
    if (isNew) say(t("apply.merged"));
    return !isNew;
  };
  /** The last look at what others saved; a sending waits for it. */
  const look = () => (form.looked = refresh());
  useEffect(() => {
    void load();
    const leave = () => (document.visibilityState === "hidden" ? draft.leave() : look());
    addEventListener("online", draft.flush);
    addEventListener("pagehide", draft.leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      carried[key] = draft.answers.value;
      removeEventListener("online", draft.flush);
      removeEventListener("pagehide", draft.leave);
      document.removeEventListener("visibilitychange", leave);
      void draft.flush();
    };
  }, []);
  // After signing in again, what could not be saved is saved.
  useEffect(() => {
    if (isSignedIn.value && state.value.isReady) void draft.flush();
  }, [isSignedIn.value]);
  /** After the submission there is no draft, here neither. */
  const submitted = () => {
    // A file for a question that is not asked any more would begin a new draft.
    for (const one of Object.values(draft.uploads.value)) one.stop();
    draft.uploads.value = {};
    draft.submitted();
    delete carried[key];
    void unremember(person(), path);
  };
  return { form, draft, load, look, submitted, ...state.value };
}

/**
 * A form that this page did not have before.
 * @typedef {`/clubs/${string}/applications/${string}/draft/`} OfDraft
 * @param {OfDraft | `${OfDraft}?committee=${number}`} path
 * @param {string} place
 */
function newForm(path, place) {
  const owner = person();
  const begun = typedStore(owner, place.replace("draft", "sending"));
  const last = begun.all().last;
  const isBroken = Boolean(last) && last.until < Date.now();
  const draft = makeDraft({
    store: typedStore(owner, place),
    send: async (responses, { keepalive } = { keepalive: false }) => {
      // Nobody saves what somebody else typed.
      if (person() !== owner) throw new ApiError(401, null);
      const body = { responses };
      const { data } = await call("PATCH", path, { body, tries: 1, keepalive });
      // Whoever comes back without a network goes on from here.
      learn(path, data);
      return data;
    },
  });
  return {
    draft,
    sending: signal(/** @type {null | {again: number, stop: () => void}} */ (null)),
    /** Whether something was sent of which nobody knows whether it was received. */
    isUnsure: signal(Boolean(last)),
    /** The last sending, and its key: the same answers are sent with the same key. */
    last: { text: last?.text ?? "", key: last?.key ?? "" },
    /** The last sending until its answer is there, also when the tab is closed meanwhile. */
    begun,
    /** Whether the tab was closed during a sending. */
    isBroken: signal(isBroken),
    /** The answers of sendings that got no answer. */
    unheard: /** @type {Record<string, any>[]} */ (last ? [last.answers] : []),
    errors: signal(NO_ERRORS),
    /** Whether the answers are those that the draft had when the form looked for the last time. */
    looked: Promise.resolve(true),
    /** The answers that the API refused. One that was changed since may be sent again. */
    refused: /** @type {Record<string, any>} */ ({}),
  };
}

/** What is submitted now for this committee; `undefined` if nothing is, null if nobody knows. */
export async function submittedNow({ application, committee }) {
  const all = await call("GET", "/submissions/", { tries: 1 }).catch(() => null);
  // What was remembered says nothing about now.
  if (!all || /** @type {any} */ (all).isOld) return null;
  return all.data.find(
    (one) => one.application === application.id && (one.committee?.id ?? null) === committee,
  );
}

/** What was received, if it has these answers: of a sending whose answers were lost. */
export async function received(form, asked, answers) {
  const found = await submittedNow(form);
  if (!found || found.revision === form.submission?.revision) return null;
  return hasAnswers(found, asked, answers) ? found : null;
}

/** Whether a submission has these answers. */
export function hasAnswers(submission, asked, answers) {
  const there = answersOf(submission);
  // What has only blanks is not sent.
  const sent = (one) => (hasAnswer(answers[one.id], one) ? answers[one.id] : undefined);
  return asked.every((one) => sameAnswer(there[one.id], sent(one)));
}
