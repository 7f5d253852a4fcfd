// A network that fails in every way, pages at twice their size, in German, and with content that is
// very long, written from right to left, or not there at all.

import assert from "node:assert/strict";
import http from "node:http";
import { PHONE, accessible, browser, call, origin, problems, saved } from "./lib.mjs";

/** What happens to requests of the API: nothing, or a fault. */
let fault = "none";
/** How many requests met a fault. */
let faults = 0;

/** Sends a request on, and its answer back, unless the answer is lost. */
function forward(request, response, isLost) {
  const { hostname, port, pathname, search } = new URL(request.url);
  const options = { hostname, port, path: pathname + search, method: request.method };
  const onward = http.request({ ...options, headers: request.headers }, (answer) => {
    if (isLost) {
      answer.resume();
      answer.on("end", () => request.socket.destroy());
      return;
    }
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => request.socket.destroy());
  request.pipe(onward);
}

const proxy = http.createServer((request, response) => {
  const isApi = new URL(request.url).pathname.startsWith("/api/");
  const kind = isApi ? fault : "none";
  if (kind !== "none") faults++;
  if (kind === "hang") return;
  if (kind === "reset") return request.socket.destroy();
  if (kind === "none" || kind === "lost") return forward(request, response, kind === "lost");
  const status = Number(kind);
  request.resume();
  response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "1" });
  response.end(JSON.stringify({ detail: "Fault of the test.", code: "internal" }));
});
await new Promise((done) => proxy.listen(0, "127.0.0.1", done));

/** A phone behind the network that fails. What the browser logs of failures is no problem. */
const context = await browser.newContext({
  viewport: PHONE,
  reducedMotion: "reduce",
  serviceWorkers: "block",
  proxy: { server: `http://127.0.0.1:${proxy.address().port}`, bypass: "<-loopback>" },
});
const page = await context.newPage();
page.setDefaultTimeout(60_000);
page.on("pageerror", (error) => problems.push(String(error)));

const [open] = await call("olivia", "GET", "/clubs/robotics/applications/");
const path = `/clubs/robotics/apply/${open.id}/`;
await page.goto(origin + path);
await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
await page.getByLabel("User name").fill("faulty.fay");
await page.getByLabel("Name", { exact: true }).fill("Faulty Fay");
await page.getByRole("button", { name: "Sign in", exact: true }).click();
await page.getByRole("button", { name: /^No committee/ }).click();
await page.getByRole("button", { name: "Check and send" }).waitFor();
const answer = page.locator("textarea").first();
const words = ["500", "429", "reset", "hang", "lost"];
for (const kind of words) {
  fault = kind;
  await answer.pressSequentially(`${kind} `);
  await page.waitForTimeout(1300);
}
assert.ok(faults >= words.length, `${faults} faults`);
assert.equal(await page.getByRole("status").getByText("Saved", { exact: true }).count(), 0);
fault = "none";
await saved(page);
const typed = `${words.join(" ")} `;
const texts = async (path) => {
  const found = await call("faulty.fay", "GET", path);
  return (found.responses ?? found[0].responses).map((one) => one.text).filter(Boolean);
};
const draft = `/clubs/robotics/applications/${open.id}/draft/`;
assert.deepEqual(await texts(draft), [typed]);

// The answer to the submission is lost, then the service fails: it is stored once, and shown so.
await page.getByRole("button", { name: "Check and send" }).click();
await page.getByRole("heading", { name: "Check your answers" }).waitFor();
fault = "lost";
await page.getByRole("button", { name: "Send application" }).click();
await page.waitForTimeout(1500);
fault = "500";
await page.waitForTimeout(1500);
fault = "none";
await page.getByRole("heading", { level: 1, name: "Your application was sent" }).waitFor();
assert.deepEqual(await texts("/submissions/"), [typed]);
assert.equal((await call("faulty.fay", "GET", "/submissions/")).length, 1);

// A page that cannot be loaded says so, and loads when it is tried again.
fault = "500";
await page.goto(`${origin}/memberships/`);
await page.getByRole("button", { name: "Try again" }).first().waitFor();
fault = "none";
await page.getByRole("button", { name: "Try again" }).first().click();
await page.getByRole("heading", { level: 1, name: "My clubs" }).waitFor();
await context.close();
proxy.close();
proxy.closeAllConnections();

