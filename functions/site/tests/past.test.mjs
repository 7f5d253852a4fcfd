// What is next, and what is over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { split } from "../parts/past.js";

test("what is next comes first, and what is over last of all", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const at = (id, hours, length = 1) => ({
    id,
    start_time: new Date(now + hours * 3_600_000).toISOString(),
    end_time: new Date(now + (hours + length) * 3_600_000).toISOString(),
  });
  const ids = (all) => all.map((one) => one.id);
  const all = [at(1, -48), at(2, 24), at(3, -1), at(4, -2, 4), at(5, 2)];
  const { coming, past } = split(all, now);
  // One that goes on is still to come; one that ends now is over.
  assert.deepEqual(ids(coming), [4, 5, 2]);
  assert.deepEqual(ids(past), [3, 1]);
  assert.deepEqual(split([], now), { coming: [], past: [] });
});
