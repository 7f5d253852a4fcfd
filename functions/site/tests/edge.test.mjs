// What the distribution does before it looks for a page that it has: the function of template.yaml.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const template = readFileSync(join(process.env.ROOT ?? ".", "template.yaml"), "utf8");
const code = /FunctionCode: \|\n((?: {8}.*\n)+)/.exec(template)?.[1];
const handler = new Function(`${code}; return handler;`)();

/** The headers that the gateway gets, by name. */
function sent(uri, given = {}) {
  const entries = Object.entries(given).map(([name, value]) => [name, { value }]);
  const event = {
    viewer: { ip: "192.0.2.1" },
    request: { uri, headers: Object.fromEntries(entries) },
  };
  const { headers } = handler(event);
  return Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, one.value]));
}

test("a page is asked for in two languages and three formats only", () => {
  const browser = "text/html,application/xhtml+xml,*/*;q=0.8";
  for (const [language, accept, page] of [
    ["de-AT,de;q=0.9,en;q=0.8", browser, ["de", "text/html"]],
    [" de", browser, ["de", "text/html"]],
    ["en-GB,de;q=0.9", browser, ["en", "text/html"]],
    ["fr", "*/*", ["en", "*/*"]],
    ["de", "application/json, */*", ["de", "*/*"]],
    ["de", "application/json", ["de", "application/json"]],
  ]) {
    const headers = sent("/clubs/chess/", { "accept-language": language, accept });
    assert.deepEqual([headers["accept-language"], headers.accept], page);
  }
  const none = sent("/");
  assert.deepEqual([none["accept-language"], none.accept], ["en", "*/*"]);
});

test("requests of the API stay as they are, with the address of the client", () => {
  const given = { accept: "application/json", "accept-language": "de-AT" };
  assert.deepEqual(sent("/api/clubs/", given), { ...given, "x-clubs-viewer": "192.0.2.1" });
});
