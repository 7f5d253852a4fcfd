// What another tab or device does to a draft: it submits, removes, or changes the same answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { form } from "./draft_form.mjs";

test("a draft that another tab has ended is whole again after the next save", async () => {
  const { draft, time, sent, stored } = form();
  draft.change(1, { text: "A" });
  draft.change(2, { text: "B" });
  await time.pass();
  // The other tab has submitted.
  delete stored[1];
  delete stored[2];
  draft.change(3, { text: "C" });
  await time.pass();
  await draft.flush();
  assert.deepEqual(
    Object.values(stored).map((one) => one.text),
    ["A", "B", "C"],
  );
  assert.equal(draft.state.value, "saved");
  const last = sent.at(-1).responses;
  assert.deepEqual(
    last.map((one) => one.version),
    [0, 0],
  );
});

test("what was submitted elsewhere is taken over, and both are shown where both changed", () => {
  const { draft } = form();
  const answer = (text) => ({ text, multiple_choice: null, file: null });
  const before = { 1: answer("one"), 2: answer("two"), 3: answer("three") };
  draft.begin({ ...before });
  draft.change(2, { text: "two, mine" });
  draft.change(3, { text: "three, mine" });
  draft.overtaken(before, { 1: answer("one, better"), 2: answer("two, better"), 3: before[3] });
  assert.equal(draft.answers.value[1].text, "one, better");
  assert.equal(draft.conflicts.value[2].text, "two, better");
  assert.equal(draft.answers.value[2].text, "two, mine");
  assert.deepEqual(
    [draft.answers.value[3].text, 3 in draft.conflicts.value],
    ["three, mine", false],
  );
});

test("an answer whose draft has ended is saved anew, without a conflict", async () => {
  const { draft, time, fails, stored } = form();
  draft.change(1, { text: "A" });
  await time.pass();
  delete stored[1];
  const ended = { question: 1, text: null, multiple_choice: null, file: null, version: 0 };
  fails.push({ status: 412, code: "draft_conflict", body: { conflicts: [ended] } });
  draft.change(1, { text: "B" });
  await time.pass();
  assert.deepEqual([draft.state.value, stored[1].text], ["saved", "B"]);
});

test("what another tab removed does not come back without a word", async () => {
  const { draft, time, stored } = form();
  draft.change(1, { text: "A" });
  draft.change(2, { text: "B" });
  draft.change(3, { text: "C" });
  await time.pass();
  stored[1] = { text: null, multiple_choice: null, file: null, version: 2 };
  draft.change(2, { text: "BB" });
  await time.pass();
  await draft.flush();
  assert.equal(stored[1].text, null);
});

test("the answer of another submission that is taken is stored in the draft", async () => {
  const { draft, time, stored } = form();
  const answer = (text) => ({ text, multiple_choice: null, file: null });
  draft.begin({ 1: answer("old") });
  draft.change(1, { text: "mine" });
  await time.pass();
  draft.overtaken({ 1: answer("old") }, { 1: answer("theirs") });
  await draft.resolve(1, false);
  assert.deepEqual([stored[1].text, draft.state.value], ["theirs", "saved"]);
});

test("what another tab saved is taken over, except where something was typed here", async () => {
  const { draft, time, stored } = form();
  draft.change(1, { text: "A" });
  draft.change(2, { text: "B" });
  await time.pass();
  const theirs = (text, version) => ({ text, multiple_choice: null, file: null, version });
  stored[1] = theirs("A, longer", 2);
  stored[3] = theirs("an essay", 1);
  draft.change(2, { text: "BB" });
  await time.pass();
  assert.equal(draft.answers.value[1].text, "A, longer");
  assert.equal(draft.answers.value[3].text, "an essay");
  // Coming back to the tab asks for them without a save.
  stored[2] = theirs("BBB", 3);
  stored[3] = theirs("a better essay", 2);
  draft.change(3, { text: "mine" });
  const responses = Object.entries(stored).map(([question, one]) => ({ question, ...one }));
  assert.equal(draft.merge(responses), true);
  assert.equal(draft.merge(responses), false);
  assert.deepEqual([draft.answers.value[2].text, draft.answers.value[3].text], ["BBB", "mine"]);
  await time.pass();
  assert.equal(draft.conflicts.value[3].text, "a better essay");
});

test("half a character is no reason to refuse an answer", async () => {
  const { draft, time, stored } = form();
  draft.change(1, { text: "robots 🤖".slice(0, -1) });
  draft.change(2, { text: "robots 🤖" });
  await time.pass();
  assert.deepEqual([stored[1].text, stored[2].text], ["robots \ufffd", "robots 🤖"]);
});

test("what is kept on the device stays, whatever another one saved", async () => {
  const typed = { answer: { text: "an hour of writing" }, version: 1, unheard: [] };
  const { draft, store } = form({}, { 1: typed });
  const saved = { question: 1, text: "a part", multiple_choice: null, file: null, version: 1 };
  draft.merge([saved]);
  assert.equal(store.kept[1].answer.text, "an hour of writing");
  draft.take({ responses: [saved] });
  draft.restore();
  assert.equal(draft.answers.value[1].text, "an hour of writing");
});
