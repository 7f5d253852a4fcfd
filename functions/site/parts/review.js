// The own review of a submission, stored as it is made, and those of others.

import { html, useEffect, useMemo, useRef, useSignal } from "./kit.js";
import { now, put, remove } from "./api.js";
import { person } from "./auth.js";
import { loaded, useLoad } from "./load.js";
import { me } from "./me.js";
import { isFinal } from "./request.js";
import { typedStore } from "./store.js";
import { t } from "./texts.js";
import { Action, say, useUnsaved } from "./ui.js";

/** A comment is stored this long after the last key. */
const PAUSE_MS = 1000;

/**
 * @param {object} props
 * @param {any} props.path of the submission
 * @param {{current: any}} props.handle gets `score(n)` and `focus()`, for the keys of the page
 * @param {(values: any) => void} props.changed gets what the list of submissions shows
 * @param {() => Promise<any>} props.read reads the submission again, which counts its reviews
 */
export function Review({ path, handle, changed, read }) {
  const reviews = useLoad(path + "reviews/");
  return html`<h2 class="flat">${t("review.mine")}</h2>
    ${loaded(
      reviews,
      (all) => {
        const own = all.find((one) => one.by?.id === me.value?.id);
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

function Own({ path, own, handle, stored }) {
  // What is not stored yet: whoever comes back finds it, also after signing in again.
  const store = useMemo(() => typedStore(person(), "review"), []);
  const begun = useMemo(() => {
    const kept = store.all()[path];
    // What was stored after it elsewhere is newer.
    return kept && !(Date.parse(own?.updated_at ?? "") > kept.at) ? kept : undefined;
  }, []);
  const score = useSignal((begun ?? own)?.score ?? null);
  const comment = useSignal((begun ?? own)?.comment ?? "");
  const state = useSignal(
    /** @type {"clean" | "dirty" | "saving" | "saved" | "failed"} */ (begun ? "dirty" : "clean"),
  );
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const timer = useRef(/** @type {any} */ (null));
  useUnsaved(["dirty", "saving", "failed"].includes(state.value));
  const keep = () => store.set(path, { score: score.value, comment: comment.value, at: now() });
  /** The number of the last save: of an earlier one, nothing is told. */
  const last = useRef(0);
  /** What the service has, also for timers that began earlier. */
  const there = useRef(own);
  there.current = own;
  /** Nothing is no review. */
  const isEmpty = () => score.value === null && !comment.value.trim();
  const save = async () => {
    if (isEmpty()) return there.current || last.current ? dropped() : forgotten();
    const number = ++last.current;
    clearTimeout(timer.current);
    state.value = "saving";
    const sent = { score: score.value, comment: comment.value };
    keep();
    try {
      await put(path + "reviews/mine/", sent);
      // Somebody may have gone on and come back, and typed more.
      const kept = store.all()[path];
      if (kept?.score === sent.score && kept.comment === sent.comment) store.remove(path);
      if (number !== last.current) return;
      const isSame = sent.score === score.value && sent.comment === comment.value;
      state.value = isSame ? "saved" : "dirty";
      await stored(sent.score);
    } catch (error) {
      if (isFinal(error.status)) store.remove(path);
      if (number !== last.current) return;
      state.value = "failed";
      say(error.message, "problem");
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
    await remove(path + "reviews/mine/").catch((error) => {
      if (error.status !== 404) throw error;
    });
  };
  const drop = async () => {
    try {
      await removed();
    } catch (error) {
      state.value = "failed";
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
  // What was stored elsewhere is shown, unless somebody types here.
  useEffect(() => {
    if (state.value !== "clean" && state.value !== "saved") return;
    [score.value, comment.value] = [own?.score ?? null, own?.comment ?? ""];
  }, [own?.updated_at]);
  useEffect(() => {
    handle.current = { score: give, focus: () => area.current?.focus() };
  });
  // Whoever goes on to the next applicant takes nothing along: what is typed is stored at once.
  useEffect(() => {
    if (begun) void save();
    return () => {
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
