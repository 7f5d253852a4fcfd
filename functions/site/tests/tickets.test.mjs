// What can be done about tickets, whom a door lets in, and whether a draw was right.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { answered, base45, decide, readCode } from "../parts/door.js";
import { problemsOf } from "../parts/draw.js";
import { orderOf, phaseAt } from "../parts/sale.js";

test("what can be done follows from the times of a showing", () => {
  const at = (hour) => `2026-03-01T${hour}:00:00Z`;
  const showing = {
    start_time: at(20),
    ticket_drop_time: at(10),
    ticket_end_time: null,
    ticket_sale: "draw",
    ticket_draw_time: at(12),
  };
  const phase = (hour, more = {}) => phaseAt({ ...showing, ...more }, Date.parse(at(hour)));
  assert.equal(phase("09"), "coming");
  assert.equal(phase(10), "draw");
  assert.equal(phase(12), "drawing");
  assert.equal(phase(13), "open");
  assert.equal(phase(20), "open");
  assert.equal(phase(21), "closed");
  assert.equal(phase(19, { ticket_end_time: at(18) }), "closed");
  assert.equal(phase(11, { ticket_sale: "first_come" }), "open");
  assert.equal(phase("01", { ticket_drop_time: null, ticket_sale: "first_come" }), "open");
});

test("an order knows whether all of it is there", () => {
  const showing = {
    ticket_types: [
      { id: 1, available: 2, sold_out: false },
      { id: 2, available: null, sold_out: false },
      { id: 3, available: 4, sold_out: true },
    ],
  };
  assert.deepEqual(orderOf(showing, { 1: 2, 2: 1 }), {
    tickets: [
      { type: 1, count: 2 },
      { type: 2, count: 1 },
    ],
    n: 3,
    isThere: true,
  });
  assert.equal(orderOf(showing, { 1: 3 }).isThere, false);
  // Somebody waits before a new order.
  assert.equal(orderOf(showing, { 3: 1 }).isThere, false);
});

/** The other way, for codes that only a test makes. */
function encoded(bytes) {
  const signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
  let text = "";
  for (let at = 0; at < bytes.length; at += 2) {
    const isLast = at + 1 === bytes.length;
    let value = isLast ? bytes[at] : bytes[at] * 256 + bytes[at + 1];
    for (let n = 0; n < (isLast ? 2 : 3); n++) {
      text += signs[value % 45];
      value = Math.floor(value / 45);
    }
  }
  return text;
}

const pair = generateKeyPairSync("ed25519");
const key = { ...pair.publicKey.export({ format: "jwk" }), kid: "one" };
function codeOf(version, by = pair.privateKey) {
  const body = Buffer.alloc(23);
  body[0] = 1;
  createHash("sha256").update("one").digest().copy(body, 1, 0, 4);
  body.writeBigUInt64BE(0xab12n, 5);
  body.writeBigUInt64BE(77n, 13);
  body.writeUInt16BE(version, 21);
  const signature = sign(null, Buffer.concat([Buffer.from("clubs-ticket"), body]), by);
  return encoded(Buffer.concat([body, signature]));
}

test("a code is read, and only the service makes one", async () => {
  // The examples of RFC 9285.
  const text = (bytes) => bytes && Buffer.from(bytes).toString();
  assert.equal(text(base45("BB8")), "AB");
  assert.equal(text(base45("%69 VD92EX0")), "Hello!!");
  for (const wrong of ["a", "A", "GGW", "::", "ABCD"]) assert.equal(base45(wrong), null, wrong);
  const code = await readCode(codeOf(2), [key]);
  assert.deepEqual(code, {
    ticket: "000000000000ab12",
    showing: "77",
    version: 2,
    isGenuine: true,
  });
  const other = generateKeyPairSync("ed25519").privateKey;
  assert.equal((await readCode(codeOf(2, other), [key]))?.isGenuine, false);
  assert.equal((await readCode(codeOf(2), [{ ...key, kid: "two" }]))?.isGenuine, false);
  assert.equal(await readCode("https://elsewhere.example/", [key]), null);
});

