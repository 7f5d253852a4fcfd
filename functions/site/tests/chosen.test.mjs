// Whom an officer chooses, and how many times there are for them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { best, choose, chosenIn, clicked, freePlaces } from "../parts/chosen.js";

test("a selection belongs to one application", () => {
  choose("7", [1, 2]);
  assert.deepEqual([...chosenIn("7")], [1, 2]);
  assert.deepEqual([...chosenIn("8")], []);
  choose("8", new Set([3]));
  assert.deepEqual([...chosenIn("7")], []);
});

test("shift chooses the rows between two clicks, in both directions", () => {
  const rows = [5, 3, 9, 1, 7];
  const after = (before, id, last) => [...clicked(new Set(before), rows, id, last)].sort();
  assert.deepEqual(after([], 9, null), [9]);
  assert.deepEqual(after([9], 9, null), []);
  assert.deepEqual(after([3], 1, 3), [1, 3, 9]);
  assert.deepEqual(after([7], 3, 7), [1, 3, 7, 9]);
  assert.deepEqual(after([3, 9, 1], 1, 3), []);
  // The row before was filtered out.
  assert.deepEqual(after([4], 1, 4), [1, 4]);
});

test("the best are those with the best average, without those who have none", () => {
  const row = (id, score_average, created_at) => ({ id, score_average, created_at });
  const rows = [row(1, 3, "b"), row(2, null, "a"), row(3, 5, "c"), row(4, 5, "a"), row(5, 0, "a")];
  assert.deepEqual(best(rows, 3), [4, 3, 1]);
  assert.deepEqual(best(rows, 9), [4, 3, 1, 5]);
  assert.deepEqual(best(rows, -1), []);
});

test("places count that these people can still book", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const slot = (hours, capacity, booked, committee = null) => ({
    start_time: new Date(now + hours * 3_600_000).toISOString(),
    capacity,
    booked,
    committee,
  });
  const slots = [slot(13, 3, 1), slot(11, 5, 0), slot(20, 1, 2), slot(20, 4, 0, 6)];
  const free = (committees) => freePlaces(slots, { notice: 12, committees, now });
  assert.equal(free(new Set([0])), 2);
  assert.equal(free(new Set([0, 6])), 6);
});
