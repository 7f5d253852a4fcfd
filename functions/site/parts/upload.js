// A file on its way to the bucket. The API says where the bytes go; no function carries them.

import { isPassing, pauseBefore } from "./request.js";

/** How often a file is sent again after the network failed: for about five minutes. */
const TRIES = 14;
/** A connection on which nothing moved for so long is given up, and the file is sent again. */
const STALLED_MS = 120_000;

/** The SHA-256 of a file in hexadecimal digits. */
export async function sha256(file) {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How files of each type begin. A PDF may have something in front. */
const BEGINS = {
  "image/png": (text) => text.startsWith("\x89PNG\r\n\x1a\n"),
  "image/jpeg": (text) => text.startsWith("\xff\xd8\xff"),
  "application/pdf": (text) => text.includes("%PDF-"),
};

/** The file with the type that its first bytes tell: some systems name a wrong one, or none. */
export async function typed(file) {
  const begin = await file
    .slice(0, 1028)
    .arrayBuffer()
    .catch(() => null);
  if (!begin) return file;
  const text = String.fromCharCode(...new Uint8Array(begin));
  const type = Object.keys(BEGINS).find((one) => BEGINS[one](text)) ?? "";
  return type === file.type ? file : new File([file], file.name, { type });
}

/** Why a file cannot be an answer to this question; null if it can. */
export function unfit(question, file) {
  const types = question.formats.map((format) => TYPES[format]);
  if (file.size === 0) return "empty";
  if (!types.includes(file.type)) return "type";
  return file.size > question.max_mb * 1024 * 1024 ? "large" : null;
}

export const TYPES = { pdf: "application/pdf", png: "image/png", jpeg: "image/jpeg" };

/**
 * What the bucket answered: its status, 0 without an answer, and what it says.
 * @typedef {{status: number, text: string}} Answer
 */

/**
 * Sends a form with a file.
 * @param {{url: string, fields: Record<string, string>}} to
 * @param {File} file
 * @param {(part: number) => void} progress from 0 to 1
 * @param {AbortSignal} until
 * @returns {Promise<Answer>}
 */
function sendForm(to, file, progress, until) {
  const form = new FormData();
  for (const [name, value] of Object.entries(to.fields)) form.append(name, value);
  // The bucket ignores what stands behind the file.
  form.append("file", file);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    let stalled;
    const watch = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), STALLED_MS);
    };
    request.upload.onprogress = (event) => {
      watch();
      progress(event.loaded / event.total);
    };
    request.onloadend = () => {
      clearTimeout(stalled);
      done({ status: request.status, text: request.responseText });
    };
    until.addEventListener("abort", () => request.abort());
    request.open("POST", to.url);
    request.send(form);
    watch();
  });
}

/** Whether a new address may help: the old one ended (403), or the bytes came too slowly. */
const mayPass = ({ status, text }) =>
  isPassing(status) || status === 403 || status === 408 || text.includes("RequestTimeout");

/**
 * Uploads a file, with a new address for each try. Returns its id, or null if it was given up.
 * @param {object} around
 * @param {File} around.file
 * @param {(body: any) => Promise<any>} around.announce asks the API for an address, once
 * @param {(state: {part: number, again: number}) => void} around.told
 * @param {AbortSignal} around.until
 * @param {typeof sendForm} [around.send]
 * @param {(ms: number) => Promise<void>} [around.pause]
 */
export async function upload({ file, announce, told, until, send = sendForm, pause = rest }) {
  const said = { name: file.name, size: file.size, type: file.type, sha256: await sha256(file) };
  const givenUp = new Promise((done) => {
    until.addEventListener("abort", () => done(undefined), { once: true });
  });
  for (let attempt = 1; attempt <= TRIES && !until.aborted; attempt++) {
    told({ part: 0, again: 0 });
    try {
      const { id, upload: to } = await announce(said);
      if (until.aborted) return null;
      const answer = await send(to, file, (part) => told({ part, again: 0 }), until);
      if (until.aborted) return null;
      if (answer.status >= 200 && answer.status < 300) return id;
      // What the bucket refuses, it would refuse again.
      if (!mayPass(answer)) throw new Refused();
    } catch (error) {
      if (error instanceof Refused || !isPassing(error.status ?? -1)) throw error;
    }
    const ms = pauseBefore(attempt);
    told({ part: 0, again: Math.round(ms / 1000) });
    await Promise.race([pause(ms), givenUp]);
  }
  if (until.aborted) return null;
  throw new Refused();
}

/** Waits, but no longer than until the network is back. */
const rest = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
    addEventListener("online", () => done(undefined), { once: true });
  });

/** The bucket refused a file, or could not be reached for minutes. */
export class Refused extends Error {}
