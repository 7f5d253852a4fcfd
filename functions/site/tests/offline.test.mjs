// Answers that are kept in the browser for one person.

import assert from "node:assert/strict";
import test from "node:test";

/** The cache of a browser, in memory. */
const stored = new Map();
globalThis.caches = /** @type {any} */ ({
  open: async (name) => {
    const all = stored.get(name) ?? new Map();
    stored.set(name, all);
    return {
      put: async (key, response) => all.set(key, await response.text()),
      match: async (key) => (all.has(key) ? new Response(all.get(key)) : undefined),
      delete: async (key) => all.delete(key),
    };
  },
  keys: async () => [...stored.keys()],
  delete: async (name) => stored.delete(name),
});
globalThis.location = /** @type {any} */ ({ origin: "https://clubs.example" });

const { forgetOthersSeen, remember, remembered } = await import("../parts/offline.js");

const answer = { data: { name: "Sue" }, etag: "", next: "" };

test("what somebody saw goes when somebody else signs in", async () => {
  await remember("sue", "/settings/", answer);
  await remember("bob", "/settings/", answer);
  stored.set("files of the release", new Map());
  await forgetOthersSeen("bob");
  assert.equal(await remembered("sue", "/settings/"), undefined);
  assert.deepEqual((await remembered("bob", "/settings/")).data, answer.data);
  assert.ok(stored.has("files of the release"));
});

test("an answer ends after 30 days", async (context) => {
  await remember("sue", "/settings/", answer);
  const now = Date.now();
  context.mock.method(Date, "now", () => now + 29 * 86_400_000);
  assert.ok(await remembered("sue", "/settings/"));
  context.mock.method(Date, "now", () => now + 31 * 86_400_000);
  assert.equal(await remembered("sue", "/settings/"), undefined);
});
