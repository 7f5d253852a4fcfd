// What a door decides about a ticket, with a network or without. Nothing here knows the page, so
// that it is tested without a browser.

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
/** Format, hint of the key, ticket, showing, version, and the signature behind them (Y10). */
const [FORMAT, SIGNED, WHOLE] = [1, 23, 87];
const DOMAIN = new TextEncoder().encode("clubs-ticket");

/** The bytes of a text in Base45 (RFC 9285); null if it is none. */
export function base45(text) {
  const digits = [...text].map((sign) => SIGNS.indexOf(sign));
  if (digits.includes(-1) || digits.length % 3 === 1) return null;
  const bytes = [];
  for (let at = 0; at < digits.length; at += 3) {
    const [a, b, c] = digits.slice(at, at + 3);
    const value = a + b * 45 + (c ?? 0) * 2025;
    if (value > (c === undefined ? 0xff : 0xffff)) return null;
    if (c !== undefined) bytes.push(value >> 8);
    bytes.push(value & 0xff);
  }
  return new Uint8Array(bytes);
}

/** Whether a key that the code hints at has signed it; null if this browser cannot say. */
async function isSigned(bytes, keys) {
  const signed = new Uint8Array([...DOMAIN, ...bytes.slice(0, SIGNED)]);
  const hint = bytes.slice(1, 5).toString();
  for (const { kid, kty, crv, x } of keys) {
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(kid));
    if (new Uint8Array(hash).slice(0, 4).toString() !== hint) continue;
    try {
      const key = await crypto.subtle.importKey(
        "jwk",
        { kty, crv, x },
        { name: "Ed25519" },
        false,
        ["verify"],
      );
      if (await crypto.subtle.verify("Ed25519", key, bytes.slice(SIGNED), signed)) return true;
    } catch {
      return null;
    }
  }
  return false;
}

/**
 * What a code says, and whether it is genuine; null if it is no code of a ticket.
 * @param {string} text
 * @param {{kid: string, kty: string, crv: string, x: string}[]} keys of the service
 */
export async function readCode(text, keys) {
  const bytes = base45(text);
  if (bytes?.length !== WHOLE || bytes[0] !== FORMAT) return null;
  const view = new DataView(bytes.buffer);
  return {
    ticket: view.getBigUint64(5).toString(16).padStart(16, "0"),
    showing: view.getBigUint64(13).toString(),
    version: view.getUint16(21),
    isGenuine: await isSigned(bytes, keys),
  };
}

/**
 * What is said about somebody at the door: `in`, `again` or `bad`, why, and since when they are in.
 * @typedef {{kind: "in" | "again" | "bad", why: string, at?: string}} Verdict
 */

/**
 * What the door decides without asking the service.
 * @param {object} seen
 * @param {Awaited<ReturnType<typeof readCode>>} seen.code null if none was read
 * @param {boolean} seen.isTyped whether the ticket was chosen from the list, without a code
 * @param {string} seen.showing at whose door this is
 * @param {any} seen.ticket what the list says of it; undefined if it is not there
 * @param {string | undefined} seen.since when it was let in, as far as this device knows
 * @returns {Verdict}
 */
export function decide({ code, isTyped, showing, ticket, since }) {
  if (!isTyped) {
    if (!code || code.isGenuine === false) return { kind: "bad", why: "foreign" };
    if (code.showing !== showing) return { kind: "bad", why: "other" };
    // A browser that cannot verify believes only what is in the list.
    if (code.isGenuine === null && !ticket) return { kind: "bad", why: "unverified" };
  }
  if (ticket?.state === "cancelled" || ticket?.state === "not_drawn")
    return { kind: "bad", why: "cancelled" };
  if (isTyped && ticket?.state !== "valid") return { kind: "bad", why: "waiting" };
  if (code && ticket && code.version < ticket.code_version) return { kind: "bad", why: "replaced" };
  if (since) return { kind: "again", why: "again", at: since };
  // Only what was valid has a code: it became valid after the list was loaded.
  const isNewer = ticket?.state !== "valid" || (code?.version ?? 0) > ticket.code_version;
  return { kind: "in", why: isNewer ? "newer" : "in" };
}

/**
 * What the service answered to a scan.
 * @param {import("../api").Schemas["CheckInBody"]} answer
 * @returns {Verdict}
 */
export function answered({ again, conflict, checked_in_at: at }) {
  // It was taken back after this scan.
  if (!at) return { kind: "bad", why: "taken_back" };
  if (conflict) return { kind: "bad", why: conflict };
  if (again) return { kind: "again", why: "again", at };
  return { kind: "in", why: "in" };
}
