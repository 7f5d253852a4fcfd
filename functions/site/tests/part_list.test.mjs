// A long list that arrives part by part: nothing goes while it is loaded again, and what was
// decided meanwhile stays decided.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makePartList } from "../parts/part_list.js";

/** Parts that are answered when the test says so. */
function pages(parts) {
  const waiting = [];
  const list = makePartList({
    first: "0",
    newest: "newest",
    ask: (path) =>
      new Promise((answer, fail) => {
        const number = path === "newest" ? 0 : Number(path);
        const next = number + 1 < parts.length ? String(number + 1) : "";
        const data = () => structuredClone(parts[number]);
        waiting.push({ answer: () => answer({ data: data(), next }), fail });
      }),
  });
  const step = async () => {
    waiting.shift()?.answer();
    await new Promise((done) => setImmediate(done));
  };
  const statuses = () => list.state.value.all.map((one) => one.status);
  return { list, step, statuses, waiting };
}
const person = (id, status = 1) => ({ id, status, updated_at: "2026-11-01T09:00:00Z" });

test("a list that is complete stays complete while it is loaded again", async () => {
  const { list, step, statuses } = pages([[person(1)], [person(2)]]);
  void list.load();
  await step();
  assert.deepEqual([statuses(), list.state.value.isComplete], [[1], false]);
  await step();
  assert.deepEqual([statuses(), list.state.value.isComplete], [[1, 1], true]);
  void list.load();
  await step();
  assert.deepEqual([statuses(), list.state.value.isComplete], [[1, 1], true]);
});

test("a decision stays, although parts arrive that were asked for before it", async () => {
  const { list, step, statuses } = pages([[person(1)], [person(2)]]);
  for (const isFirst of [true, false]) {
    void list.load();
    if (isFirst) await step();
    list.change(new Set([1]), { status: 4 });
    await step();
    await step();
    if (isFirst) assert.deepEqual(statuses(), [4, 1]);
  }
  assert.deepEqual(statuses(), [4, 1]);
});

test("more new ones than one answer has are all loaded", async () => {
  const parts = [[person(1)], [person(2)]];
  const { list, step } = pages(parts);
  void list.load();
  await step();
  await step();
  parts.unshift([person(4)], [person(3)]);
  void list.arrive();
  for (let i = 0; i < 5; i++) await step();
  assert.deepEqual(
    list.state.value.all.map((one) => one.id),
    [4, 3, 1, 2],
  );
});

test("an earlier load that answers later is not shown, and an error loses nothing", async () => {
  const parts = [[person(1)]];
  const { list, step, statuses, waiting } = pages(parts);
  void list.load();
  void list.load();
  waiting.reverse();
  parts[0] = [person(1), person(2, 2)];
  await step();
  parts[0] = [person(1)];
  await step();
  assert.deepEqual([statuses(), list.state.value.error], [[1, 2], null]);
  void list.load();
  waiting.shift().fail(new Error("busy"));
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([statuses(), list.state.value.error.message], [[1, 2], "busy"]);
});

test("who comes late arrives in a list that is complete", async () => {
  const parts = [[person(1)]];
  const { list, step, statuses } = pages(parts);
  void list.load();
  await step();
  parts[0] = [person(2), { ...person(1, 3), updated_at: "2026-11-01T10:00:00Z" }];
  void list.arrive();
  await step();
  assert.deepEqual(statuses(), [3, 1]);
});
