// The answers of one applicant while they are typed: each is saved shortly after the last key, with
// the version of the answer that it changes.

import { signal, without } from "./kit.js";
import { call } from "./api.js";
import { person } from "./auth.js";

/** An answer is saved this long after the last key. */
const PAUSE_MS = 700;

/**
 * The draft of one committee: what is on the page, what the server has, and what is between them.
 * @param {string} path
 */
export function makeDraft(path) {
  /** What is typed, by question: `{ text, multiple_choice }`. */
  const answers = signal({});
  /** `saved`, `waiting`, `saving` or an error, by question. */
  const states = signal({});
  /** What another tab saved, by question. */
  const conflicts = signal({});
  const versions = {};
  const timers = {};
  // What is not saved yet is kept in the tab, for the person who typed it, so that it comes back
  // after signing in again.
  const place = `unsaved ${path}`;
  let owner = person();
  const mark = (question, state) => {
    states.value = { ...states.value, [question]: state };
    owner ??= person();
    const unsaved = Object.keys(states.value)
      .filter((one) => states.value[one] !== "saved")
      .map((one) => [one, { answer: answers.value[one], version: versions[one] ?? 0 }]);
    if (unsaved.length) sessionStorage.setItem(place, JSON.stringify({ owner, unsaved }));
    else sessionStorage.removeItem(place);
  };

  const take = (draft) => {
    const shown = {};
    for (const answer of draft?.responses ?? []) {
      versions[answer.question] = answer.version;
      shown[answer.question] = { text: answer.text ?? "", multiple_choice: answer.multiple_choice };
    }
    answers.value = shown;
  };

  const restore = () => {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
    if (!person() || !kept) return;
    if (kept.owner !== person()) return sessionStorage.removeItem(place);
    for (const [question, { answer, version }] of kept.unsaved) {
      // With the version of then, a change in another tab meanwhile is a conflict.
      versions[question] = version;
      answers.value = { ...answers.value, [question]: answer };
    }
    for (const [question] of kept.unsaved) later(Number(question));
  };

  /** Saves an answer until the server has what is typed. While a conflict is open, nothing is saved. */
  const store = async (question) => {
    for (;;) {
      if (conflicts.value[question]) return mark(question, "conflict");
      const sent = answers.value[question];
      const { text, multiple_choice } = sent;
      mark(question, "saving");
      try {
        const body = {
          responses: [{
            question,
            text: multiple_choice ? null : text,
            multiple_choice: multiple_choice ?? null,
            version: versions[question] ?? 0,
          }],
        };
        const { data } = await call("PATCH", path, { body });
        versions[question] = data.responses.find((one) => one.question === question)?.version ?? 0;
      } catch (error) {
        if (error.code !== "draft_conflict") return mark(question, error.message);
        for (const other of error.body.conflicts) {
          versions[other.question] = other.version;
          conflicts.value = { ...conflicts.value, [other.question]: other };
        }
        continue;
      }
      if (answers.value[question] === sent) return mark(question, "saved");
    }
  };
  /** One request at a time for each question: a second one would have the version of the first. */
  const running = {};
  const save = (question) => {
    clearTimeout(timers[question]);
    running[question] ??= store(question).finally(() => delete running[question]);
    return running[question];
  };
  const later = (question) => {
    if (conflicts.value[question]) return mark(question, "conflict");
    mark(question, "waiting");
    clearTimeout(timers[question]);
    timers[question] = setTimeout(() => save(question), PAUSE_MS);
  };
  return {
    answers,
    states,
    conflicts,
    take,
    restore,
    save,
    change: (question, value) => {
      answers.value = { ...answers.value, [question]: { text: "", multiple_choice: null, ...value } };
      later(question);
    },
    /** Ends a conflict with the own answer, or with that of the other tab. */
    resolve: (question, mine) => {
      const other = conflicts.value[question];
      conflicts.value = without(conflicts.value, question);
      if (mine) return save(question);
      answers.value = {
        ...answers.value,
        [question]: { text: other.text ?? "", multiple_choice: other.multiple_choice },
      };
      mark(question, "saved");
    },
    /** After the submission nothing waits. */
    forget: () => {
      // The draft is gone, and with it its versions.
      for (const question of Object.keys(versions)) delete versions[question];
      conflicts.value = {};
      states.value = {};
      sessionStorage.removeItem(place);
    },
    /** Saves what waits, before it is submitted. */
    settle: () => Promise.all(
      Object.entries(states.value)
        .filter(([, state]) => state !== "saved" && state !== "conflict")
        .map(([question]) => save(Number(question))),
    ),
  };
}
