// Uses the site in headless Chromium, as a student does:
//   node story.mjs http://127.0.0.1:8000 /path/of/chromium [folder for screenshots]

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdir, readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [origin, executablePath, folder] = process.argv.slice(2);
if (folder) await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const problems = [];
/** Whether answers with 401 are part of the story. */
let mayEnd = false;

/** A browser window in which one person is signed in. */
async function windowOf(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, bypassCSP: false, ...options });
  await context.grantPermissions(["clipboard-write"], { origin });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // Answers with 404 and 412, and a lost network, are part of the story.
    if (message.type() === "error" && !(mayEnd ? /40[014]|412|DISCONNECTED/ : /40[04]|412|DISCONNECTED/).test(message.text())) problems.push(message.text());
  });
  return page;
}

async function signIn(page, name) {
  await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

/** Every page has no violation that axe finds, in both themes and at two widths. */
async function accessible(page, name) {
  for (const [theme, width] of [["light", 1200], ["dark", 1200], ["light", 360], ["dark", 360]]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide at ${width}`);
    // The policy of the page forbids scripts of others, so the debugger evaluates it.
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
    assert.deepEqual(told, [], `${name}, ${theme}, ${width}`);
    if (folder) await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1200, height: 900 });
}

async function call(username, method, path, body) {
  const json = { "Content-Type": "application/json" };
  const token = await (await fetch(`${origin}/local/token`, {
    method: "POST", headers: json,
    body: JSON.stringify({ username, email: `${username}@uni.example`, name: `${username} Test` }),
  })).json();
  const headers = { ...json, Authorization: `Bearer ${token.access_token}` };
  const answer = await fetch(`${origin}/api${path}`, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.status === 204 ? null : answer.json();
}

// Everybody: the catalogue, with search as you type; a club; events as a list and as a month.
const sam = await windowOf();
await sam.goto(origin);
await heading(sam, "Clubs");
await sam.getByLabel("Search").fill("robot");
await sam.waitForURL(/search=robot/);
await sam.getByText("1 club", { exact: true }).waitFor();
await accessible(sam, "clubs");
await sam.getByRole("link", { name: "Robotics Society" }).click();
await heading(sam, "Robotics Society");
await accessible(sam, "club");
await sam.getByRole("link", { name: "Events", exact: true }).click();
await heading(sam, "Events");
await accessible(sam, "events");
await sam.getByRole("button", { name: "Month" }).click();
await sam.getByRole("table").waitFor();
await accessible(sam, "month");
await sam.getByRole("table").getByRole("link").first().click();
await sam.getByRole("heading", { name: "When and where" }).waitFor();
await accessible(sam, "event");

// Signing in leads back to the page where it began.
await sam.goto(`${origin}/clubs/debate/`);
await sam.getByRole("banner").getByRole("button", { name: "Sign in", exact: true }).click();
await heading(sam, "Sign in on this machine");
await accessible(sam, "sign-in");
await sam.getByRole("button", { name: "Sam Okafor" }).click();
await heading(sam, "Debating Union");
assert.equal(new URL(sam.url()).pathname, "/clubs/debate/");

// An application: each answer is saved while somebody types.
await sam.getByRole("link", { name: "Apply", exact: true }).click();
await heading(sam, "New speakers");
const why = sam.getByLabel("Why would you like to join us?");
await why.fill("I like to argue");
await sam.getByText("4 of 150 words").waitFor();
await sam.getByText("Your answers are saved.").waitFor();
await accessible(sam, "apply");

// A second tab shows what the first one saved. What both change is a conflict that shows both.
const second = await sam.context().newPage();
second.setDefaultTimeout(15_000);
await second.goto(sam.url());
await signIn(second, "Sam Okafor");
const whyThere = second.getByLabel("Why would you like to join us?");
await second.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue");
await whyThere.fill("I like to argue and to listen");
await second.getByText("Your answers are saved.").waitFor();
await why.fill("I like to argue, politely");
await sam.getByText("Another tab or device saved another answer:").waitFor();
await sam.getByText("I like to argue and to listen").waitFor();
await accessible(sam, "conflict");
await sam.getByRole("button", { name: "Keep mine" }).click();
await sam.getByText("Your answers are saved.").waitFor();
await second.close();

mayEnd = true;
// The session ends in mid-form: nothing typed is lost, and the next answer is saved after signing in.
await sam.evaluate(() => {
  const session = JSON.parse(sessionStorage.session);
  sessionStorage.session = JSON.stringify({ ...session, token: "ended", ends: 0 });
});
await sam.reload();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely");
await sam.evaluate(() => {
  const session = JSON.parse(sessionStorage.session);
  sessionStorage.session = JSON.stringify({ ...session, token: "ended", refresh: "ended", ends: 0 });
});
await sam.reload();
await sam.getByText("Your session has ended.").waitFor();
await sam.getByRole("button", { name: "Sign in", exact: true }).first().click();
await sam.getByRole("button", { name: "Sam Okafor", exact: true }).click();
await sam.getByRole("button", { name: "Sign out" }).waitFor();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely");

// The session ends between two keys: the page goes on, and what could not be saved is saved later.
await sam.route("**/draft/**", (route) => (route.request().method() === "PATCH" ? route.fulfill({ status: 401, json: {} }) : route.continue()));
await sam.route("**/local/oauth/token", (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
await why.fill("I like to argue, politely, in public");
await sam.getByText("Your session has ended.").waitFor();
await sam.unroute("**/draft/**");
await sam.unroute("**/local/oauth/token");
await signIn(sam, "Sam Okafor");
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely, in public");
await sam.getByText("Your answers are saved.").waitFor();
await sam.reload();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely, in public");

mayEnd = false;

// Without a network what is typed stays, and is saved when the network is back.
await sam.context().setOffline(true);
await sam.getByText("There is no network.").waitFor();
await why.fill("I like to argue, everywhere");
await sam.getByText("The service cannot be reached. Please try again.").waitFor({ timeout: 30_000 });
await sam.context().setOffline(false);
await sam.getByText("Your answers are saved.").waitFor();

// Sending: what is missing is named, the receipt is shown, and the list has the application.
await sam.getByText(/Without an answer:/).waitFor();
await sam.getByRole("button", { name: "Send application" }).click();
await heading(sam, "Your application was sent");
assert.match(await sam.locator("code.long").textContent(), /^eyJ/);
await accessible(sam, "sent");
await sam.getByRole("link", { name: "My applications" }).first().click();
await sam.getByText("Not decided yet").waitFor();
await accessible(sam, "applications");

// The link of the mail joins the club; so does a link of the officers.
const list = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/applications/${list[0].id}`;
const all = await call("olivia", "GET", `${path}/submissions/?search=sam`);
await call("olivia", "PATCH", `${path}/submissions/${all[0].id}/`, { status: 4, reason: "" });
await call("olivia", "POST", `${path}/send_emails/`, { email_type: { id: "acceptance" }, submissions: [all[0].id] });
let invitation;
for (let tries = 0; !invitation && tries < 50; tries++) {
  await new Promise((done) => setTimeout(done, 100));
  const mails = await (await fetch(`${origin}/local/mail.json`)).json();
  invitation = mails.map((mail) => /\/invite\/debate\/\S+/.exec(mail.text)?.[0]).find(Boolean);
}
await sam.goto(origin + invitation);
await heading(sam, "Join Debating Union");
await accessible(sam, "invite");
await sam.getByRole("button", { name: "Join" }).click();
await heading(sam, "You are a member of Debating Union");
const link = await call("olivia", "POST", "/clubs/robotics/joinlinks/", { note: "Fair" });
await sam.goto(origin + new URL(link.url).pathname);
await sam.getByRole("button", { name: "Join" }).click();
await heading(sam, "You are a member of Robotics Society");
await sam.getByRole("link", { name: "My clubs" }).click();
await sam.getByRole("link", { name: "Debating Union" }).waitFor();
await accessible(sam, "memberships");
await sam.goto(`${origin}/clubs/robotics/members/`);
await heading(sam, "Members");
await accessible(sam, "members");

// Settings, in German as well.
await sam.getByRole("link", { name: "Settings" }).click();
await sam.getByLabel("Year of graduation").fill("2029");
await sam.getByRole("button", { name: "Save", exact: true }).click();
await sam.getByText("Saved.").waitFor();
await accessible(sam, "settings");
await sam.getByLabel("Language").selectOption("de");
await heading(sam, "Einstellungen");
await sam.getByLabel("Sprache").selectOption("en");

// An officer: a request, a join link, submissions with a review and a decision, and the mails.
const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/robotics/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Manage the club" }).click();
await heading(olivia, "Manage the club");
await olivia.getByRole("button", { name: "Accept: Wendy Zhao" }).click();
await olivia.getByText("Wendy Zhao is a member now.").waitFor();
await olivia.getByLabel("Where the link is shown").fill("Door");
await olivia.getByRole("button", { name: "Create a join link" }).click();
await olivia.getByRole("img", { name: "QR code of the join link Door" }).waitFor();
await accessible(olivia, "manage");
await olivia.getByRole("link", { name: "Submissions" }).first().click();
await heading(olivia, "Autumn recruitment");
await olivia.getByText("Overview").click();
await olivia.getByRole("table", { name: "By status" }).waitFor();
await accessible(olivia, "submissions");
await olivia.getByRole("button", { name: "Fatima Zahra" }).click();
await olivia.getByRole("heading", { name: "Fatima Zahra" }).waitFor();
await olivia.getByLabel("Score from 1 to 5").selectOption("5");
await olivia.getByLabel("Comment, for officers only").fill("Builds things");
await olivia.getByRole("button", { name: "Save my review" }).click();
await olivia.getByText("Builds things", { exact: false }).last().waitFor();
await accessible(olivia, "applicant");
// Whoever comes back finds the own review, to change it.
await olivia.reload();
await olivia.waitForFunction(() => document.querySelector("#comment")?.value === "Builds things" && document.querySelector("#score").value === "5");

// Another officer is faster: their decision is shown, and what was typed stays.
const robotics = (await call("olivia", "GET", "/clubs/robotics/applications/"))[0];
const of = `/clubs/robotics/applications/${robotics.id}`;
const [fatima] = await call("olivia", "GET", `${of}/submissions/?search=fatima`);
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { reason: "Seen by another officer" });
await olivia.getByLabel("Reason").fill("Two years of experience");
await olivia.getByRole("button", { name: "Save the decision" }).click();
await olivia.getByText("Another officer changed this decision meanwhile.").waitFor();
await olivia.waitForFunction(() => document.querySelector("#reason")?.value === "Seen by another officer");
await accessible(olivia, "decision-conflict");
await olivia.getByRole("button", { name: "Keep mine" }).click();
await olivia.getByRole("button", { name: "Save the decision" }).click();
await olivia.getByText("Saved.").waitFor();
await olivia.getByRole("button", { name: "Next", exact: true }).click();
await olivia.getByRole("button", { name: "Close", exact: true }).last().click();
await olivia.getByLabel(/^Choose: /).first().check();
await olivia.getByRole("button", { name: "Accepted", exact: true }).click();
await olivia.getByText("1 submission was changed.").waitFor();
await olivia.getByRole("link", { name: "Decision mails" }).click();
await heading(olivia, "Decision mails");
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByText(/mails? would be sent/).waitFor();
await olivia.locator("details").first().click();
await accessible(olivia, "mails");
// What changed after the preview is not sent.
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { reason: "Changed after the preview" });
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia.getByRole("status").filter({ hasText: /preview/ }).waitFor();
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia.getByText(/mails? (is|are) on/).waitFor();

// Two thousand submissions: only the rows that can be seen are in the document.
const many = 2000;
let made = 0;
await Promise.all(Array.from({ length: 16 }, async () => {
  while (made < many) {
    const name = `many${made++}`;
    await call(name, "POST", `${path}/submissions/`, { committee: null, responses: [] });
  }
}));
await olivia.goto(`${origin}${path.replace("/clubs/", "/clubs/")}/`);
await olivia.getByText(/^20\d\d submissions$/).waitFor({ timeout: 60_000 });
const region = olivia.getByRole("region", { name: "Submissions" });
for (const share of [0, 0.5, 1]) {
  await region.evaluate((box, share) => (box.scrollTop = share * box.scrollHeight), share);
  await olivia.waitForTimeout(50);
  const count = await region.locator("tbody tr:not([aria-hidden])").count();
  assert.ok(count > 10 && count < 60, `${count} rows`);
}
await accessible(olivia, "submissions-2000");

// The first page is small, and the page knows what it does not have.
const first = await windowOf();
let bytes = 0;
const client = await first.context().newCDPSession(first);
await client.send("Network.enable");
client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
await first.goto(origin);
await heading(first, "Clubs");
await first.waitForLoadState("networkidle");
assert.ok(bytes < 120_000, `the first page has ${bytes} bytes`);
await first.goto(`${origin}/nowhere/`);
await heading(first, "There is no such page");

await browser.close();
assert.deepEqual(problems, []);
console.log(`The site works; the first page has ${bytes} bytes.`);
