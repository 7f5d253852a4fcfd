// Calls of the API. Every page uses this module and nothing else.

import { token } from "./auth.js";
import { link } from "./router.js";
import { t, told } from "./texts.js";

/** An error that the service answered, or that there was no answer. */
export class ApiError extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.detail ? told(body.detail) : t("error.network"));
    this.status = status;
    this.body = body;
    this.code = body?.code ?? (status === 0 ? "network" : "");
    /** @type {Record<string, string[]>} */
    this.fields = Object.fromEntries(
      Object.entries(body?.errors ?? {}).map(([field, messages]) => [field, messages.map(told)]),
    );
  }
}

/**
 * What the errors of a form begin with: messages by field.
 * @type {Record<string, string[]>}
 */
export const NO_ERRORS = {};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const TRIES = 4;

/**
 * @template {string} M
 * @template {string} P
 * @typedef {{data: import("../api").Reply<M, P>, etag: string, next: string}} Result
 */

/**
 * Sends a request and returns `{ data, etag, next }`. What got no answer, or was busy, is sent again
 * with the same idempotency key, so that nothing is done twice.
 * @template {string} M
 * @template {string} P
 * @param {M} method
 * @param {P} path below `/api`
 * @param {{body?: import("../api").Sent<M, P>, etag?: string, text?: string, file?: File, key?: string}} [options]
 * @returns {Promise<Result<M, P>>}
 */
export async function call(method, path, { body, etag, text, file, key } = {}) {
  const headers = new Headers();
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (text !== undefined) headers.set("Content-Type", "text/csv");
  if (etag) headers.set("If-Match", etag);
  if (method === "POST") headers.set("Idempotency-Key", key ?? crypto.randomUUID());
  let fresh = false;
  for (let attempt = 1; ; attempt++) {
    const bearer = await token({ fresh });
    headers.delete("Authorization");
    if (bearer) headers.set("Authorization", `Bearer ${bearer}`);
    let response;
    try {
      const form = new FormData();
      if (file) form.append("file", file);
      const sent = file ? form : body === undefined ? text : JSON.stringify(body);
      response = await fetch(link(`/api${path}`), { method, headers, body: sent });
    } catch {
      if (attempt < TRIES) {
        await pause(300 * 3 ** attempt);
        continue;
      }
      throw new ApiError(0, null);
    }
    const later = response.status === 429 || response.status >= 500;
    const wait = Number(response.headers.get("Retry-After") ?? 1);
    if (later && attempt < TRIES && wait <= 10) {
      await pause(wait * 1000);
      continue;
    }
    if (response.status === 401 && bearer && !fresh) {
      fresh = true;
      continue;
    }
    const type = response.headers.get("Content-Type") ?? "";
    const data = response.status === 204 ? null : await (type.includes("json") ? response.json() : response.text());
    if (!response.ok) throw new ApiError(response.status, data);
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "");
    return {
      data,
      etag: response.headers.get("ETag") ?? "",
      next: next ? next[1].replace(/^.*?\/api/, "") : "",
    };
  }
}

/**
 * @template {string} P
 * @param {P} path
 */
export const get = async (path) => (await call("GET", path)).data;
/**
 * @template {string} P
 * @param {P} path
 * @param {import("../api").Sent<"POST", P>} [body]
 */
export const post = async (path, body) => (await call("POST", path, { body })).data;
/**
 * @template {string} P
 * @param {P} path
 * @param {import("../api").Sent<"PUT", P>} body
 */
export const put = async (path, body) => (await call("PUT", path, { body })).data;
/**
 * @template {string} P
 * @param {P} path
 * @param {import("../api").Sent<"PATCH", P>} body
 */
export const patch = async (path, body) => (await call("PATCH", path, { body })).data;
/**
 * @template {string} P
 * @param {P} path
 */
export const remove = async (path) => (await call("DELETE", path)).data;
