// The own review of a submission, stored as it is made, and those of others.

import { html, signal, useEffect, useMemo, useRef, useSignal } from "./kit.js";
import { get, now, put, remove } from "./api.js";
import { isSignedIn, person } from "./auth.js";
import { loaded, useLoad } from "./load.js";
import { me } from "./me.js";
import { isFinal } from "./request.js";
import { typedStore } from "./store.js";
import { t } from "./texts.js";
import { Action, Chip, forgetProblem, say, useUnsaved } from "./ui.js";

/** A comment is stored this long after the last key. */
const PAUSE_MS = 1000;

/** The paths of the reviews that are shown: they send themselves. */
const open = new Set();
/** How many reviews were made and could not be sent yet. */
const unsent = signal(0);
/** How often they are tried again. */
const AGAIN_MS = 30_000;
let isSending = false;
const isOwn = (one) => Boolean(me.value) && one.by?.id === me.value?.id;
/** Nothing is no review. A score without a comment may have one at the service. */
const isNothing = ({ score, comment }) => score === null && !comment?.trim();
/** What is younger may be on its way, or is being typed in another tab. */
const YOUNG_MS = 30_000;

/** The reviews of a store whose applicant is not shown, and that may still be taken. */
const waitingIn = (store) =>
  Object.entries(store.all()).filter(([path, one]) => !open.has(path) && !one.isRefused);

/**
 * Sends the reviews that could not be sent when they were made, and whose applicant is not shown.
 * @param {(of: number, score: number | null) => void} sent
 */
async function sendUnsent(sent) {
  const store = typedStore(person(), "review");
  const waiting = () => waitingIn(store);
  unsent.value = waiting().length;
  // Without the caller's id, the own review is not known.
  if (isSending || !me.value) return;
  isSending = true;
  try {
    for (const [path, review] of waiting()) {
      // A score by a key is whole: nobody is typing.
      if (review.comment !== null && now() - review.at < YOUNG_MS) continue;
      if (!(await sendOne(store, /** @type {any} */ (path), review, sent))) break;
    }
  } finally {
    isSending = false;
    unsent.value = waiting().length;
  }
}

/**
 * Sends one of them. Returns false if the next one need not be tried now.
 * @param {import("./store.js").Store} store
 * @param {import("../api").OfSubmission} path
 * @param {any} review
 * @param {(of: number, score: number | null) => void} sent
 */
async function sendOne(store, path, review, sent) {
  const isSame = () => !open.has(path) && store.all()[path]?.at === review.at;
  try {
    const own = (await get(`${path}reviews/`)).find(isOwn);
    if (!isSame()) return true;
    // What was stored after it elsewhere is newer.
    const isOld = Date.parse(own?.updated_at ?? "") > review.at;
    if (!isOld && isNothing(review)) await dropOwn(path);
    else if (!isOld) {
      const comment = review.comment ?? own?.comment ?? "";
      await put(`${path}reviews/mine/`, { score: review.score, comment });
    }
    if (isSame()) store.remove(path);
    if (!isOld) sent(Number(/(\d+)\/$/.exec(path)?.[1]), review.score);
    return true;
  } catch (error) {
    if (!isFinal(error.status)) return false;
    say(error.message, "problem");
    // Somebody who has lost the role may get it back, and find it at the submission.
    if (error.status === 403 && isSame()) store.set(path, { ...review, isRefused: true });
    if (error.status === 403) return true;
    if (isSame()) store.remove(path);
    return true;
  }
}

/**
 * Deletes the own review, if there is one.
 * @param {import("../api").OfSubmission} path
 */
const dropOwn = (path) =>
  remove(`${path}reviews/mine/`).catch((error) => {
    if (error.status !== 404) throw error;
  });

/** Sends what waits, while a page is open that shows it. */
let sendNow = () => {};

/**
 * Keeps a score for somebody whose review is still being loaded. It is sent when the review is
 * shown or, if the officer has gone on, by itself.
 * @param {string} path of the submission
 * @param {number} score
 */
