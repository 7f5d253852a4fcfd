// Calls of the API. Every page uses this module and nothing else.

import { signal } from "./kit.js";
import { person, token } from "./auth.js";
import { cached, keep, written } from "./cache.js";
import { remember, remembered, unremember } from "./offline.js";
import { link } from "./router.js";
import { holds, isPassing, send } from "./request.js";
import { loadProblems, t, told } from "./texts.js";

/** What an error says in one sentence. */
function whole(body) {
  const field = Object.keys(body.errors ?? {})[0];
  return told(body.reason, told(body, body.detail), field);
}

/** An error that the service answered, or that there was no answer. */
export class ApiError extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.detail ? whole(body) : t(status ? "error.service" : "error.network"));
    this.status = status;
    this.body = body;
    this.code = body?.code ?? (status === 0 ? "network" : "");
    /** @type {Record<string, string[]>} */
    this.fields = Object.fromEntries(
      Object.entries(body?.errors ?? {}).map(([field, messages]) => [
        field,
        // Reasons that only programs meet have no text of their own.
        messages.map((sentence, i) =>
          told(body.reasons?.[field]?.[i], told({ code: "invalid" }, sentence), field),
        ),
      ]),
    );
  }
}

/** A write that was given up, because a later one replaces it. Nobody needs to know. */
export class Superseded extends ApiError {
  constructor() {
    super(0, null);
    this.code = "superseded";
  }
}

/**
 * What the errors of a form begin with: messages by field.
 * @type {Record<string, string[]>}
 */
export const NO_ERRORS = {};

/** Where it is kept, for a page that is opened without a network. */
const AHEAD = "clock";
/** How far the clock of the service is ahead of the one here, in milliseconds. */
let ahead = Number(localStorage.getItem(AHEAD) ?? 0) || 0;
function keepClock() {
  try {
    localStorage.setItem(AHEAD, String(ahead));
  } catch {
    // The storage is full: then the page alone knows it.
  }
}
/** The time of the service. */
export const now = () => Date.now() + ahead;

/** Whether the last request was answered. A browser may name a network that leads nowhere. */
export const isReached = signal(true);

/** Why an answer takes long, for people who wait: `slow`, or `busy` and for how many seconds. */
export const wait = signal({ kind: "", n: 0 });
/** After this time without an answer, people are told. */
const SLOW_MS = 6000;
/** Tells of a request that takes long, until it has ended. */
function watch() {
  let own = { kind: "", n: 0 };
  const tell = (kind, n = 0) => (wait.value = own = { kind, n });
  const timer = setTimeout(() => tell("slow"), SLOW_MS);
  const end = () => {
    clearTimeout(timer);
    // Another request may take long, too.
    if (wait.value === own) wait.value = { kind: "", n: 0 };
  };
  return { tell, end };
}

const wire = {
  fetch: (address, options) => fetch(address, options),
  // A network that is there again is used at once.
  pause: (ms) =>
    new Promise((/** @type {(value?: undefined) => void} */ done) => {
      const end = () => {
        removeEventListener("online", end);
        done();
      };
      setTimeout(end, ms);
      addEventListener("online", end);
    }),
  token,
};

/**
 * What ends the repeats of a write, by address: a later write of the whole thing, which they would
 * undo.
 * @type {Map<string, AbortController>}
 */
const repeats = new Map();
function newest(method, path) {
  if (method !== "PUT" && method !== "DELETE") return undefined;
  repeats.get(path)?.abort();
  const ends = new AbortController();
  repeats.set(path, ends);
  return ends;
}

/** What an answer has: an object, a text, or a file. */
function dataOf(response, type) {
  if (type.includes("json")) return response.json();
  return type.includes("spreadsheetml") ? response.blob() : response.text();
}

/**
 * The last POST that got no answer, and its key: whoever presses the same button again makes no
 * second thing. After any other write that was answered it is forgotten, because the same request
 * may be meant once more then.
 */
let unheard = { what: "", key: "" };

/**
 * @template {string} M
 * @template {string} P
 * @typedef {{data: import("../api").Reply<M, P>, etag: string, next: string}} Result
 */

/**
 * Sends a request and returns `{ data, etag, next }`. What got no answer, or was busy, is sent
 * again with the same idempotency key, so that nothing is done twice.
 * @template {string} M
 * @template {string} P
 * @param {M} method
 * @param {import("../api").Address<M, P>} path below `/api`
 * @param {object} [options]
 * @param {import("../api").Sent<M, P>} [options.body]
 * @param {string} [options.etag] the version that is changed
 * @param {string} [options.text] a CSV file
 * @param {string} [options.accept] the type of the answer, if it is no JSON
 * @param {File} [options.file]
 * @param {string} [options.key] the idempotency key, if the caller repeats the request
 * @param {number} [options.tries]
 * @param {number} [options.limit] in milliseconds
 * @param {boolean} [options.keepalive]
 * @param {AbortSignal} [options.until]
 * @param {(attempt: number, ms: number) => void} [options.again]
 * @returns {Promise<Result<M, P>>}
 */
