// Answers of GET requests by address, with their entity tags: a page shows at once what was seen
// before, and asks whether it is still so.

/** So many answers are kept; the oldest go first. */
const MOST = 60;

/** An answer that is not older than this is not asked for again by another part of the page. */
const FRESH_MS = 2000;

/** @typedef {{data: any, etag: string, next: string, at?: number}} Kept */

/** @type {Map<string, Kept>} */
const kept = new Map();

/** What was answered last for an address. */
export const cached = (path) => kept.get(path);

/** Keeps an answer. What was used last is kept longest. */
export function keep(path, answer) {
  kept.delete(path);
  kept.set(path, { ...answer, at: Date.now() });
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(oldest);
  }
}

/** @type {Map<string, Promise<Kept>>} */
const asked = new Map();

/**
 * What `ask` answers for an address. Several parts of a page that want the same ask once.
 * @param {string} path
 * @param {() => Promise<Kept>} ask
 * @param {boolean} again something changed, so that an answer of just before is not enough
 */
export function shared(path, ask, again) {
  const had = kept.get(path);
  if (!again && had?.at && Date.now() - had.at < FRESH_MS) return Promise.resolve(had);
  const running = again ? undefined : asked.get(path);
  if (running) return running;
  const answer = ask().finally(() => asked.get(path) === answer && asked.delete(path));
  asked.set(path, answer);
  return answer;
}

/** Takes over what a write answered about the thing at its own address. Says whether it did. */
export function written(method, path, answer) {
  // It may have changed other answers, too.
  for (const one of kept.values()) one.at = 0;
  const had = kept.get(path);
  if (method === "DELETE" || !had) kept.delete(path);
  else if (method === "PUT" || method === "PATCH") {
    const isSame = answer.data?.id !== undefined && answer.data.id === had.data?.id;
    if (isSame) keep(path, answer);
    else kept.delete(path);
    return isSame;
  }
  return false;
}

/** Forgets everything: somebody signed in or out. */
export function forgetAll() {
  kept.clear();
  asked.clear();
}
