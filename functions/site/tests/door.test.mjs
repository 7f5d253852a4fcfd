// What a door says, keeps and sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDoor } from "../parts/door_scans.js";

/** A door with three tickets, whose service answers what the test wants. */
function doorOf({ kept = {}, isOnline = true } = {}) {
  const stored = new Map(Object.entries(kept));
  const here = { isOnline, answers: [], rung: [], alarms: [], sent: [], back: [], clock: 0 };
  const around = {
    showing: "77",
    store: {
      all: () => Object.fromEntries(stored),
      set: (name, value) => stored.set(name, { ...value }),
      remove: (name) => stored.delete(name),
    },
    send: (scan) => {
      here.sent.push(scan.ticket);
      const answer = here.answers.shift() ?? (() => Promise.reject({ status: 0 }));
      return answer(scan);
    },
    takeBack: async (ticket) => void here.back.push(ticket),
    isOnline: () => here.isOnline,
    now: () => Date.parse("2026-03-01T20:00:00Z") + 1000 * here.clock++,
    pause: () => here.pause ?? new Promise(() => {}),
    ring: (said) => here.rung.push(`${said.kind} ${said.why}`),
    alarm: (said) => here.alarms.push(`${said.name} ${said.why}`),
  };
  const door = makeDoor(around);
  const ticket = (id, name) => ({
    id,
    name,
    type: "Seat",
    state: "valid",
    code_version: 1,
    checked_in_at: null,
  });
  door.take({ tickets: [ticket("a", "Ann"), ticket("b", "Ben"), ticket("c", "Cat")], keys: [] }, 0);
  return { door, here, stored };
}
const letsIn =
  (again = false, more = {}) =>
  async (scan) => ({
    ticket: scan.ticket,
    holder: null,
    checked_in_at: scan.at,
    again,
    ...more,
  });

test("who was let in with a network is known without one", async () => {
  const { door, here, stored } = doorOf();
  for (const ticket of ["a", "b"]) {
    here.answers.push(letsIn());
    await door.scan({ ticket });
  }
  assert.equal(stored.size, 0);
  assert.equal(door.state.value.inside, 2);
  here.isOnline = false;
  await door.scan({ ticket: "a" });
  assert.equal(here.rung.at(-1), "again again");
  // A list that was asked for before is older than what was answered since.
  door.take({ tickets: door.all().map((one) => ({ ...one, checked_in_at: null })), keys: [] }, 0);
  assert.equal(door.state.value.inside, 2);
});

test("scans without a network are kept, and sent in their order", async () => {
  const { door, here, stored } = doorOf({ isOnline: false });
  await door.scan({ ticket: "a" });
  await door.scan({ ticket: "b" });
  await door.scan({ ticket: "a" });
  assert.deepEqual(here.rung, ["in in", "in in", "again again"]);
  assert.equal(stored.size, 2);
  assert.equal(await door.flush(), 0);
  here.answers.push(letsIn(), letsIn(true));
  assert.equal(await door.flush(), 2);
  assert.deepEqual(here.sent, ["a", "a", "b"]);
  assert.equal(stored.size, 0);
  // Ben had been in at another door: that was said as "in".
  assert.deepEqual(here.alarms, ["Ben again"]);
});

test("what a page kept before it was loaded again is told, too", async () => {
  const scan = { key: "k", at: "2026-03-01T20:00:00Z", ticket: "a", text: "", name: "Ann" };
  const { door, here } = doorOf({ kept: { k: scan } });
  assert.equal(door.state.value.inside, 1);
  here.answers.push(() => Promise.reject({ status: 400, message: "not valid" }));
  await door.flush();
  assert.deepEqual(here.alarms, ["Ann refused"]);
  assert.equal(door.state.value.log[0].name, "Ann");
});

test("an answer that comes late does not say something about the next person", async () => {
  const { door, here } = doorOf();
  let answer = /** @type {any} */ (null);
  here.answers.push(
    (scan) => new Promise((done) => (answer = () => letsIn(true)(scan).then(done))),
  );
  const slow = door.scan({ ticket: "a" });
  here.answers.push(letsIn());
  await door.scan({ ticket: "b" });
  answer();
  await slow;
  assert.deepEqual(here.rung, ["asking asking", "asking asking", "in in"]);
  assert.equal(door.state.value.last.name, "Ben");
  assert.deepEqual(here.alarms, ["Ann again"]);
});

test("nobody waits for the service for long", async () => {
  const { door, here } = doorOf();
  here.pause = Promise.resolve(null);
  let answer = /** @type {any} */ (null);
  here.answers.push(
    (scan) => new Promise((done) => (answer = () => letsIn(true)(scan).then(done))),
  );
  await door.scan({ ticket: "a" });
  assert.equal(here.rung.at(-1), "in in");
  answer();
  await door.flush();
  assert.deepEqual(here.alarms, ["Ann again"]);
  assert.deepEqual(here.sent, ["a"]);
});

test("what is taken back is not sent any more", async () => {
  const { door, here, stored } = doorOf({ isOnline: false });
  await door.scan({ ticket: "a" });
  // Nobody else has heard of it.
  await door.undo("a");
  assert.deepEqual(here.back, []);
  assert.equal(stored.size, 0);
  assert.equal(door.state.value.inside, 0);
  await door.scan({ ticket: "a" });
  await door.flush();
  // An answer may have been lost.
  await door.undo("a");
  assert.deepEqual(here.back, ["a"]);
  assert.equal(await door.flush(), 0);
});

test("the service decides who is not sure, if it can be asked", async () => {
  const { door, here } = doorOf();
  door.take({ tickets: door.all().map((one) => ({ ...one, state: "waiting" })), keys: [] }, 0);
  here.answers.push(letsIn());
  await door.scan({ ticket: "a" });
  assert.equal(here.rung.at(-1), "in in");
  here.isOnline = false;
  await door.scan({ ticket: "b" });
  assert.equal(here.rung.at(-1), "bad waiting");
});
