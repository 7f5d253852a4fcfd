// What a door knows and does: who may enter, who is in, and what is not sent yet. Nothing here
// knows the page, so that it is tested without a browser.

import { signal } from "../vendor/libraries.js";
import { answered, decide, readCode } from "./door.js";
import { isFinal } from "./request.js";

/** An answer that takes longer is not waited for. */
const PATIENCE_MS = 2500;
/** So many scans are listed. */
const LISTED = 50;

/**
 * @typedef {object} Scan what is kept until it is sent
 * @property {string} key of the request
 * @property {string} at
 * @property {string} ticket
 * @property {string} text of the code; empty if the ticket was chosen by name
 * @property {string} name
 * @property {string} [said] what was said to the person: `in`, if nothing is there
 * @property {boolean} [wasSent] whether the service may have it
 */

/**
 * @param {object} around
 * @param {string} around.showing
 * @param {import("./store.js").Store} around.store
 * @param {(scan: Scan) => Promise<any>} around.send rejects with an error that has a `status`
 * @param {(ticket: string) => Promise<any>} around.takeBack
 * @param {() => boolean} around.isOnline
 * @param {() => number} around.now
 * @param {(ms: number) => Promise<any>} around.pause
 * @param {(said: any) => void} around.ring told what is said
 * @param {(said: any) => void} around.alarm told what turned out later, and about whom
 */
export function makeDoor({ showing, store, send, takeBack, isOnline, now, pause, ring, alarm }) {
  /** @type {Map<string, any>} */
  let tickets = new Map();
  let keys = [];
  /** When the service said since when somebody is in, and what. */
  const told = new Map();
  /** @type {Map<string, Scan>} */
  const open = new Map(Object.entries(store.all()));
  const running = new Map();
  let [count, shown] = [0, 0];
  const state = signal(
    /** @type {{tickets: any[], inside: number, log: any[], last: any, open: number}} */ ({
      tickets: [],
      inside: 0,
      log: [],
      last: null,
      open: open.size,
    }),
  );
  const ofTicket = (ticket) => [...open.values()].filter((scan) => scan.ticket === ticket);
  const change = (values = {}) => {
    const all = [...tickets.values()];
    const waiting = new Set([...open.values()].map((scan) => scan.ticket));
    const inside = all.filter((one) => one.checked_in_at || waiting.has(one.id)).length;
    state.value = { ...state.value, ...values, tickets: all, inside, open: open.size };
  };
  const since = (ticket) => tickets.get(ticket)?.checked_in_at ?? ofTicket(ticket)[0]?.at;
  const setIn = (ticket, at) => {
    told.set(ticket, { at, when: now() });
    const found = tickets.get(ticket);
    if (found) tickets.set(ticket, { ...found, checked_in_at: at });
  };
  const forget = (key) => {
    open.delete(key);
    store.remove(key);
  };
  const listed = (entry) => {
    const others = state.value.log.filter((one) => one.key !== entry.key);
    const before = state.value.log.find((one) => one.key === entry.key);
    const log = before
      ? state.value.log.map((one) => (one.key === entry.key ? { ...one, ...entry } : one))
      : [entry, ...others];
    change({ log: log.slice(0, LISTED) });
  };
  /** Says something about a scan, unless a later one was said already. */
  const say = (number, entry) => {
    if (number < shown) {
      if (entry.kind !== "in" && entry.kind !== "asking") alarm(entry);
      return;
    }
    shown = number;
    change({ last: { ...entry, number } });
    ring(entry);
  };
  /** Sends a scan. Returns what the service says; null if there was no answer. */
  const sent = (scan) => {
    const before = running.get(scan.key);
    if (before) return before;
    if (open.has(scan.key)) {
      scan.wasSent = true;
      store.set(scan.key, scan);
    }
    const answer = send(scan)
      .then(
        (data) => {
          if (data.checked_in_at) setIn(scan.ticket, data.checked_in_at);
          return { ...answered(data), name: data.holder?.name ?? scan.name };
        },
        (error) =>
          isFinal(error.status) ? { kind: "bad", why: "refused", about: error.message } : null,
      )
      .then((verdict) => {
        running.delete(scan.key);
        if (!verdict) return null;
        forget(scan.key);
        const { key, at, ticket, name } = scan;
        /** @type {any} */
        const said = verdict;
        const entry = { name, ...said, key, ticket, at: said.at ?? at };
        listed(entry);
        if (scan.said && scan.said !== verdict.kind) alarm(entry);
        return entry;
      });
    running.set(scan.key, answer);
    return answer;
  };
  let flushing = /** @type {Promise<number> | null} */ (null);
  const flush = async () => {
    let n = 0;
    for (const scan of [...open.values()].sort((a, b) => a.at.localeCompare(b.at))) {
      // What was kept before the page was loaded again had been said.
      scan.said ??= "in";
      if (!open.has(scan.key)) continue;
      if (!(await sent(scan))) break;
      n += 1;
    }
    return n;
  };
  return {
    state,
    /** All tickets as they are now, to be kept. */
    all: () => [...tickets.values()],
    since,
    /** Takes over a list that was asked for at `began`, with what was learned meanwhile. */
    take(list, began) {
      tickets = new Map(list.tickets.map((one) => [one.id, one]));
      keys = list.keys;
      for (const [ticket, { at, when }] of told) if (when >= began) setIn(ticket, at);
      change();
    },
    /** Sends what is not sent yet, in the order of the scans. Returns how many. */
    flush: () => (flushing ??= flush().finally(() => (flushing = null))),
    /** Somebody is at the door: with the text of a code, or chosen by name. */
    async scan({ text = "", ticket: chosen = "" }) {
      const number = ++count;
      const code = text ? await readCode(text, keys) : null;
      const ticket = code?.ticket ?? chosen;
      const known = tickets.get(ticket);
      const verdict = decide({
        code,
        isTyped: Boolean(chosen),
        showing,
        ticket: known,
        since: since(ticket),
      });
      const at = `${new Date(now()).toISOString().slice(0, 19)}Z`;
      // Somebody else may have it by now, whose name is not in the list.
      const name = verdict.why === "newer" ? "" : (known?.name ?? "");
      /** @type {Scan} */
      const scan = { key: crypto.randomUUID(), at, ticket, text, name };
      const entry = { ...verdict, ...scan, at: verdict.at ?? at, type: known?.type ?? "" };
      const isAsked =
        isOnline() && (verdict.kind !== "bad" || ["unverified", "waiting"].includes(verdict.why));
      if (verdict.kind === "in") {
        open.set(scan.key, scan);
        store.set(scan.key, scan);
        listed(entry);
      }
      if (!isAsked) {
        scan.said = verdict.kind;
        say(number, entry);
        return;
      }
      say(number, { ...entry, kind: "asking", why: "asking" });
      const told = await Promise.race([sent(scan), pause(PATIENCE_MS)]);
      if (!told) scan.said = verdict.kind;
      say(number, told ? { ...entry, ...told } : entry);
    },
    /** Takes back that somebody was let in: also what is on its way. */
    async undo(ticket) {
      const scans = ofTicket(ticket);
      for (const scan of scans) forget(scan.key);
      await Promise.all(scans.map((scan) => running.get(scan.key)));
      const isHere = scans.length > 0 && scans.every((scan) => !scan.wasSent);
      if (!isHere || isOnline()) await takeBack(ticket);
      setIn(ticket, null);
      change({ log: state.value.log.filter((one) => one.ticket !== ticket), last: null });
    },
  };
}
