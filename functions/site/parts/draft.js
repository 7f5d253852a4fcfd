// The answers of one applicant while they are typed. What is typed is in memory, then in the
// storage of the browser, then in the draft of the service. Nothing here knows the page, so that it
// is tested without a browser.

import { computed, signal } from "../vendor/libraries.js";
import { isFinal, isPassing, pauseBefore } from "./request.js";

/** An answer is saved this long after the last key. */
const PAUSE_MS = 700;
/** Answers of one request, and their size when the page is left: browsers allow 64 KB then. */
const AT_ONCE = 20;
const LAST_BYTES = 60_000;
/** How many answers without a reply are remembered, and how many of them in the storage. */
const MOST_UNHEARD = 50;
const MOST_KEPT = 3;

/** Halves of characters that have two of them. */
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** @typedef {{text: string, multiple_choice: number | null, file: number | null}} Answer */
/**
 * @typedef {"clean" | "dirty" | "saving" | "saved" | "failed" | "conflict" | "closed"} State
 * `failed`: not stored; `messages` may say why
 */

/** @type {Answer} */
const EMPTY = { text: "", multiple_choice: null, file: null };
/** Whether two answers say the same. No answer is an empty one. */
export const sameAnswer = (a = EMPTY, b = EMPTY) =>
  (a.text ?? "") === (b.text ?? "") &&
  (a.multiple_choice ?? null) === (b.multiple_choice ?? null) &&
  (a.file ?? null) === (b.file ?? null);
const shown = (answer) => ({
  text: answer.text ?? "",
  multiple_choice: answer.multiple_choice ?? null,
  file: answer.file ?? null,
});
const without = (object, name) => {
  const { [name]: _, ...others } = object;
  return others;
};

/**
 * The draft of one committee: what is on the page, what the service has, and what is between them.
 * @param {object} around
 * @param {(responses: any[], options?: {keepalive: boolean}) => Promise<any>} around.send stores
 *     answers; sent once, without repeats
 * @param {import("./store.js").Store} around.store
 * @param {{set: (run: () => void, ms: number) => any, clear: (timer: any) => void}} [around.timers]
 */
