// What people type or paste, and what they read of it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { addresses, finder } from "../parts/words.js";
import german from "../texts/de_problems.js";
import english from "../texts/en_problems.js";

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

/** Reasons that only a broken page or another program meets. The text of their code says enough. */
const OF_PROGRAMS = new Set(
  (
    "contradiction invalid_body missing_scope no_body not_boolean not_for_tokens not_hash not_id " +
    "not_list not_object not_option other_part repeated token_of_other_club wrong_tokens"
  ).split(" "),
);

test("every reason of the API has a text in both languages", async () => {
  const document = new URL("docs/openapi.json", `file://${process.env.ROOT ?? process.cwd()}/`);
  const { components } = JSON.parse(await readFile(document, "utf8"));
  const listed = "x-extensible-enum";
  const words = components.schemas.Reason.properties.code[listed];
  assert.ok(words.length > 100);
  for (const word of words.filter((one) => !OF_PROGRAMS.has(one)))
    for (const texts of [english, german]) assert.ok(texts[`problem.${word}`], word);
  // What these say is in the reason beside them.
  const beside = new Set(
    "audience closed digest_changed erased in_use not_started quota question_gone".split(" "),
  );
  const codes = components.schemas.Code[listed];
  for (const code of codes.filter((one) => !beside.has(one)))
    for (const texts of [english, german]) assert.ok(texts[`problem.${code}`], code);
  const known = new Set([...words, ...codes]);
  for (const texts of [english, german])
    for (const name of Object.keys(texts)) assert.ok(known.has(name.split(".")[1]), name);
  assert.deepEqual(Object.keys(english), Object.keys(german));
  // What a text names is a parameter, or made of one (`told`), and the same in both languages.
  const parameters = new Set(Object.keys(components.schemas.Reason.properties));
  for (const made of ["at", "n", "size", "request_id"]) parameters.add(made);
  const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const [name, text] of Object.entries(english)) {
    for (const one of placeholders(text)) assert.ok(parameters.has(one), `${name}: ${one}`);
    assert.deepEqual(placeholders(german[name]), placeholders(text), name);
  }
});
