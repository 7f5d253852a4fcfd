// Uses the site in headless Chromium, as students, officers and admins do:
//   node story.mjs http://127.0.0.1:8000 /path/of/chromium folder-for-screenshots story…

import assert from "node:assert/strict";
import { browser, folder, heading, origin, problems, windowOf } from "./lib.mjs";

const stories = process.argv.slice(5);
// The first page is small, a third of it the typeface, and the page knows what it does not have.
const first = await windowOf();
let bytes = 0;
const client = await first.context().newCDPSession(first);
await client.send("Network.enable");
client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
await first.goto(origin);
await heading(first, "Clubs and events of the university");
const ready = await first.evaluate(() => Math.round(performance.now()));
await first.waitForLoadState("networkidle");
const size = bytes;
assert.ok(size < 96_000, `the first page has ${size} bytes`);
await first.goto(`${origin}/nowhere/`);
await heading(first, "There is no such page");

for (const story of stories) {
  try {
    await import(`./${story}.mjs`);
  } catch (error) {
    // What was open is kept, to see why.
    for (const [n, page] of browser
      .contexts()
      .flatMap((context) => context.pages())
      .entries()) {
      if (folder)
        await page
          .screenshot({ path: `${folder}/failed-${n}.png`, fullPage: true })
          .catch(() => {});
    }
    throw error;
  }
}

await browser.close();
assert.deepEqual(problems, []);
console.log(
  `The site works; the first page has ${size} bytes and shows its heading after ${ready} ms.`,
);
