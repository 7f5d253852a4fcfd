// The days of a series of showings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dayIn, daysOf, ruleOf } from "../parts/series.js";

test("the days of a series are those of its rule", () => {
  // A moment is another day on another campus.
  assert.equal(dayIn("2026-12-15T23:30:00Z", "Europe/Berlin"), "2026-12-16");
  assert.equal(dayIn("2026-12-15T03:30:00Z", "America/New_York"), "2026-12-14");
  assert.equal(ruleOf("weekly", "2026-12-15", "2027-02-20"), "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270220");
  assert.deepEqual(daysOf("weekly", "2026-12-15", "2027-01-05"), [
    "2026-12-15",
    "2026-12-22",
    "2026-12-29",
    "2027-01-05",
  ]);
  assert.deepEqual(daysOf("biweekly", "2026-12-15", "2027-01-05"), ["2026-12-15", "2026-12-29"]);
  assert.deepEqual(daysOf("daily", "2026-12-30", "2027-01-01"), [
    "2026-12-30",
    "2026-12-31",
    "2027-01-01",
  ]);
  // The third Tuesday, and the last Thursday.
  assert.match(ruleOf("monthly", "2026-12-15", "2027-02-20"), /^FREQ=MONTHLY;BYDAY=3TU;/);
  assert.deepEqual(daysOf("monthly", "2026-12-15", "2027-03-01"), [
    "2026-12-15",
    "2027-01-19",
    "2027-02-16",
  ]);
  assert.match(ruleOf("monthly", "2026-12-31", "2027-02-20"), /^FREQ=MONTHLY;BYDAY=-1TH;/);
  assert.deepEqual(daysOf("monthly", "2026-12-31", "2027-03-01"), [
    "2026-12-31",
    "2027-01-28",
    "2027-02-25",
  ]);
  assert.deepEqual(daysOf("weekly", "2026-12-15", "2026-12-14"), []);
  assert.equal(daysOf("daily", "2026-01-01", "2030-01-01").length, 101);
});
