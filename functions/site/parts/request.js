// One request of the API, with a time limit and with repeats. Nothing here knows the page, so that
// it is tested without a browser.

/**
 * A read or a small write waits so long for its answer, and for each part of it; others as long as
 * the gateway waits.
 */
const LIMIT_MS = { GET: 10_000, PUT: 10_000, PATCH: 10_000, POST: 30_000, DELETE: 30_000 };
/** A request is sent this often, unless the caller says otherwise. */
const TRIES = 4;
/** The longest pause before a repeat. */
const LONGEST_MS = 30_000;

/** The pause before a repeat: 1, 2, 4 … 30 seconds, or what the service asks for. */
export const pauseBefore = (attempt, wanted = 0) =>
  Math.min(Math.max(1000 * 2 ** (attempt - 1), wanted * 1000), LONGEST_MS);

/** Whether the same request may succeed later: no answer, too busy, or broken. */
export const isPassing = (status) => status === 0 || status === 429 || status >= 500;

/** Whether the same request is refused whenever it is sent. */
export const isFinal = (status) =>
  status >= 400 && status < 500 && ![401, 408, 429].includes(status);

/**
 * @typedef {object} Wire what a request needs from its surroundings
 * @property {typeof fetch} fetch
 * @property {(ms: number) => Promise<void>} pause
 * @property {(options: {fresh: boolean}) => Promise<string | null>} token
 */

/**
 * @typedef {object} Wanted a request
 * @property {string} method
 * @property {string} address
 * @property {Headers} headers
 * @property {any} [body]
 * @property {number} [limit] time limit in milliseconds
 * @property {number} [tries] how often it is sent
 * @property {boolean} [keepalive] the page is being left: it is sent once, and nobody waits
 * @property {AbortSignal} [until] ends the repeats
 * @property {(attempt: number, ms: number, isAnswered: boolean) => void} [again] told before each
 *     repeat
 */

/**
 * Sends a request until it has an answer that will not change by itself. Returns the response;
 * null if there was none. A POST must have its idempotency key already.
 * @param {Wire} wire
 * @param {Wanted} wanted
 * @returns {Promise<Response | null>}
 */
export async function send(wire, wanted) {
  const { method, address, headers, body, keepalive, until, again } = wanted;
  const tries = keepalive ? 1 : (wanted.tries ?? TRIES);
  // On a slow network, 5 KB a second are enough.
  const limit =
    (wanted.limit ?? LIMIT_MS[method]) + (typeof body === "string" ? body.length / 5 : 0);
  let fresh = false;
  for (let attempt = 1; ; attempt++) {
    let response = null;
    const ends = new AbortController();
    let timer = setTimeout(() => ends.abort(), limit);
    // A long answer on a slow network goes on as long as something arrives.
    const goOn = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ends.abort(), limit);
    };
    try {
      const bearer = await within(wire.token({ fresh }), ends.signal);
      headers.delete("Authorization");
      if (bearer) headers.set("Authorization", `Bearer ${bearer}`);
      const options = { method, headers, body, keepalive, signal: ends.signal };
      response = await wire.fetch(address, options);
      if (response.status === 401 && bearer && !fresh) {
        fresh = true;
        attempt--;
        continue;
      }
      // The attempt before this one deleted it, and its answer was lost.
      if (method === "DELETE" && attempt > 1 && response.status === 404)
        return new Response(null, { status: 204 });
      if (!isPassing(response.status)) return await whole(response, ends.signal, goOn);
    } catch {
      response = null;
    } finally {
      clearTimeout(timer);
    }
    const asked = Number(response?.headers.get("Retry-After") ?? 0);
    // A limit that lasts longer is no busy service: nobody waits for it.
    const isLong = asked * 1000 > LONGEST_MS;
    if (attempt >= tries || until?.aborted || isLong) return response;
    const ms = pauseBefore(attempt, asked);
    again?.(attempt, ms, response !== null);
    await Promise.race([wire.pause(ms), ended(until)]);
    if (until?.aborted) return response;
  }
}

/** The end of the repeats, if somebody ends them. */
const ended = (until) =>
  new Promise((done) => until?.addEventListener("abort", done, { once: true }));

/** A promise, or an error when its time is over. */
function within(promise, signal) {
  return new Promise((done, fail) => {
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
    promise.then(done, fail);
  });
}

/** The response with its body in memory. `arrived` is told of each part. */
async function whole(response, signal, arrived) {
  const isEmpty = [204, 205, 304].includes(response.status);
  const reader = isEmpty ? null : response.body?.getReader();
  if (!reader) return response;
  const parts = [];
  for (;;) {
    const { done, value } = await within(reader.read(), signal);
    if (done) break;
    arrived();
    parts.push(value);
  }
  return new Response(new Blob(parts), { status: response.status, headers: response.headers });
}

/**
 * Whether an answer has everything that was sent. Ids that the service gave to new parts, and
 * fields that were not sent, are no difference.
 */
export function holds(there, sent) {
  if (Array.isArray(sent))
    return Array.isArray(there) && there.length === sent.length
      ? sent.every((one, i) => holds(there[i], one))
      : false;
  if (sent === null || typeof sent !== "object") return there === sent;
  return Boolean(there) && Object.keys(sent).every((name) => holds(there[name], sent[name]));
}
