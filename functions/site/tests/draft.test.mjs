// The answers of an applicant while they are typed: what is lost, repeated or shown wrongly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDraft } from "../parts/draft.js";
import { clock, form, memory } from "./draft_form.mjs";

test("what is typed is saved a moment later, and kept until then", async () => {
  const { draft, time, stored, store } = form();
  draft.change(1, { text: "I" });
  assert.equal(draft.state.value, "dirty");
  assert.equal(store.kept[1].answer.text, "I");
  await time.pass();
  assert.equal(stored[1].text, "I");
  assert.equal(draft.state.value, "saved");
  assert.deepEqual(store.kept, {});
  draft.change(1, { text: "I am" });
  await time.pass();
  assert.deepEqual(stored[1], { text: "I am", multiple_choice: null, file: null, version: 2 });
});

test("a save that failed is tried again, with longer pauses, until it works", async () => {
  const { draft, time, fails, stored, store } = form();
  fails.push({ status: 500 }, { status: 0 }, { status: 503 });
  draft.change(1, { text: "I" });
  await time.pass();
  assert.deepEqual([draft.state.value, time.pauses()], ["failed", [1000]]);
  await time.pass();
  assert.deepEqual([draft.state.value, time.pauses()], ["failed", [2000]]);
  await time.pass();
  assert.deepEqual(time.pauses(), [4000]);
  assert.equal(store.kept[1].answer.text, "I");
  await time.pass();
  assert.deepEqual([draft.state.value, stored[1].text, draft.again.value], ["saved", "I", 0]);
});

test("an answer that was stored although nobody heard of it is no conflict", async () => {
  const { draft, time, fails, stored } = form();
  fails.push({ status: 0, after: true });
  draft.change(1, { text: "I" });
  await time.pass();
  assert.equal(draft.state.value, "failed");
  await time.pass();
  assert.deepEqual([draft.state.value, stored[1].version], ["saved", 1]);
});

test("an answer that nobody heard of is no conflict with what was typed after it", async () => {
  for (const leaves of [false, true]) {
    const { draft, time, fails, stored } = form();
    fails.push({ status: 0, after: true });
    draft.change(1, { text: "I" });
    await (leaves ? draft.leave() : time.pass());
    draft.change(1, { text: "I am" });
    await time.pass();
    assert.deepEqual([draft.state.value, stored[1]?.text], ["saved", "I am"]);
  }
});

test("what is typed while an answer is on its way is saved as well", async () => {
  const { draft, time, stored } = form();
  draft.change(1, { text: "I" });
  const going = time.pass();
  draft.change(1, { text: "I am" });
  await going;
  await time.pass();
  assert.deepEqual([draft.state.value, stored[1].text], ["saved", "I am"]);
});

test("a tab that was closed loses nothing: the next one has it and saves it", async () => {
  const first = form();
  first.draft.change(1, { text: "typed offline" });
  const next = form({}, first.store.kept);
  next.draft.take(null);
  next.draft.restore();
  assert.equal(next.draft.answers.value[1].text, "typed offline");
  await next.time.pass();
  assert.equal(next.stored[1].text, "typed offline");
  assert.deepEqual(next.store.kept, {});
});

test("leaving sends what waits at once, in a request that outlives the page", () => {
  const { draft, sent } = form();
  draft.change(1, { text: "I" });
  draft.change(2, { multiple_choice: 7 });
  draft.leave();
  assert.equal(sent.length, 1);
  assert.equal(sent[0].keepalive, true);
  assert.deepEqual(
    sent[0].responses.map((one) => one.question),
    [1, 2],
  );
});

test("an answer of another device is a conflict, which saves nothing until somebody chooses", async () => {
  const { draft, time, stored } = form({
    1: { text: "theirs", multiple_choice: null, version: 3 },
  });
  draft.change(1, { text: "mine" });
  draft.change(2, { text: "other" });
  await time.pass();
  assert.equal(draft.state.value, "conflict");
  assert.equal(draft.conflicts.value[1].text, "theirs");
  assert.equal(stored[2].text, "other");
  draft.change(1, { text: "mine, longer" });
  await time.pass();
  assert.equal(stored[1].text, "theirs");
  await draft.resolve(1, true);
  assert.deepEqual([draft.state.value, stored[1].text], ["saved", "mine, longer"]);
});

test("an answer that is refused says why, and does not hold up the others", async () => {
  const { draft, time, fails, stored } = form();
  fails.push({ status: 400, code: "invalid", fields: { "responses.0.question": ["It is gone."] } });
  draft.change(1, { text: "a" });
  draft.change(2, { text: "b" });
  await time.pass();
  assert.equal(draft.messages.value[1], "It is gone.");
  assert.equal(stored[2].text, "b");
  assert.deepEqual(time.pauses(), []);
});

