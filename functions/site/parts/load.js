// Data for pages: what was seen before is shown at once, and asked for again.

import { html, useEffect, useRef, useSignal } from "./kit.js";
import { call, isReached } from "./api.js";
import { hasEnded, isSignedIn } from "./auth.js";
import { cached, shared } from "./cache.js";
import { Problem, Skeleton } from "./ui.js";

/** `call` without types: `useLoad` checks the address itself. @type {any} */
const ask = call;
/** After this time, who comes back to a page sees what it shows again. */
const LONG_MS = 60_000;
/** How often it is asked again while there is no answer. */
const AGAIN_MS = 15_000;

/**
 * @template D
 * @typedef {object} Load
 * @property {D | undefined} data
 * @property {any} error
 * @property {string} etag
 * @property {string} next
 * @property {boolean} isStale
 * @property {boolean} [isOld] whether it was remembered, because nothing answered
 * @property {() => Promise<D | undefined>} reload
 * @property {(answer: {data: any, etag: string, next: string}) => void} take
 */

/**
 * Loads data for a page: `{ data, error, reload, take, etag, next }`. What was loaded stays while it
 * is loaded again. Nothing is loaded for an empty path. `take` shows an answer that came otherwise.
 * @template {string} P
 * @param {import("../api").Address<"GET", P>} path
 * @returns {Load<P extends "" ? never : import("../api").Reply<"GET", P>>}
 */
export function useLoad(path) {
  const before = path ? cached(path) : undefined;
  const state = useSignal(
    /** @type {any} */ (
      before ? { ...before, error: null, path } : { data: undefined, error: null, path: "" }
    ),
  );
  /** The number of the last request: an earlier one that answers later is not shown. */
  const last = useRef(0);
  const load = async (again, isAsked = true) => {
    if (!path) return;
    const number = ++last.current;
    try {
      const answer = await shared(path, () => ask("GET", path), again);
      if (number === last.current) state.value = { ...answer, at: Date.now(), error: null, path };
      return answer.data;
    } catch (error) {
      // What nobody asked for may fail: the bar of the page says that there is no network.
      if (number !== last.current || (!isAsked && error.status === 0)) return;
      // What belongs to another address is not shown as if it were the answer.
      const isSame = state.value.path === path;
      state.value = isSame ? { ...state.value, error } : { data: undefined, error, path };
    }
  };
  useEffect(() => {
    // After the end of a session the page stays as it is, until somebody signed in again.
    if (hasEnded.value && state.value.path === path) return;
    const seen = path ? cached(path) : undefined;
    state.value = seen ? { ...seen, error: null, path } : { ...state.value, error: null };
    load(false);
  }, [path, isSignedIn.value]);
  // What was remembered without a network is asked for when there is one again, and what is old
  // when somebody comes back to the page.
  useEffect(() => {
    const look = (isBack) => {
      if (hasEnded.value || document.visibilityState !== "visible") return;
      const { isOld, error, at = Date.now() } = state.value;
      // Any request tells that there is a network again.
      const isUnheard = !isReached.value || error?.status === 0;
      if (isOld || isUnheard || (isBack && Date.now() - at > LONG_MS)) void load(true, false);
    };
    if (isReached.value) look(false);
    const [online, back] = [() => look(false), () => look(true)];
    // A browser does not tell when a network works again that it never missed.
    const again = isReached.value ? undefined : setInterval(online, AGAIN_MS);
    addEventListener("online", online);
    document.addEventListener("visibilitychange", back);
    return () => {
      clearInterval(again);
      removeEventListener("online", online);
      document.removeEventListener("visibilitychange", back);
    };
  }, [path, isReached.value, state.value.isOld]);
  const reload = () => load(true);
  const take = (answer) => {
    last.current += 1;
    state.value = { ...answer, at: Date.now(), error: null, path };
  };
  const fresh = state.value.path === path || !path;
  return /** @type {any} */ ({ ...state.value, isStale: !fresh, reload, take });
}

/** Three hundred submissions as long as they may be have more. Nobody reads them here. */
const MOST_PARTS = 30;

/**
 * The same for a list that comes in parts. It is there when all parts are.
 * @template {string} P
 * @param {import("../api").Address<"GET", P>} path of the first part
 * @returns {Load<P extends "" ? never : import("../api").Reply<"GET", P>>}
 */
export function useParts(path) {
  const first = useLoad(path);
  const parts = /** @type {any[]} */ ([first]);
  // What a part says of the next one is an address of the same list.
  const next = (one) => /** @type {""} */ (one.data ? one.next : "");
  for (let n = 1; n < MOST_PARTS; n++) parts.push(useLoad(next(parts[n - 1])));
  const there = parts.filter((_, n) => n === 0 || parts[n - 1].next);
  const isComplete = there.every((one) => one.data);
  return /** @type {any} */ ({
    ...first,
    data: isComplete ? there.flatMap((one) => one.data) : undefined,
    error: there.find((one) => one.error)?.error ?? null,
    reload: () => Promise.all(there.map((one) => one.reload())),
  });
}

/**
 * Shows what was loaded, a skeleton before that, or the error with a way to try again.
 * @template D
 * @param {{data?: D, error: any, isStale?: boolean, reload: () => any}} from
 * @param {(data: D) => any} show
 * @param {number} [lines] of the skeleton
 * @param {boolean} [isPage] whether this is the whole page, so that an error has its title
 */
export function loaded(from, show, lines = 4, isPage = false) {
  const { data, error, reload } = from;
  if (error && (data === undefined || error.status === 404 || error.status === 403)) {
    return html`<${Problem} error=${error} retry=${reload} isPage=${isPage} />`;
  }
  if (data === undefined) return html`<${Skeleton} lines=${lines} />`;
  return html`<div class=${from.isStale ? "stale" : ""} aria-busy=${from.isStale}>
    ${error && html`<${Problem} error=${error} retry=${reload} />`} ${show(data)}
  </div>`;
}

/** The errors of lists that could not be loaded, each with a way to try again. */
export const problems = (...loads) =>
  loads
    .filter((one) => one.error && one.data === undefined)
    .map((one) => html`<${Problem} error=${one.error} retry=${one.reload} />`);

/**
 * A change of something that is shown. If it is refused because others changed it, what is shown is
 * loaded again.
 */
export const orReload = (run, reload) => async () => {
  try {
    return await run();
  } catch (error) {
    if ([400, 403, 404, 409, 412].includes(error.status)) await reload();
    throw error;
  }
};

/**
 * What is typed into a field for searching: it is asked for a moment after the last key.
 * @param {string} stored what is asked for now
 * @param {(words: string) => void} ask
 */
export function useSearch(stored, ask) {
  const words = useSignal(stored);
  /** What was asked for last. Effects run after painting, when more may be typed already. */
  const asked = useRef(stored);
  useEffect(() => {
    const waiting = setTimeout(() => {
      if (words.value === asked.current) return;
      asked.current = words.value;
      ask(words.value);
    }, 200);
    return () => clearTimeout(waiting);
  }, [words.value]);
  // A link to the whole list empties the field as well.
  useEffect(() => {
    if (stored === asked.current) return;
    asked.current = stored;
    words.value = stored;
  }, [stored]);
  return words;
}