export function scoreEarly(path, score) {
  const store = typedStore(person(), "review");
  // What is typed and not stored yet, here or in another tab, stays.
  store.set(path, { score, comment: store.all()[path]?.comment ?? null, at: now() });
}
/** Sends the scores that were kept, after the officer has gone on. */
export const sendEarly = () => sendNow();

/** Tries to send them while a page is open that uses this, and when the network is back. */
export function useUnsent(sent) {
  const tell = useRef(sent);
  tell.current = sent;
  useUnsaved(unsent.value > 0);
  useEffect(() => {
    if (!isSignedIn.value) return;
    const look = () => void sendUnsent((...all) => tell.current(...all));
    const timer = setInterval(look, AGAIN_MS);
    addEventListener("online", look);
    look();
    sendNow = look;
    return () => {
      sendNow = () => {};
      clearInterval(timer);
      removeEventListener("online", look);
    };
  }, []);
}

/** How many there are. */
export function Unsent() {
  return html`<p class="flat" role="status">${
    unsent.value > 0 &&
    html`<${Chip} kind="warn" icon="clock">${t("review.unsent", { n: unsent.value })}<//>`
  }</p>`;
}

/**
 * @param {object} props
 * @param {import("../api").OfSubmission} props.path of the submission
 * @param {{current: any}} props.handle gets `score(n)` and `focus()`, for the keys of the page
 * @param {(values: any) => void} props.changed gets what the list of submissions shows
 * @param {() => Promise<any>} props.read reads the submission again, which counts its reviews
 */
export function Review({ path, handle, changed, read }) {
  const reviews = useLoad(`${path}reviews/`);
  return html`<h2 class="flat">${t("review.mine")}</h2>
    ${loaded(
      reviews,
      (all) => {
        const own = all.find(isOwn);
        const others = all.filter((one) => one !== own);
        return html`<${Own} key=${path} path=${path} own=${own} handle=${handle} stored=${async (
          score,
        ) => {
          changed({ my_score: score });
          await reviews.reload();
          await read();
        }} />
        ${others.length > 0 && html`<h3>${t("review.others")}</h3>`}
        <ul class="list">${others.map(
          (one) => html`<li key=${one.id} class="small">
          ${one.score !== null && html`<b>${one.score}</b> `}${one.comment} <span class="quiet">
            ${one.by?.username}</span></li>`,
        )}</ul>`;
      },
      3,
    )}`;
}

/** @param {{path: import("../api").OfSubmission, own: any, handle: any, stored: any}} props */
function Own({ path, own, handle, stored }) {
  // What is not stored yet: whoever comes back finds it, also after signing in again.
  const store = useMemo(() => typedStore(person(), "review"), []);
  const begun = useMemo(() => {
    const kept = store.all()[path];
    // What was stored after it elsewhere is newer.
    return kept && !(Date.parse(own?.updated_at ?? "") > kept.at) ? kept : undefined;
  }, []);
  const score = useSignal((begun ?? own)?.score ?? null);
  const comment = useSignal(begun?.comment ?? own?.comment ?? "");
  const state = useSignal(
    /** @type {"clean" | "dirty" | "saving" | "saved" | "failed" | "refused"} */ (
      begun ? "dirty" : "clean"
    ),
  );
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const timer = useRef(/** @type {any} */ (null));
  useUnsaved(["dirty", "saving", "failed"].includes(state.value));
  const keep = () => store.set(path, { score: score.value, comment: comment.value, at: now() });
  /** The number of the last save: of an earlier one, nothing is told. */
  const last = useRef(0);
  const hasFailed = useRef(false);
  /** What the service has, also for timers that began earlier. */
  const there = useRef(own);
  there.current = own;
  const isEmpty = () => isNothing({ score: score.value, comment: comment.value });
  const save = async () => {
    if (isEmpty()) return there.current || last.current ? dropped() : forgotten();
    const number = ++last.current;
    clearTimeout(timer.current);
    state.value = "saving";
    const sent = { score: score.value, comment: comment.value };
    keep();
    try {
      await put(`${path}reviews/mine/`, sent);
      // Somebody may have gone on and come back, and typed more.
      const kept = store.all()[path];
      if (kept?.score === sent.score && kept.comment === sent.comment) store.remove(path);
      unsent.value = waitingIn(store).length;
      if (number !== last.current) return;
      if (hasFailed.current) forgetProblem(path);
      hasFailed.current = false;
      const isSame = sent.score === score.value && sent.comment === comment.value;
      state.value = isSame ? "saved" : "dirty";
      await stored(sent.score);
    } catch (error) {
      // Somebody who has lost the role may get it back.
      const isRefused = isFinal(error.status) && error.status !== 403;
      if (isRefused) store.remove(path);
      if (number !== last.current || error.code === "superseded") return;
      // It is tried again, and told once.
      if (!hasFailed.current) say(error.message, "problem", null, path);
      hasFailed.current = true;
      state.value = isRefused ? "refused" : "failed";
    }
  };
  const give = (value) => {
    score.value = value;
    return save();
  };
  const type = (event) => {
    comment.value = event.currentTarget.value;
    state.value = "dirty";
    keep();
    clearTimeout(timer.current);
    timer.current = setTimeout(save, PAUSE_MS);
  };
  const forgotten = () => {
    clearTimeout(timer.current);
    store.remove(path);
    [score.value, comment.value, state.value] = [null, "", "clean"];
  };
  const removed = async () => {
    last.current += 1;
    clearTimeout(timer.current);
    await dropOwn(path);
  };
  const drop = async () => {
    try {
      await removed();
    } catch (error) {
      // Perhaps it is deleted: nothing stores it again unasked.
      store.remove(path);
      state.value = "clean";
      throw error;
    }
    forgotten();
    await stored(null);
  };
  /** The same where nobody waits for it, and something may be typed meanwhile. */
  const dropped = async () => {
    try {
      await removed();
      if (isEmpty()) forgotten();
      await stored(null);
    } catch (error) {
      if (isFinal(error.status)) forgotten();
      if (error.code !== "superseded") say(error.message, "problem");
    }
  };
  // What failed is tried again while it is shown; later, with the others that wait.
  const hasToWait = state.value === "failed";
  useEffect(() => {
    if (!hasToWait) return;
    const again = () => void save();
    const timer = setInterval(again, AGAIN_MS);
    addEventListener("online", again);
    return () => {
      clearInterval(timer);
      removeEventListener("online", again);
    };
  }, [hasToWait]);
  // What was stored elsewhere is shown, unless somebody types here.
  useEffect(() => {
    if (state.value !== "clean" && state.value !== "saved") return;
    [score.value, comment.value] = [own?.score ?? null, own?.comment ?? ""];
  }, [own?.updated_at]);
  // With the first drawing: until then, a score is kept for whoever looks next.
  handle.current = { score: give, focus: () => area.current?.focus() };
  // Whoever goes on to the next applicant takes nothing along: what is typed is stored at once.
  useEffect(() => {
    open.add(path);
    if (begun) void save();
    return () => {
      open.delete(path);
      if (state.value === "dirty" || state.value === "failed") void save();
    };
  }, []);
  return html`<div class="scores" role="group" aria-label=${t("reviews.score")}>${[
    1, 2, 3, 4, 5,
  ].map(
    (one) => html`
      <button key=${one} aria-pressed=${score.value === one} onClick=${() => give(one)}>${one}
        </button>`,
  )}</div>
    <div class="field"><label for="comment">${t("reviews.comment")}</label>
      <textarea id="comment" rows="3" maxlength="5000" ref=${area} value=${comment.value}
        onInput=${type}></textarea></div>
    <p class="under"><span role="status">${state.value !== "clean" && t(`draft.${state.value}`)}
      </span>
      ${
        own &&
        html`<${Action} className="plain" run=${drop} done=${t("deleted")}>
        ${t("review.delete")}<//>`
      }</p>`;
}