test("nothing is typed or saved while the submission is on its way, and nothing is left after it", async () => {
  const { draft, time, sent, store } = form();
  draft.change(1, { text: "I" });
  await Promise.all([draft.hold(), time.pass()]);
  draft.change(1, { text: "typed too late" });
  await time.pass();
  assert.equal(draft.answers.value[1].text, "I");
  assert.equal(sent.length, 0);
  draft.submitted();
  assert.deepEqual([draft.state.value, store.kept, draft.isOpen()], ["clean", {}, false]);
});

test("a submission that failed gives the form back, and the draft goes on", async () => {
  const { draft, time, stored } = form();
  draft.change(1, { text: "I" });
  await Promise.all([draft.hold(), time.pass()]);
  draft.release();
  await time.pass();
  assert.equal(stored[1].text, "I");
});

test("the end of the application stops the saving, and what was typed stays on the device", async () => {
  const { draft, time, fails, store } = form();
  fails.push({ status: 400, code: "application_closed" });
  draft.change(1, { text: "too late" });
  await time.pass();
  assert.equal(draft.state.value, "closed");
  assert.equal(store.kept[1].answer.text, "too late");
  assert.deepEqual(time.pauses(), []);
});

test("the first change after a submission saves all answers, so that a draft is whole", async () => {
  const { draft, time, stored } = form();
  draft.begin({ 1: { text: "a", multiple_choice: null }, 2: { text: "b", multiple_choice: null } });
  assert.equal(draft.state.value, "clean");
  draft.change(2, { text: "c" });
  await time.pass();
  assert.deepEqual([stored[1].text, stored[2].text], ["a", "c"]);
});

test("a session that ended keeps the answer until somebody signed in again", async () => {
  const { draft, time, fails, stored } = form();
  fails.push({ status: 401 });
  draft.change(1, { text: "I" });
  await time.pass();
  assert.deepEqual([draft.state.value, time.pauses()], ["failed", []]);
  await draft.flush();
  assert.equal(stored[1].text, "I");
});

test("a conflict that nobody ended is one for whoever comes back", async () => {
  const { draft, send, stored, time, store } = form({
    1: { text: "theirs", multiple_choice: null, version: 3 },
  });
  draft.change(1, { text: "mine" });
  await time.pass();
  assert.equal(draft.states.value[1], "conflict");
  const next = makeDraft({ send, store: memory(store.kept), timers: clock().timers });
  next.take({ responses: [{ question: 1, text: "theirs", version: 3 }] });
  next.restore();
  await next.flush();
  assert.equal(next.states.value[1], "conflict");
  assert.equal(stored[1].text, "theirs");
});

test("what was sent before the page was closed is no answer of another device", async () => {
  const { draft, send, stored, fails, time, store } = form();
  fails.push({ status: 0, after: true });
  draft.change(1, { text: "A" });
  await time.pass();
  draft.change(1, { text: "AB" });
  const next = makeDraft({ send, store: memory(store.kept), timers: clock().timers });
  next.take(null);
  next.restore();
  await next.flush();
  assert.equal(next.states.value[1], "saved");
  assert.equal(stored[1].text, "AB");
});

test("a form that is opened again begins with what the service has", async () => {
  const { draft, time } = form();
  draft.change(1, { text: "old" });
  await time.pass();
  assert.equal(draft.isOpen(), false);
  draft.take({ responses: [{ question: 2, text: "new", version: 7 }] });
  assert.deepEqual(draft.answers.value, { 2: { text: "new", multiple_choice: null, file: null } });
  assert.equal(draft.state.value, "clean");
});

test("a save that fails after the submission is not tried again", async () => {
  const time = clock();
  const sent = [];
  let fail = (_error) => {};
  const send = (responses) => {
    sent.push(responses);
    return new Promise((_, refuse) => (fail = refuse));
  };
  const draft = makeDraft({ send, store: memory(), timers: time.timers });
  draft.change(1, { text: "A" });
  void time.pass();
  draft.submitted();
  fail({ status: 0 });
  await new Promise((done) => setImmediate(done));
  await time.pass();
  assert.equal(sent.length, 1);
  assert.equal(draft.state.value, "clean");
});

test("whoever comes back to a form that is open again may go on", async () => {
  const { draft, time, fails, stored } = form();
  fails.push({ status: 400, code: "application_closed" });
  draft.change(1, { text: "A" });
  await time.pass();
  assert.equal(draft.state.value, "closed");
  await draft.retry();
  assert.deepEqual([draft.state.value, stored[1].text], ["saved", "A"]);
});

test("the oldest of many answers that nobody heard of is still an own one", async () => {
  const { draft, time, fails, stored } = form();
  fails.push({ status: 0, after: true });
  for (const text of ["A", "AB", "ABC", "ABCD", "ABCDE"]) {
    draft.change(1, { text });
    await time.pass();
    fails.push({ status: 0 });
  }
  fails.length = 0;
  await draft.flush();
  assert.deepEqual([draft.state.value, stored[1].text], ["saved", "ABCDE"]);
});
