// What people type or paste.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addresses, finder } from "../parts/words.js";

test("a search finds words in any order, without accents", () => {
  const has = (search, text) => finder(search)(text);
  assert.ok(has("anna", "Änna Muñoz"));
  assert.ok(has("MUNOZ ann", "Änna Muñoz"));
  assert.ok(has("Zoë", "ZOE"));
  assert.ok(has("  ", "anybody"));
  assert.ok(!has("anna bob", "Anna"));
});

test("addresses are taken as mail programs copy them", () => {
  const all = {
    "a@x.example, b@x.example; c@x.example\nd@x.example":
      "a@x.example, b@x.example, c@x.example, d@x.example",
    "Muster, Anna <anna@x.example>; Eins Eve <eve@x.example>": "anna@x.example, eve@x.example",
    '"Muster, Anna" <anna@x.example>, bob@x.example': "anna@x.example, bob@x.example",
    "a@x.example, Bob <bob@x.example> carol": "a@x.example, bob@x.example, carol",
    "<o@x.example> mailto:p@x.example 'q@x.example' (r@x.example)":
      "o@x.example, p@x.example, q@x.example, r@x.example",
    "\u200bl@x.example\ufeff": "l@x.example",
    anna: "anna",
    "": "",
  };
  for (const [text, expected] of Object.entries(all)) assert.equal(addresses(text), expected);
});