export async function call(method, path, options = {}) {
  const { body, etag, text, accept, file, key, ...more } = options;
  const headers = new Headers();
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (text !== undefined) headers.set("Content-Type", "text/csv");
  if (etag) headers.set("If-Match", etag);
  // Without it, the address of a file would be followed.
  if (method === "GET") headers.set("Accept", accept ?? "application/json, */*");
  const had = method === "GET" ? cached(path) : undefined;
  if (had?.etag) headers.set("If-None-Match", had.etag);
  const form = new FormData();
  if (file) form.append("file", file);
  const sent = file ? form : body === undefined ? text : JSON.stringify(body);
  const what = method === "POST" && !file ? `${person()} ${path} ${sent}` : "";
  const known = what && what === unheard.what ? unheard.key : crypto.randomUUID();
  if (method === "POST") headers.set("Idempotency-Key", key ?? known);
  // An image needs its time on a slow network.
  if (file) more.limit ??= 150_000;
  // Without a network, a read need not wait for the repeats: what was seen last is shown.
  if (method === "GET" && !(navigator.onLine && isReached.value)) more.tries ??= 1;
  const last = newest(method, path);
  more.until ??= last?.signal;
  const address = link(`/api${path}`);
  const began = Date.now();
  let attempts = 1;
  const again = (attempt, ms, isAnswered) => {
    attempts = attempt + 1;
    // Who waits learns of it before the last try.
    isReached.value = isAnswered;
    if (isAnswered) seen.tell("busy", Math.round(ms / 1000));
    options.again?.(attempt, ms);
  };
  const seen = watch();
  const response = await send(wire, { method, address, headers, body: sent, ...more, again });
  seen.end();
  if (repeats.get(path) === last) repeats.delete(path);
  if (!response && last?.signal.aborted) throw new Superseded();
  isReached.value = Boolean(response);
  const isOpen = !response || isPassing(response.status);
  if (what && isOpen) unheard = { what, key: key ?? known };
  else if (method !== "GET" && !isOpen) unheard = { what: "", key: "" };
  // An earlier attempt, whose answer was lost, may have stored it. Then the version is another one
  // because of this change itself.
  if (response?.status === 412 && attempts > 1) {
    const there = await ask("GET", path).catch(() => null);
    const isNew = there && !(/** @type {any} */ (there).isOld);
    if (isNew && holds(there.data, body)) {
      written(method, path, there);
      return /** @type {any} */ (there);
    }
  }
  if (!response) {
    const old = method === "GET" ? await remembered(person(), path) : undefined;
    if (old) return /** @type {any} */ ({ ...old, isOld: true });
    throw new ApiError(0, null);
  }
  const date = Date.parse(response.headers.get("Date") ?? "");
  // An answer from a cache has the time at which it was made. The header has whole seconds, of some
  // moment between the request and now.
  if (date && !response.headers.has("Age")) {
    const isRight = date > began + ahead - 2000 && date < now() + 2000;
    if (!isRight) ahead = date - Date.now();
    if (Math.abs(ahead) <= 2000) ahead = 0;
    if (!isRight) keepClock();
  }
  if (response.status === 304 && had) {
    keep(path, had);
    return /** @type {any} */ (had);
  }
  const type = response.headers.get("Content-Type") ?? "";
  const data = response.status === 204 ? null : await dataOf(response, type);
  if (!response.ok) {
    if (method === "GET" && response.status < 500) void unremember(person(), path);
    await loadProblems();
    throw new ApiError(response.status, data);
  }
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "");
  const answer = {
    data,
    etag: response.headers.get("ETag") ?? "",
    next: next ? next[1].replace(/^.*?\/api/, "") : "",
  };
  if (method === "GET" && type.includes("json")) {
    keep(path, answer);
    void remember(person(), path, answer);
  } else if (method !== "GET" && written(method, path, answer)) {
    void remember(person(), path, answer);
  }
  return answer;
}

/**
 * Takes over what is known of an answer without asking for it again, and returns it.
 * @param {string} path
 * @param {any} data
 */
export function learn(path, data) {
  const answer = { data, etag: "", next: "" };
  keep(path, answer);
  void remember(person(), path, answer);
  return answer;
}

/** `call` without types, for functions that check the address themselves. @type {any} */
const ask = call;

/**
 * @template {string} P
 * @param {import("../api").Address<"GET", P>} path
 * @returns {Promise<import("../api").Reply<"GET", P>>}
 */
export const get = async (path) => (await ask("GET", path)).data;
/**
 * @template {string} P
 * @param {import("../api").Address<"POST", P>} path
 * @param {import("../api").Sent<"POST", P>} [body]
 * @returns {Promise<import("../api").Reply<"POST", P>>}
 */
export const post = async (path, body) => (await ask("POST", path, { body })).data;
/**
 * @template {string} P
 * @param {import("../api").Address<"PUT", P>} path
 * @param {import("../api").Sent<"PUT", P>} body
 * @returns {Promise<import("../api").Reply<"PUT", P>>}
 */
export const put = async (path, body) => (await ask("PUT", path, { body })).data;
/**
 * @template {string} P
 * @param {import("../api").Address<"PATCH", P>} path
 * @param {import("../api").Sent<"PATCH", P>} body
 * @returns {Promise<import("../api").Reply<"PATCH", P>>}
 */
export const patch = async (path, body) => (await ask("PATCH", path, { body })).data;
/**
 * @template {string} P
 * @param {import("../api").Address<"DELETE", P>} path
 * @returns {Promise<import("../api").Reply<"DELETE", P>>}
 */
export const remove = async (path) => (await ask("DELETE", path)).data;
