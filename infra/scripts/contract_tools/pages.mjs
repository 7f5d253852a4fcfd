// Clicks through the pages of the local service in headless Chromium:
//   node pages.mjs http://127.0.0.1:8000 /path/of/chromium [folder for screenshots]

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { launch } from "puppeteer-core";

const [origin, executablePath, folder] = process.argv.slice(2);
if (folder) await mkdir(folder, { recursive: true });
const browser = await launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.setViewport({ width: 1200, height: 900 });
page.setDefaultTimeout(20_000);
const problems = [];
page.on("pageerror", (error) => problems.push(String(error)));
page.on("console", (message) => {
  if (message.type() === "error") problems.push(message.text());
});

const shot = (name) => folder && page.screenshot({ path: `${folder}/${name}.png` });
const text = (selector) => page.$eval(selector, (found) => found.textContent);
const ready = () => page.waitForSelector("body[data-ready]");

async function tokenOf(username) {
  const answer = await fetch(`${origin}/local/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, email: `${username}@uni.example`, name: `${username} Page` }),
  });
  return (await answer.json()).access_token;
}

async function call(username, path, body) {
  const answer = await fetch(`${origin}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${await tokenOf(username)}` },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

// The tools of a developer: three people, a clock that moves, and what is there.
await page.goto(`${origin}/local/`);
await ready();
assert.equal((await page.$$("#people button.main")).length, 3);
assert.match(await text("#there"), /\d+ clubs/);
const before = await text("#now");
await page.click("#steps button");
await page.waitForFunction(
  (old) => document.getElementById("now").textContent !== old,
  {},
  before,
);
await shot("start");

// Its button opens the docs, which are signed in, folded, and in the order of the story.
await page.click('button[data-role="admin"]');
await page.waitForSelector(".opblock-tag");
const tags = await page.$$eval(".opblock-tag", (all) => all.map((tag) => tag.dataset.tag));
assert.deepEqual(tags.slice(0, 3), ["clubs", "clubfairs", "events"]);
// The request of webhooks is always shown, in a part of its own.
assert.equal((await page.$$(".opblock-tag-section .opblock")).length, 0);
await page.waitForSelector(".authorize.locked");
await shot("docs");

/** Opens an operation of the docs, sends what the page offers, and returns the status. */
async function tryOut(tag, id) {
  const block = `#operations-${tag}-${id}`;
  if (!(await page.$(block))) await page.click(`#operations-tag-${tag}`);
  await page.waitForSelector(block);
  await page.click(`${block} .opblock-summary-control`);
  await page.waitForSelector(`${block} .execute`);
  await page.click(`${block} .execute`);
  await page.waitForSelector(`${block} .live-responses-table .response-col_status`);
  const status = await text(`${block} .live-responses-table .response .response-col_status`);
  return Number.parseInt(status, 10);
}
assert.equal(await tryOut("clubs", "create_club"), 201);
assert.equal(await tryOut("submissions", "list_submissions"), 200);
assert.equal(await tryOut("mails", "send_emails"), 200);
await shot("docs-tried");

// The mailbox shows a new mail without a reload, in three forms, and finds it.
await page.goto(`${origin}/local/mail/`);
await ready();
await call("olivia", "/api/clubs/robotics/invites/", { email: "quinn@uni.example", role: 20 });
await page.waitForFunction(() => document.querySelectorAll("#list button").length > 0);
await page.type("#search", "quinn");
await page.waitForFunction(() => document.querySelectorAll("#list button").length === 1);
await page.click("#list button");
const frame = await (await page.waitForSelector("#part-html iframe")).contentFrame();
const link = await frame.waitForSelector('a[href*="/invite/"]');
assert.match(await link.evaluate((a) => a.href), /\/invite\/robotics\//);
await shot("mailbox");
await page.click("#tab-text");
assert.match(await text("#part-text"), /\/invite\/robotics\//);
await page.click("#tab-headers");
assert.match(await text("#part-headers"), /quinn@uni\.example/);

// The mails can be deleted.
await page.goto(`${origin}/local/mail/`);
await ready();
await page.click("#clear");
await page.waitForFunction(() => document.getElementById("count").textContent === "0 mails");

// `/api/` leads to the docs, which were opened above. Not in the browser: one time in twenty,
// Puppeteer waits for ever for a page that a redirect leads to, although it is complete.
const docs = await fetch(`${origin}/api/`);
assert.ok(docs.ok);
assert.match(docs.url, /\/api\/docs\/$/);

await browser.close();
assert.deepEqual(problems, []);
console.log("the pages work in Chromium");
