// The session that all tabs of a browser share. Nothing here knows the page or the issuer, so that
// it is tested without a browser.

/** `first.js` looks here, too. */
const PLACE = "session";
/** What is there after a session that ended by itself, so that other tabs know. */
const ENDED = '""';
/** A token is renewed this long before it ends. */
const EARLY_MS = 30_000;

/**
 * @typedef {object} Tokens what is stored
 * @property {string} person how the issuer names the person
 * @property {string} token
 * @property {string} [id]
 * @property {string} [refresh]
 * @property {number} ends in milliseconds since 1970
 */

/**
 * @param {object} around
 * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} around.storage shared by all tabs
 * @param {<T>(run: () => Promise<T>) => Promise<T>} around.alone runs one at a time in all tabs
 * @param {(tokens: Tokens) => Promise<Tokens>} around.renew asks the issuer. A `TypeError` means
 *     that there was no answer
 * @param {(tokens: Tokens | null, isEnded: boolean) => void} around.changed told after each change
 */
export function makeSession({ storage, alone, renew, changed }) {
  /** @returns {Tokens | null} */
  const read = () => {
    try {
      return JSON.parse(storage.getItem(PLACE) ?? "null") || null;
    } catch {
      return null;
    }
  };
  const keep = (tokens, isEnded = false) => {
    if (tokens) storage.setItem(PLACE, JSON.stringify(tokens));
    else if (isEnded) storage.setItem(PLACE, ENDED);
    else storage.removeItem(PLACE);
    changed(tokens, isEnded);
  };
  const isFresh = (tokens) => tokens.ends - Date.now() > EARLY_MS;
  /** One renewal for all tabs: a refresh token can be used once. */
  const renewed = (old) =>
    alone(async () => {
      const tokens = read();
      if (!tokens) return null;
      // Another tab was faster.
      if (tokens.token !== old && isFresh(tokens)) return tokens;
      if (!tokens.refresh) throw new Error("no refresh token");
      const next = await renew(tokens);
      // Somebody signed out, or in as another person, meanwhile.
      if (read()?.refresh !== tokens.refresh) return read();
      keep(next);
      return next;
    });
  let running;
  return {
    read,
    keep,
    /** Whether the last session ended by itself: nobody signed out. */
    hasEnded: () => storage.getItem(PLACE) === ENDED,
    /** A token that is valid for at least half a minute; null if nobody is signed in. */
    async token({ fresh = false } = {}) {
      const tokens = read();
      if (!tokens) return null;
      if (!fresh && isFresh(tokens)) return tokens.token;
      try {
        running ??= renewed(tokens.token).finally(() => (running = undefined));
        return (await running)?.token ?? null;
      } catch (error) {
        // Without an answer the session may still be good.
        if (error instanceof TypeError) throw error;
        if (read()?.refresh === tokens.refresh) keep(null, true);
        return read()?.token ?? null;
      }
    },
  };
}