export function makeDraft({ send, store, timers }) {
  const clock = timers ?? {
    set: (run, ms) => setTimeout(run, ms),
    clear: (id) => clearTimeout(id),
  };
  /** What is typed, by question. */
  const answers = signal(/** @type {Record<string, Answer>} */ ({}));
  const states = signal(/** @type {Record<string, State>} */ ({}));
  /** Why an answer was refused, by question. It is sent again when it was changed. */
  const messages = signal(/** @type {Record<string, string>} */ ({}));
  /** What another tab or device saved, by question. */
  const conflicts = signal(/** @type {Record<string, any>} */ ({}));
  /** Files on their way, by question, or why one did not arrive. */
  const uploads = signal(
    /** @type {Record<string, {part: number, again: number, stop: () => void, problem?: string}>} */
    ({}),
  );
  const isClosed = signal(false);
  /** When the next try is, in milliseconds from now; 0 if none is planned. */
  const again = signal(0);
  const versions = {};
  /**
   * Answers that were sent and of which nobody knows whether they were stored, by question.
   * @type {Record<string, Answer[]>}
   */
  const unheard = {};
  let [isHeld, attempt] = [false, 0];
  /** Rises when the draft ends: what is answered to a save before that is of no interest. */
  let life = 0;
  let timer;
  let running = /** @type {Promise<void> | null} */ (null);
  /** Answers of an earlier submission that the draft does not have yet. */
  let copied = /** @type {string[]} */ ([]);

  const mark = (question, state, message) => {
    states.value = { ...states.value, [question]: state };
    messages.value = message
      ? { ...messages.value, [question]: message }
      : without(messages.value, question);
    const isStored = state === "saved" || state === "clean";
    if (isStored) return store.remove(question);
    // A conflict that nobody has ended is one again for whoever comes back.
    const version = state === "conflict" ? 0 : (versions[question] ?? 0);
    const sent = unheard[question] ?? [];
    const few = sent.length > MOST_KEPT ? [sent[0], ...sent.slice(1 - MOST_KEPT)] : sent;
    store.set(question, { answer: answers.value[question], version, unheard: few });
  };
  const waits = (question) =>
    ["dirty", "saving", "failed"].includes(states.value[question]) && !messages.value[question];
  const waiting = () => Object.keys(states.value).filter(waits);
  const body = (question) => {
    const { text, multiple_choice, file } = answers.value[question];
    const version = versions[question] ?? 0;
    return {
      question: Number(question),
      text: multiple_choice || file ? null : text,
      multiple_choice,
      file,
      version,
    };
  };

  const wonder = (question, answer) => {
    const others = (unheard[question] ?? []).filter((one) => !sameAnswer(one, answer));
    unheard[question] = [...others, answer].slice(-MOST_UNHEARD);
  };

  /** Takes what was stored. What was typed meanwhile waits for the next request. */
  const stored = (batch, sent, data) => {
    for (const question of batch) {
      delete unheard[question];
      const found = data.responses.find((one) => one.question === Number(question));
      versions[question] = found?.version ?? 0;
      mark(question, sameAnswer(answers.value[question], sent[question]) ? "saved" : "dirty");
    }
    merge(data.responses);
    // Another tab may have submitted, which ends a draft: this save has begun another one, which
    // has to be whole.
    if (data.responses.some((one) => !batch.includes(String(one.question)))) return;
    for (const [question, answer] of Object.entries(answers.value)) {
      const isStored = ["saved", "clean"].includes(states.value[question] ?? "clean");
      // With its version: if another tab has only removed it, that is a conflict.
      if (!batch.includes(question) && !sameAnswer(answer) && isStored) mark(question, "dirty");
    }
  };

  /** See `merge` below. */
  const merge = (responses) => {
    let isNew = false;
    for (const other of responses) {
      const question = String(other.question);
      const isStored = ["saved", "clean"].includes(states.value[question] ?? "clean");
      // What was touched here waits for its own request, which finds the conflict.
      if (!isStored || other.version <= (versions[question] ?? 0)) continue;
      versions[question] = other.version;
      if (sameAnswer(answers.value[question], other)) continue;
      answers.value = { ...answers.value, [question]: shown(other) };
      // Without `mark`: what the storage has was typed, and is compared when it is brought back.
      states.value = { ...states.value, [question]: "saved" };
      isNew = true;
    }
    return isNew;
  };

  /** Notes why a request was refused. Returns whether the others can be sent at once. */
  const refused = (batch, error) => {
    if (error.code === "draft_conflict") {
      const found = {};
      for (const other of error.body.conflicts) {
        versions[other.question] = other.version;
        // What this page sent itself is no answer of another one.
        const isOwn = unheard[other.question]?.some((one) => sameAnswer(one, other));
        // Nothing was removed there: a submission has ended the draft.
        const isEnded = other.version === 0;
        if (!isOwn && !isEnded) found[other.question] = other;
      }
      conflicts.value = { ...conflicts.value, ...found };
      for (const question of batch) mark(question, question in found ? "conflict" : "dirty");
      return error.body.conflicts.length > 0;
    }
    if (error.code === "application_closed") {
      isClosed.value = true;
      for (const question of batch) mark(question, "failed");
      return false;
    }
    const named = {};
    for (const [field, said] of Object.entries(error.fields ?? {})) {
      const place = /^responses\.(\d+)/.exec(field)?.[1];
      if (place !== undefined && batch[Number(place)]) named[batch[Number(place)]] = said.join(" ");
    }
    const all = Object.keys(named).length === 0 && isFinal(error.status);
    for (const question of batch) {
      const why = named[question] ?? (all ? error.message : undefined);
      mark(question, why || Object.keys(named).length === 0 ? "failed" : "dirty", why);
    }
    return Object.keys(named).length > 0 && Object.keys(named).length < batch.length;
  };

  const run = async () => {
    while (!isHeld && !isClosed.value) {
      const batch = waiting().slice(0, AT_ONCE);
      if (batch.length === 0) return;
      const sent = Object.fromEntries(batch.map((question) => [question, answers.value[question]]));
      // The page may end before the answer comes, and some errors come although it was stored.
      for (const question of batch) wonder(question, sent[question]);
      for (const question of batch) mark(question, "saving");
      const born = life;
      try {
        const data = await send(batch.map(body));
        if (born !== life) continue;
        stored(batch, sent, data);
        attempt = 0;
      } catch (error) {
        if (born !== life) continue;
        if (refused(batch, error)) continue;
        if (isPassing(error.status ?? 0)) later(pauseBefore(++attempt));
        return;
      }
    }
  };
  const flush = () => {
    clock.clear(timer);
    again.value = 0;
    running ??= run().finally(() => (running = null));
    return running;
  };
  const later = (ms) => {
    clock.clear(timer);
    again.value = ms > PAUSE_MS ? ms : 0;
    timer = clock.set(flush, ms);
  };

  const forget = () => {
    clock.clear(timer);
    life += 1;
    for (const question of Object.keys(versions)) delete versions[question];
    for (const question of Object.keys(unheard)) delete unheard[question];
    [isHeld, attempt, copied] = [false, 0, []];
    conflicts.value = {};
    messages.value = {};
    states.value = {};
  };

  return {
    answers,
    states,
    messages,
    conflicts,
    uploads,
    isClosed,
    again,
    /** The state of the whole draft: the worst of its answers. */
    state: computed(() => {
      if (isClosed.value) return "closed";
      const all = Object.values(states.value);
      const order = /** @type {State[]} */ (["conflict", "failed", "saving", "dirty", "saved"]);
      return order.find((one) => all.includes(one)) ?? "clean";
    }),
    /** Shows what the service has, in the place of what it had before. */
    take(draft) {
      forget();
      isClosed.value = false;
      /** @type {Record<string, Answer>} */
      const found = {};
      for (const answer of draft?.responses ?? []) {
        versions[answer.question] = answer.version;
        found[answer.question] = shown(answer);
      }
      answers.value = found;
    },
    /**
     * Begins with answers that are stored elsewhere: those of an earlier submission. The first
     * change
     * saves all of them, so that a draft is always whole.
     */
    begin(given) {
      answers.value = given;
      copied = Object.keys(given);
    },
    /**
     * Takes over what another tab or device saved since: answers that were not touched here.
     * Returns whether something on the page changed.
     * @type {(responses: any[]) => boolean}
     */
    merge,
    /** Brings back what was typed and never stored. */
    restore() {
      for (const [question, { answer, version, unheard: sent }] of Object.entries(store.all())) {
        if (sent) unheard[question] = sent;
        const isThere = sameAnswer(answer, answers.value[question]);
        answers.value = { ...answers.value, [question]: shown(answer) };
        // With the version of then, a change in another tab meanwhile is a conflict.
        if (!isThere) versions[question] = version;
        mark(question, isThere ? "saved" : "dirty");
      }
      if (waiting().length) later(PAUSE_MS);
    },
    change(question, value) {
      if (isHeld || isClosed.value) return;
      // Programs that cut texts may leave half a character, which the service refuses.
      const text = (value.text ?? "").replace(HALVES, "\ufffd");
      answers.value = { ...answers.value, [question]: { ...EMPTY, ...value, text } };
      for (const one of copied) mark(one, "dirty");
      copied = [];
      mark(question, conflicts.value[question] ? "conflict" : "dirty");
      if (!conflicts.value[question] && (attempt === 0 || running === null)) later(PAUSE_MS);
    },
    /**
     * Takes over what was submitted elsewhere since: answers that were not touched here. Where both
     * changed, there is a conflict.
     * @param {Record<string, Answer>} before @param {Record<string, Answer>} now
     */
    overtaken(before, now) {
      for (const question of new Set([...Object.keys(before), ...Object.keys(now)])) {
        const [mine, theirs] = [answers.value[question], now[question] ?? EMPTY];
        if (sameAnswer(mine, theirs) || sameAnswer(theirs, before[question])) continue;
        const isTouched = !sameAnswer(mine, before[question]);
        if (isTouched) conflicts.value = { ...conflicts.value, [question]: theirs };
        else answers.value = { ...answers.value, [question]: theirs };
        mark(question, isTouched ? "conflict" : "dirty");
      }
      if (waiting().length) later(PAUSE_MS);
    },
    /** Ends a conflict with the own answer, or with that of the other tab. */
    resolve(question, mine) {
      const other = conflicts.value[question];
      conflicts.value = without(conflicts.value, question);
      if (mine) {
        mark(question, "dirty");
        return flush();
      }
      answers.value = { ...answers.value, [question]: shown(other) };
      // An answer of a submission has no version: the draft does not have it.
      const isInDraft = other.version !== undefined;
      mark(question, isInDraft ? "saved" : "dirty");
      if (!isInDraft) return flush();
    },
    flush,
    /** Somebody comes back: what was refused or closed may be possible now. */
    retry() {
      isClosed.value = false;
      messages.value = {};
      return flush();
    },
    /** Whether something that was typed is not stored by the service. */
    isOpen: () => Object.values(states.value).some((one) => one !== "saved" && one !== "clean"),
    /** Stops saving, because all answers are being submitted; waits for what is on its way. */
    async hold() {
      isHeld = true;
      clock.clear(timer);
      await Promise.race([running, new Promise((done) => clock.set(() => done(undefined), 3000))]);
    },
    /** Goes on after a submission that failed. */
    release() {
      isHeld = false;
      if (waiting().length) later(PAUSE_MS);
    },
    /** The page is being left: sends what waits, once, without waiting for an answer. */
    leave() {
      if (isHeld || isClosed.value) return;
      let bytes = 0;
      const size = (one) => 3 * (one.text?.length ?? 0) + 100;
      const last = waiting()
        .map(body)
        .filter((one) => (bytes += size(one)) < LAST_BYTES);
      for (const { question } of last) {
        wonder(question, answers.value[question]);
        mark(question, states.value[question]);
      }
      if (last.length) send(last, { keepalive: true }).catch(() => {});
    },
    /** After the submission nothing waits: the draft is gone, and with it its versions. */
    submitted() {
      for (const question of Object.keys(states.value)) store.remove(question);
      forget();
    },
  };
}
