// One session for all tabs, and addresses that lead nowhere else.

import assert from "node:assert/strict";
import {
  PHONE,
  accessible,
  call,
  heading,
  origin,
  problems,
  saved,
  signIn,
  signInAs,
  windowOf,
} from "./lib.mjs";

const tab = await windowOf();
tab.on("dialog", (dialog) => dialog.accept());
await tab.goto(`${origin}/settings/`);
await signInAs(tab, "tabby", "Tabby Tabs");
await heading(tab, "Settings");
// A new tab, such as behind a link of a mail, is signed in; so is one that opens later.
const other = await tab.context().newPage();
await other.goto(`${origin}/settings/`);
await heading(other, "Settings");
// Both renew the session without ending that of the other.
await tab.evaluate(() => {
  localStorage.session = JSON.stringify({
    ...JSON.parse(localStorage.session),
    token: "ended",
    ends: 0,
  });
});
await Promise.all([tab.reload(), other.reload()]);
await Promise.all([heading(tab, "Settings"), heading(other, "Settings")]);
await other.getByText("tabby@uni.example").waitFor();
// Signing out in one tab signs out the other, and leaves nothing that was typed.
await tab.evaluate(() =>
  localStorage.setItem(`typed ${JSON.parse(localStorage.session).person} x/1 2`, "{}"),
);
await tab.getByRole("button", { name: "Sign out" }).click();
await other.getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
assert.deepEqual(
  await tab.evaluate(() => Object.keys(localStorage).filter((name) => /typed|session/.test(name))),
  [],
);

// When somebody else signs in, a form that is open in another tab takes nothing along.
const [form] = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/apply/${form.id}/?committee=none`;
await tab.goto(origin + path);
await signInAs(tab, "first.one", "First One");
await other.getByText("First One").first().waitFor();
await other.goto(origin + path);
await other.route("**/draft/**", (route) =>
  route.request().method() === "PATCH" ? route.abort() : route.continue(),
);
await other.locator("textarea").first().fill("of the first one");
await other.getByText("Kept on this device").first().waitFor();
await tab.getByRole("button", { name: "Sign out" }).click();
await other.getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
await other.unroute("**/draft/**");
await signInAs(tab, "second.one", "Second One");
await other.getByText("Second One").first().waitFor();
await other.goto(origin + path);
await other.locator("textarea").first().waitFor();
await other.waitForTimeout(1500);
assert.equal(await other.locator("textarea").first().inputValue(), "");
assert.equal(
  await other.evaluate(() =>
    Object.entries(localStorage).flat().join().includes("of the first one"),
  ),
  false,
);
await tab.getByRole("button", { name: "Sign out" }).click();
await other.getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
await tab.getByRole("button", { name: "Sign in", exact: true }).first().waitFor();

// An address with an encoded path in it does nothing, whoever opens it.
await tab.goto(origin);
await signIn(tab, "Olivia Marsh");
const [open] = await call("olivia", "GET", "/clubs/debate/applications/");
const count = async () => (await call("olivia", "GET", "/clubs/debate/applications/")).length;
const before = await count();
const asked = [];
tab.on(
  "request",
  (request) => request.url().includes("/api/") && asked.push(new URL(request.url()).pathname),
);
await tab.goto(`${origin}/join/debate/..%2Fapplications%2F${open.id}%2Fduplicate%2F%3F/x/`);
await heading(tab, "There is no such page");
assert.equal(await count(), before);
assert.deepEqual(
  asked.filter((path) => path.includes("duplicate")),
  [],
);

// Wrong addresses and pages that fail have a message and a way on.
await tab.goto(`${origin}/events/?view=month&month=999999-01`);
await tab.getByRole("table").waitFor();
await tab.goto(`${origin}/admin/lists/?kind=toString`);
await heading(tab, "Not for you");
await tab.goto(`${origin}/clubs/nothing-here/`);
await heading(tab, "There is no such page");
assert.equal(await tab.getByRole("button", { name: "Try again" }).count(), 0);
await accessible(tab, "not-found");
await tab.route("**/api/clubs/chess/", (route) => route.fulfill({ json: { name: 1 } }));
await tab.goto(`${origin}/clubs/chess/`);
await heading(tab, "This page cannot be shown");
await accessible(tab, "broken");
await tab.getByRole("link", { name: "Home", exact: true }).last().click();
await heading(tab, /olivia$/i);
// A file that is not there is not the page.
for (const path of ["/favicon.png", "/nowhere/", "/clubs/chess/nowhere/"]) {
  assert.equal(
    (await fetch(origin + path, { headers: { Accept: "text/html" } })).status,
    404,
    path,
  );
}

// What another device has typed is shown, and sent, by a form that was open before.
const [first, second] = [await windowOf(), await windowOf()];
for (const page of [first, second]) {
  await page.goto(origin + path);
  await signInAs(page, "two.devices", "Two Devices");
  await page.locator("textarea").first().waitFor();
}
await first.locator("textarea").first().fill("an essay of the laptop");
await saved(first);
await second.setViewportSize(PHONE);
assert.equal(await second.locator("textarea").first().inputValue(), "");
await second.getByRole("button", { name: "Check and send" }).click();
await second.getByText("Another tab or device has saved answers since").waitFor();
await second.getByText("an essay of the laptop").waitFor();
await accessible(second, "form-merged");

// What was created is told on the page that follows.
const maker = await windowOf();
await maker.goto(`${origin}/new-club/`);
await signInAs(maker, "maker", "Mara Maker");
await maker.getByLabel("Name", { exact: true }).fill("Kite Flyers");
await maker.getByRole("button", { name: "Create the club" }).click();
await heading(maker, "Edit the club");
await maker.getByText("The club was created.").waitFor();
problems.splice(0, problems.length, ...problems.filter((text) => !text.includes("name")));
