// An upload: again after the network failed, and given up at any moment.

import assert from "node:assert/strict";
import test from "node:test";
import { Refused, typed, upload } from "../parts/upload.js";

const file = new File(["%PDF-1.7"], "cv.pdf", { type: "application/pdf" });
const offline = Object.assign(new Error("no network"), { status: 0 });
const stored = { status: 204, text: "" };

/** Runs an upload with what the API and the bucket do, one after the other. */
function run({ api = [], bucket = [], stopAt = "" }) {
  const ends = new AbortController();
  const seen = [];
  const next = (all, name, last) => {
    seen.push(name);
    if (stopAt === name) ends.abort();
    return all.length ? all.shift() : last;
  };
  const done = upload({
    file,
    until: ends.signal,
    told: () => {},
    announce: async () => {
      const answer = next(api, "announce", { id: 7, upload: { url: "/", fields: {} } });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    send: async () => next(bucket, "send", stored),
    pause: async () => {
      next([], "pause");
      if (stopAt === "pause") await new Promise(() => {});
    },
  });
  return done.then((id) => ({ id, seen }));
}

test("a lost network at the API or at the bucket is no end", async () => {
  const lost = { status: 0, text: "" };
  const { id, seen } = await run({ api: [offline, offline], bucket: [lost] });
  assert.equal(id, 7);
  assert.deepEqual(
    seen.join(" "),
    "announce pause announce pause announce send pause announce send",
  );
});

test("an address that ended, and bytes that came too slowly, get a new address", async () => {
  const slow = { status: 400, text: "<Code>RequestTimeout</Code>" };
  const { id } = await run({ bucket: [{ status: 403, text: "" }, slow] });
  assert.equal(id, 7);
});

test("what is refused is not sent again", async () => {
  await assert.rejects(run({ bucket: [{ status: 400, text: "BadDigest" }] }), Refused);
  const wrong = Object.assign(new Error("a quota"), { status: 400 });
  await assert.rejects(run({ api: [wrong] }), /a quota/);
  const never = Array.from({ length: 20 }, () => offline);
  await assert.rejects(run({ api: never }), Refused);
});

test("it can be given up at any moment, and then there is no file", async () => {
  for (const stopAt of ["announce", "send", "pause"]) {
    const bucket = stopAt === "pause" ? [{ status: 0, text: "" }] : [];
    assert.equal((await run({ bucket, stopAt })).id, null, stopAt);
  }
});

test("the type of a file is what its first bytes tell", async () => {
  const type = async (bytes, type, name = "cv") =>
    (await typed(new File([bytes], name, { type }))).type;
  assert.equal(await type(`${"x".repeat(1023)}%PDF-1.7`, ""), "application/pdf");
  assert.equal(await type(`${"x".repeat(1024)}%PDF-1.7`, "application/pdf"), "");
  assert.equal(await type(new Uint8Array([255, 216, 255, 1]), "image/png"), "image/jpeg");
  assert.equal(await type("MZ", "application/pdf"), "");
});
