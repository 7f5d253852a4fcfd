// What the stories share: a browser, people in it, and what must be true on every page.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdir, readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const [origin, executablePath, folder] = process.argv.slice(2);
if (folder) await mkdir(folder, { recursive: true });
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
export const problems = [];
/** Whether answers with 401 and 403 are part of the story. */
let mayEnd = false;
export const sessionMayEnd = (may) => (mayEnd = may);

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 640 };

/** A browser window in which one person is signed in. */
export async function windowOf(options = {}) {
  const context = await browser.newContext({
    viewport: WIDE,
    reducedMotion: "reduce",
    serviceWorkers: "block",
    ...options,
  });
  await context.grantPermissions(["clipboard-write"], { origin });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // Answers with 404 and 412, and a lost network, are part of the story.
    if (
      message.type() === "error" &&
      !(mayEnd ? /40[0134]|412|DISCONNECTED/ : /40[04]|412|DISCONNECTED|ERR_FAILED/).test(
        message.text(),
      )
    )
      problems.push(message.text());
  });
  return page;
}

export async function signIn(page, name) {
  await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Signs in somebody whom the sign-in page does not list. */
export async function signInAs(page, username, name) {
  await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

export const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Every page has no violation that axe finds, wide and light, and narrow and dark. */
export async function accessible(page, name) {
  const before = page.viewportSize();
  // What is loaded again is shown paler meanwhile.
  await page.locator(".stale").waitFor({ state: "detached" });
  for (const [theme, size] of [
    ["light", WIDE],
    ["dark", WIDE],
    ["light", PHONE],
    ["dark", PHONE],
  ]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.setViewportSize(size);
    const { width } = size;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide at ${width}`);
    // biome-ignore lint/performance/useDomNodeTextContent: what is seen, without hidden text
    const text = await page.locator("body").innerText();
    assert.doesNotMatch(text, /\d{4}-\d\d-\d\dT\d\d:/, `${name}: a time as the API writes it`);
    if (folder) await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png` });
    if ((theme === "dark") !== (size === PHONE)) continue;
    // The policy of the page forbids scripts of others, so the debugger evaluates it.
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
    const found = await page.evaluate(() =>
      axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
    );
    const told = found.violations.map(
      (one) =>
        `${one.id}: ${one.nodes
          .map((node) => node.html)
          .slice(0, 3)
          .join(" ")}`,
    );
    assert.deepEqual(told, [], `${name}, ${theme}, ${width}`);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(before);
}

/** Opens the form of an application, for a committee or none. */
export async function openForm(page, path, committee = "No committee") {
  await page.goto(origin + path);
  await page.getByRole("button", { name: new RegExp(`^${committee}`) }).click();
  await page.getByRole("button", { name: "Check and send" }).waitFor();
}

/** Checks the answers and sends them. */
export async function sendForm(page) {
  await page.getByRole("button", { name: "Check and send" }).click();
  await page.getByRole("heading", { name: "Check your answers" }).waitFor();
  await page.getByRole("button", { name: "Send application" }).click();
  await heading(page, "Your application was sent");
}

/** The whole draft is stored. */
export const saved = (page) =>
  page.getByRole("status").getByText("Saved", { exact: true }).waitFor();

/** Asks the API as somebody; `groups` are those of the token. */
export async function call(username, method, path, body, groups = []) {
  const json = { "Content-Type": "application/json" };
  const token = await (
    await fetch(`${origin}/local/token`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({
        username,
        email: `${username}@uni.example`,
        name: `${username} Test`,
        groups,
      }),
    })
  ).json();
  const headers = { ...json, Authorization: `Bearer ${token.access_token}` };
  const answer = await fetch(`${origin}/api${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.status === 204 ? null : answer.json();
}

/** A field for date and time, whose label stands alone. */
export const field = (page, label) => page.getByLabel(label, { exact: true });

/** Drops an image on a place, as from a folder. */
export async function picture(page, place, name) {
  const data = await page.evaluateHandle(async (name) => {
    const canvas = new OffscreenCanvas(400, 300);
    const context = canvas.getContext("2d");
    context.fillStyle = "teal";
    context.fillRect(0, 0, 400, 300);
    const transfer = new DataTransfer();
    transfer.items.add(
      new File([await canvas.convertToBlob({ type: "image/png" })], `${name}.png`, {
        type: "image/png",
      }),
    );
    return transfer;
  }, name);
  await place.dispatchEvent("drop", { dataTransfer: data });
  // It has another shape than what is shown, so a part of it is chosen.
  await page.getByLabel("Size").fill("1.5");
  await accessible(page, "crop");
  await page.getByRole("button", { name: "Use this part" }).click();
}

/** Waits for a mail to somebody, and returns what a pattern finds in it. */
export async function mailTo(person, pattern) {
  for (let tries = 0; tries < 100; tries++) {
    const mails = await (await fetch(`${origin}/local/mail.json`)).json();
    const found = mails
      .filter((mail) => JSON.stringify(mail.to).includes(person))
      .map((mail) => pattern.exec(mail.text)?.[0])
      .find(Boolean);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no mail to ${person}`);
}