test("a door lets everybody in once, also without a network", async () => {
  const code = await readCode(codeOf(2), [key]);
  const ticket = { state: "valid", code_version: 2 };
  const why = (more) => {
    const { kind, why } = decide({
      code,
      isTyped: false,
      showing: "77",
      ticket,
      since: undefined,
      ...more,
    });
    return `${kind} ${why}`;
  };
  assert.equal(why({}), "in in");
  assert.equal(why({ since: "2026-03-01T20:00:00Z" }), "again again");
  assert.equal(why({ showing: "78" }), "bad other");
  assert.equal(why({ code: null }), "bad foreign");
  assert.equal(why({ code: { ...code, isGenuine: false } }), "bad foreign");
  assert.equal(why({ ticket: { ...ticket, state: "cancelled" } }), "bad cancelled");
  // It was handed over: the code of who had it before is an old one.
  assert.equal(why({ ticket: { ...ticket, code_version: 3 } }), "bad replaced");
  // It became valid, or was handed over, after the list was loaded.
  assert.equal(why({ ticket: { ...ticket, code_version: 1 } }), "in newer");
  assert.equal(why({ ticket: { ...ticket, state: "waiting" } }), "in newer");
  assert.equal(why({ ticket: undefined }), "in newer");
  // A browser that cannot verify a signature believes the list.
  const unsure = { ...code, isGenuine: null };
  assert.equal(why({ code: unsure }), "in in");
  assert.equal(why({ code: unsure, ticket: undefined }), "bad unverified");
  assert.equal(why({ code: null, isTyped: true }), "in in");
  // Who is chosen by name and waits has none.
  const waits = { ...ticket, state: "waiting" };
  assert.equal(why({ code: null, isTyped: true, ticket: waits }), "bad waiting");
  const answer = { ticket: "1", type: 1, holder: null, checked_in_at: "x", again: false };
  assert.deepEqual(answered(answer), { kind: "in", why: "in" });
  assert.deepEqual(answered({ ...answer, again: true }), { kind: "again", why: "again", at: "x" });
  assert.equal(answered({ ...answer, conflict: "cancelled" }).kind, "bad");
});

test("a draw that was not held by its rules is found out", async () => {
  const sha = (text) => createHash("sha256").update(text).digest("hex");
  const seed = "5".repeat(64);
  const wants = [
    ["a", 2],
    ["b", 1],
    ["c", 2],
    ["d", 1],
    ["e", 1],
  ];
  const sorted = wants.sort((x, y) => (sha(`${seed}:${x[0]}`) < sha(`${seed}:${y[0]}`) ? -1 : 1));
  let left = 3;
  const entries = sorted.map(([entry, count]) => {
    const drawn = count <= left;
    if (drawn) left -= count;
    return { entry, type: 1, count, drawn };
  });
  const places = [{ type: 1, capacity: 4, issued: 1, drawn: 3 }];
  const draw = { commitment: sha(seed), seed, places, entries };
  assert.deepEqual(await problemsOf(draw), []);
  assert.deepEqual(await problemsOf({ ...draw, seed: null }), ["seed"]);
  assert.deepEqual(await problemsOf({ ...draw, commitment: sha("x") }), ["commitment"]);
  assert.deepEqual(await problemsOf({ ...draw, entries: [...entries].reverse() }), [
    "order",
    "drawn",
  ]);
  const bribed = entries.map((one, n) => (n === 4 ? { ...one, drawn: !one.drawn } : one));
  assert.deepEqual(await problemsOf({ ...draw, entries: bribed }), ["drawn"]);
  assert.deepEqual(await problemsOf({ ...draw, entries: [...entries, entries[0]] }), [
    "order",
    "twice",
    "drawn",
  ]);
});
