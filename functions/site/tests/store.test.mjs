// What somebody typed, kept in the browser: for its owner alone, and not after they signed out.

import assert from "node:assert/strict";
import { test } from "node:test";

const kept = new Map();
globalThis.localStorage = /** @type {any} */ ({
  get length() {
    return kept.size;
  },
  key: (at) => [...kept.keys()][at] ?? null,
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, value),
  removeItem: (name) => kept.delete(name),
});
const { forgetPerson, forgetUnless, hasPending, typedStore } = await import("../parts/store.js");

test("what one person typed is not shown to another", () => {
  typedStore("sam", "draft/1/0").set("7", { answer: "mine" });
  assert.deepEqual(typedStore("sam", "draft/1/0").all(), { 7: { answer: "mine" } });
  assert.deepEqual(typedStore("nina", "draft/1/0").all(), {});
  assert.deepEqual([hasPending("sam"), hasPending("nina")], [true, false]);
});

test("a save that ends after signing out brings nothing back", () => {
  const store = typedStore("sam", "draft/1/0");
  forgetPerson("sam");
  store.set("7", { answer: "late" });
  assert.equal(kept.size, 0);
});

test("in another tab, too, only the person who is there now is kept", () => {
  const [before, now] = [typedStore("ada", "draft/1/0"), typedStore("nina", "draft/1/0")];
  forgetUnless("nina");
  before.set("7", { answer: "late" });
  now.set("7", { answer: "mine" });
  assert.deepEqual([hasPending("ada"), hasPending("nina")], [false, true]);
});
