// Pages change at once, also with transitions; a second tap presses nothing; and of two tabs, the
// one that is behind replaces nothing.

import assert from "node:assert/strict";
import {
  PHONE,
  WIDE,
  call,
  heading,
  openForm,
  origin,
  sendForm,
  signInAs,
  windowOf,
} from "./lib.mjs";

// Transitions are on, as for most people. All other stories are without them.
const page = await windowOf({ viewport: PHONE, reducedMotion: "no-preference", hasTouch: true });
await page.goto(`${origin}/clubs/`);
await heading(page, "Clubs");
const began = Date.now();
for (const name of ["Events", "Clubs", "Events"]) {
  await page.getByRole("link", { name, exact: true }).last().click();
  await heading(page, name);
}
const took = Date.now() - began;
assert.ok(took < 3000, `three pages took ${took} ms`);
// A second tap on a link is no second page.
const link = page.getByRole("link", { name: "Clubs", exact: true }).last();
await link.dblclick();
await heading(page, "Clubs");
await page.goBack();
await heading(page, "Events");

// Two taps on the button that leads to the last look send nothing.
const [form] = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/apply/${form.id}/`;
await page.setViewportSize(WIDE);
await page.goto(`${origin}/settings/`);
await signInAs(page, "nora.new", "Nora New");
await page.setViewportSize(PHONE);
await openForm(page, path);
await page.locator("textarea").first().fill("one");
await page.getByText("Saved").first().waitFor();
const check = await page.getByRole("button", { name: "Check and send" }).boundingBox();
const [x, y] = [check.x + check.width / 2, check.y + check.height / 2];
await page.touchscreen.tap(x, y);
await page.waitForTimeout(200);
await page.touchscreen.tap(x, y);
await page.getByRole("heading", { name: "Check your answers" }).waitFor();
await page.waitForTimeout(500);
assert.deepEqual(await call("nora.new", "GET", "/submissions/"), []);
await page.getByRole("button", { name: "Back to the questions" }).click();
await sendForm(page);
await heading(page, "Your application was sent");

// Another device sends a better answer. This tab, still open, is told before it replaces it.
await openForm(page, path);
const other = await (await windowOf()).context().newPage();
await other.goto(`${origin}/settings/`);
await signInAs(other, "nora.new", "Nora New");
await openForm(other, path);
await other.locator("textarea").first().fill("one, much better");
await other.getByText("Saved").first().waitFor();
await sendForm(other);
await heading(other, "Your application was sent");
await page.getByLabel(/proud of/).fill("two");
await page.getByRole("button", { name: "Check and send" }).click();
await page.getByRole("button", { name: "Send application" }).click();
await page.getByText("You have sent or withdrawn somewhere else").waitFor();
const first = page.locator("textarea").first();
assert.equal(await first.inputValue(), "one, much better");
assert.equal(await page.getByLabel(/proud of/).inputValue(), "two");
await sendForm(page);
await heading(page, "Your application was sent");
const [sent] = await call("nora.new", "GET", "/submissions/");
assert.deepEqual(
  [sent.revision, ...sent.responses.map((one) => one.text)],
  [3, "one, much better", "two"],
);

// A sending of this page that got no answer is not taken for another tab.
await page.getByRole("button", { name: "Change answers" }).click();
await page.locator("textarea").first().fill("unheard");
await page.getByText("Saved").first().waitFor();
let isLost = false;
await page.route(/\/submissions\/$/, async (route) => {
  if (route.request().method() === "POST" && !isLost) await route.fetch();
  isLost = true;
  await route.abort();
});
await page.getByRole("button", { name: "Check and send" }).click();
await page.getByRole("button", { name: "Send application" }).click();
await page.getByRole("button", { name: "Stop sending" }).click();
await page.getByRole("button", { name: "Send application", disabled: false }).waitFor();
await page.unroute(/\/submissions\/$/);
await page.getByRole("button", { name: "Back to the questions" }).click();
await page.locator("textarea").first().fill("heard");
await page.getByText("Saved").first().waitFor();
await sendForm(page);
await heading(page, "Your application was sent");
const [last] = await call("nora.new", "GET", "/submissions/");
assert.deepEqual([last.revision, last.responses[0].text], [5, "heard"]);
