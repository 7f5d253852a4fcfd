// Tables in parts: nothing is left out without a word, and rows keep their numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { importAll, inParts, records } from "../parts/csv.js";

const LATE = "no_time_left";
const nothing = { created: 0, updated: 0, invited: 0, skipped: 0, errors: [], dry_run: false };

test("a line break between quotes ends no record", () => {
  assert.deepEqual(records('a,b\r\n1,"x\ny"\n\n2,"say ""hi"""\n'), [
    "a,b",
    '1,"x\ny"',
    '2,"say ""hi"""',
  ]);
});

test("what is too large for one call goes in several", () => {
  const all = Array.from({ length: 450 }, (_, id) => ({ id, reason: "ä".repeat(3000) }));
  const parts = inParts(all, 2000);
  assert.deepEqual(parts.flat(), all);
  assert.ok(parts.length > 1);
  for (const part of parts) assert.ok(Buffer.byteLength(JSON.stringify(part)) < 1_000_000);
  assert.deepEqual(inParts([], 2000), []);
  const small = Array.from({ length: 2001 }, (_, id) => ({ id }));
  assert.deepEqual(
    inParts(small, 2000).map((part) => part.length),
    [2000, 1],
  );
});

test("all parts are sent, and what had no time is sent again", async () => {
  const rows = Array.from({ length: 1500 }, (_, n) => `user${n + 1}`);
  const seen = [];
  const send = async (text) => {
    const [header, ...part] = text.split("\n");
    assert.equal(header, "username");
    const done = part.slice(0, 180);
    seen.push(...done);
    const errors = part
      .slice(180)
      .map((_, i) => ({ row: 181 + i, field: "", message: "", reason: { code: LATE } }));
    if (done.includes("user777"))
      errors.push({
        row: done.indexOf("user777") + 1,
        field: "username",
        message: "Wrong.",
        reason: { code: "unknown_username" },
      });
    return { ...nothing, created: done.length, errors };
  };
  const steps = [];
  const result = await importAll(["username", ...rows].join("\n"), 250, send, (done, all) =>
    steps.push([done, all]),
  );
  assert.equal(new Set(seen).size, 1500);
  assert.equal(result.created, 1500);
  assert.deepEqual(result.errors, [
    { row: 777, field: "username", message: "Wrong.", reason: { code: "unknown_username" } },
  ]);
  assert.deepEqual(steps.at(-1), [1500, 1500]);
});

test("a service without time for anything is told in the end", async () => {
  let calls = 0;
  const send = async () => (
    calls++, { ...nothing, errors: [{ row: 1, field: "", message: "", reason: { code: LATE } }] }
  );
  const result = await importAll("a\n1", 250, send);
  assert.deepEqual([result.errors.length, calls], [1, 5]);
});

test("a call has at most 900 KB, and always a row", async () => {
  const sizes = [];
  const send = async (table) => {
    sizes.push(records(table).length - 1);
    return { created: 0, updated: 0, invited: 0, skipped: 0, errors: [], dry_run: true };
  };
  const row = `x,"${"ü".repeat(150_000)}"`;
  await importAll(["code,description", ...Array(7).fill(row)].join("\n"), 1000, send);
  assert.deepEqual(sizes, [2, 2, 2, 1]);
  sizes.length = 0;
  await importAll(["code", ..."a".repeat(2_001)].join("\n"), 1000, send);
  assert.deepEqual(sizes, [1000, 1000, 1]);
});

test("each part has the header, and knows what came before", async () => {
  const sent = [];
  const send = async (text, before) => {
    sent.push([text, before.created]);
    return { ...nothing, created: 2 };
  };
  await importAll("sep=;\r\nemail;title\r\na;1\r\nb;2\r\nc;3", 2, send);
  assert.deepEqual(sent, [
    ["sep=;\nemail;title\na;1\nb;2", 0],
    ["sep=;\nemail;title\nc;3", 2],
  ]);
  assert.deepEqual(records("a,b\r1,2\r3,4\r"), ["a,b", "1,2", "3,4"]);
});
