// Checks that the site says the sentences of the API in plain language, in English and in German.
// That none is missing is checked by the tests of the documents.
// ROOT may name the repository: ROOT=/path node --test messages.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { ROOT } = process.env;
const root = ROOT ? pathToFileURL(`${ROOT}/`) : new URL("../../", import.meta.url);
const read = (path) => readFile(new URL(path, root), "utf8");

// The module imports nothing. As an address with its text, it needs no package.json beside it.
const source = Buffer.from(await read("functions/site/texts/api.js")).toString("base64");
const module = await import(`data:text/javascript;base64,${source}`);
const { AT_FIELDS, SENTENCES, UNLISTED, sentence } = module;

const listed = SENTENCES.map(([api]) => api);

const VALUE = /\{\{|\}\}|\{([\w.]*)(:\?)?\}/g;

/** A sentence as the API would say it. */
function sample(template) {
  return template.replace(VALUE, (part, name, quoted, at) => {
    if (name === undefined) return part[0];
    const isSize = name.includes("bytes") || template.slice(at + part.length).startsWith(" bytes");
    if (isSize) return "4194304";
    return quoted ? '"7"' : "7";
  });
}

/** A sentence without the names of its values, which differ between files. */
function unnamed(template) {
  return template.replace(VALUE, (part, name) => (name === undefined ? part : "{}"));
}

const TECHNICAL = /`|[a-z]_[a-z]|\d{7}|\b(json|headers?|parameters?|bytes?|http|null|undefined)\b/i;

function isPlain(text, template) {
  assert.ok(text, template);
  assert.doesNotMatch(text, TECHNICAL, template);
  assert.doesNotMatch(text, /\{[\w.]*(:\w+)?\}(?!\})| {2}| \.|^\s|\s$/, template);
}

test("people read every sentence in plain English and German", () => {
  for (const template of [...listed, ...UNLISTED.map(([api]) => api)]) {
    const text = sample(template);
    const english = sentence(text, "en");
    const german = sentence(text, "de");
    isPlain(english, template);
    isPlain(german, template);
    assert.doesNotMatch(german, /\bIhnen\b|\bIhre?\b|[Bb]yte/, template);
    assert.notEqual(german, english, template);
    assert.notEqual(german, text, template);
  }
});

test("every sentence is there once", () => {
  const seen = new Set();
  for (const [api, english] of SENTENCES) {
    assert.ok(!seen.has(unnamed(api)), `twice: ${api}`);
    assert.notEqual(english, api, `null is shorter: ${api}`);
    seen.add(unnamed(api));
  }
  for (const [api] of UNLISTED) assert.ok(!seen.has(unnamed(api)), `twice: ${api}`);
  for (const [api] of AT_FIELDS) assert.ok(seen.has(api), `not in SENTENCES: ${api}`);
});

test("every sentence is found as itself, and its values are those of the API", () => {
  for (const [api, ...texts] of [...SENTENCES, ...UNLISTED]) {
    const values = (text) => {
      return [...text.matchAll(/\{([\w.]*)(?::[\w?]+)?\}/g)].map(([, name]) => name);
    };
    for (const [i, text] of texts.entries()) {
      if (text === null) continue;
      for (const name of values(text)) assert.ok(values(api).includes(name), `${name}: ${api}`);
      if (values(text).length === 0) assert.equal(sentence(sample(api), ["en", "de"][i]), text);
    }
  }
});

test("values, fields and several sentences", () => {
  const says = (text, english, german, field) => {
    assert.equal(sentence(text, "en", field), english);
    assert.equal(sentence(text, "de", field), german);
  };
  says("Nobody says this.", null, null);
  says("Not found. Nobody says this.", null, null);
  says(
    "The request body is larger than 4194304 bytes.",
    "This is too large to send. At most 4 MB are allowed.",
    "Das ist zu groß zum Senden. Höchstens 4 MB sind erlaubt.",
  );
  for (const [bytes, english, german] of [
    ["100000", "100 KB", "100 KB"],
    ["614400", "600 KB", "600 KB"],
    ["4400000", "4.4 MB", "4,4 MB"],
  ]) {
    says(
      `All answers together may have at most ${bytes} bytes.`,
      `All answers together may have at most ${english}. Please shorten one.`,
      `Alle Antworten zusammen dürfen höchstens ${german} groß sein. Bitte kürze eine.`,
    );
  }
  says(
    "3 invitations sent, 1 addresses skipped. 2 addresses could not be invited now. " +
      "Send them again.",
    "Invitations sent: 3. Addresses skipped: 1. Addresses that could not be invited now: 2. " +
      "Send them again.",
    "Gesendete Einladungen: 3. Ausgelassene Adressen: 1. Adressen, die gerade nicht eingeladen " +
      "werden konnten: 2. Sende sie noch einmal.",
  );
  says(
    "There is no such club. This club is not approved yet. Not found.",
    "There is no such club. This club is not approved yet. Not found.",
    "Diesen Club gibt es nicht. Dieser Club ist noch nicht freigegeben. Nicht gefunden.",
  );
  says(
    "Not found. 5 e-mails would be sent.",
    "Not found. Mails that would be sent: 5.",
    "Nicht gefunden. Mails, die gesendet würden: 5.",
  );
  says(
    "name: This field may not be blank.",
    "This field may not be blank.",
    "Dieses Feld darf nicht leer sein.",
  );
  says(
    'emails.3: "a \\"b\\"" is not an e-mail address.',
    '“a "b"” is not an e-mail address.',
    '„a "b"“ ist keine E-Mail-Adresse.',
  );
  says("file: This field is required.", "Please choose a file.", "Bitte wähle eine Datei.");
  says("This field is required.", "Please choose a file.", "Bitte wähle eine Datei.", "file");
  says("This field is required.", "This field is required.", "Dieses Feld fehlt.", "name");
  says(
    "First Name: This request does not have this field.",
    "“First Name” is not known here. Please check this name.",
    "„First Name“ ist hier nicht bekannt. Bitte prüfe diesen Namen.",
  );
  says(
    "The template of this mail is not valid: {% if %} without {% endif %}.",
    "The text of this mail is not right. {% endif %} is missing after {% if %}.",
    "Der Text dieser Mail stimmt nicht. Nach {% if %} fehlt {% endif %}.",
  );
  says(
    "acceptance_email: {% if reason %} is at a place where HTML allows no text, " +
      "such as between the rows of a table. Put it inside a cell, or around the whole table.",
    "{% if reason %} is where no text can be, such as between the rows of a table. " +
      "Put it inside a cell, or around the whole table.",
    "{% if reason %} steht dort, wo kein Text stehen kann, zum Beispiel zwischen " +
      "den Zeilen einer Tabelle. Setze es in eine Zelle oder um die ganze Tabelle.",
  );
  says(
    "{% for x %} is not supported: there are if, else and endif.",
    "{% for x %} is not possible here. There are if, else and endif.",
    "{% for x %} gibt es hier nicht. Es gibt if, else und endif.",
  );
  says("{{ without }}.", "}} is missing after {{.", "Nach {{ fehlt }}.");
  says(
    '"nmae" is not a variable. There are: name, full_name, club.',
    "The mail cannot name “nmae”. It can name: name, full_name, club.",
    "Die Mail kann „nmae“ nicht nennen. Sie kann nennen: name, full_name, club.",
  );
  const release =
    "The results are released at 2026-11-21T09:00:00Z. " +
    "These mails would announce them earlier.";
  assert.match(sentence(release, "de"), /ab 2[012]\.11\.2026, \d\d:00 sichtbar/);
});