// Content of every kind: very long, from right to left, and none.
const long = "Donaudampfschifffahrtsgesellschaftskapitänsmützenverleih".repeat(4);
const arabic = "نادي الشطرنج في الجامعة";
const future = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString();
for (const [code, name, text] of [
  ["long", long, `<p>${long}${long}</p><ul><li>${long}</li></ul>`],
  ["arabic", arabic, `<p>${arabic} ${arabic}</p>`],
  ["empty", "Empty", ""],
]) {
  const body = { name, code, description: text, subtitle: text && name };
  await call("extreme.eve", "POST", "/clubs/", body);
  await call("ava", "PATCH", `/clubs/${code}/`, { approved: true }, ["clubs-admin"]);
  if (!text) continue;
  const times = { start_time: future(1), end_time: future(3), location: name.slice(0, 200) };
  const event = { name, description: text, showings: [times] };
  await call("extreme.eve", "POST", `/clubs/${code}/events/`, event);
  const application = await call("extreme.eve", "POST", `/clubs/${code}/applications/`, {
    name,
    application_start_time: future(-1),
    application_end_time: future(48),
    result_release_time: future(96),
    committees: [{ name: name.slice(0, 100) }],
  });
  const questions = `/clubs/${code}/applications/${application.id}/questions/`;
  await call("extreme.eve", "POST", questions, { question_type: 1, prompt: name });
}

const MANAGED = ["manage/", "recruitment/", "members/", "events/", "edit/", "links/", "poster/"];
const pages = [
  "/",
  "/clubs/",
  "/events/?view=week",
  "/applications/",
  "/memberships/",
  "/settings/",
];
for (const code of ["long", "arabic", "empty"]) {
  pages.push(`/clubs/${code}/`, ...MANAGED.map((place) => `/clubs/${code}/${place}`));
}

/** Where the keyboard leads is seen: no bar is above it, and no strip hides it. */
async function reachable(page, path) {
  for (let n = 0; n < 30; n++) {
    await page.keyboard.press("Tab");
    // A strip of tabs may still be moving.
    const isSeen = page.waitForFunction(
      () => {
        const element = document.activeElement;
        if (!element || element === document.body) return true;
        const box = element.getBoundingClientRect();
        const at = [box.left + Math.min(box.width / 2, 20), box.top + Math.min(box.height / 2, 20)];
        const seen = document.elementFromPoint(...at);
        const isOnTop = seen && (element.contains(seen) || seen.contains(element));
        return isOnTop || box.width * box.height < 4;
      },
      null,
      { timeout: 2_000, polling: 50 },
    );
    await isSeen.catch(async () => {
      const hidden = await page.evaluate(() => {
        const element = document.activeElement;
        const { left, top, width, height } = element.getBoundingClientRect();
        const seen = document.elementFromPoint(left + 1, top + 1);
        return JSON.stringify({
          element: element.outerHTML.slice(0, 100),
          box: [left, top, width, height].map(Math.round),
          window: [innerWidth, innerHeight, Math.round(scrollY)],
          seen: seen?.outerHTML.slice(0, 100),
        });
      });
      assert.fail(`${path}: the keyboard leads to what is not seen: ${hidden}`);
    });
  }
}

/** Opens all pages as the officer of these clubs, in a window of a size and a language. */
async function visit(options, check) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const eve = await context.newPage();
  eve.setDefaultTimeout(20_000);
  eve.on("pageerror", (error) => problems.push(String(error)));
  await eve.goto(`${origin}/settings/`);
  await eve.locator("main button.main").first().click();
  await eve.getByLabel("User name").fill("extreme.eve");
  await eve.getByLabel("Name", { exact: true }).fill("Eve Test");
  await eve.getByRole("button", { name: "Sign in", exact: true }).click();
  await eve.waitForURL(`${origin}/settings/`);
  const tooWide = [];
  for (const path of pages) {
    await eve.goto(origin + path);
    await eve.locator("h1").first().waitFor();
    await eve.waitForLoadState("networkidle");
    const wide = await eve.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) tooWide.push(`${path}: ${wide} px`);
    await check(eve, path);
  }
  assert.deepEqual(tooWide, [], JSON.stringify(options));
  await context.close();
}

// 1280 × 800 at 200 %, and a phone in German.
const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
await visit({ ...zoomed, serviceWorkers: "block" }, async (eve, path) => {
  if (/clubs\/(long|arabic)\/$/.test(path)) await accessible(eve, path.split("/")[2]);
});
await visit({ viewport: PHONE, locale: "de-DE", serviceWorkers: "block" }, async (eve, path) => {
  const language = await eve.evaluate(() => document.documentElement.lang);
  assert.equal(language, "de", path);
  await reachable(eve, path);
});
