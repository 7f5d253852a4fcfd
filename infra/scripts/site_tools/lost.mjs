// A network that loses requests and answers, while somebody leaves a form and comes back: nothing
// older is written over what was typed last, and nothing is said to be lost that was received.

import assert from "node:assert/strict";
import { PHONE, call, heading, openForm, origin, saved, signInAs, windowOf } from "./lib.mjs";

const [open] = await call("olivia", "GET", "/clubs/robotics/applications/");
const path = `/clubs/robotics/apply/${open.id}/`;
const draft = `/clubs/robotics/applications/${open.id}/draft/`;
const page = await windowOf({ viewport: PHONE });
page.on("dialog", (dialog) => dialog.accept());
await page.setViewportSize({ width: 1280, height: 800 });
await page.goto(origin + path);
await signInAs(page, "lost.leo", "Lost Leo");
await page.setViewportSize(PHONE);
await openForm(page, path);
const answer = page.locator("textarea").first();

// Requests are lost: who leaves the form and comes back goes on with what they typed.
const writes = (route) => (route.request().method() === "PATCH" ? route.abort() : route.continue());
await page.route("**/draft/**", writes);
await answer.fill("A");
await page.waitForTimeout(1500);
await page.goBack();
await page.waitForFunction(() => !document.querySelector("textarea"));
await page.goForward();
await page.waitForFunction(() => document.querySelector("textarea")?.value === "A");
await answer.fill("AB");
await page.unroute("**/draft/**", writes);
await saved(page);
// What the form tried to save before it was left would have been sent by now.
await page.waitForTimeout(9000);
await page.reload();
await page.waitForFunction(() => document.querySelector("textarea")?.value === "AB");
const stored = async () => (await call("lost.leo", "GET", draft)).responses[0].text;
assert.equal(await stored(), "AB");
assert.equal(await page.getByText("Another tab or device saved").count(), 0);

// It is being sent, without an answer: who leaves the form and comes back sees that, and then that
// it was received.
await page.getByRole("button", { name: "Check and send" }).click();
const sends = (route) => (route.request().method() === "POST" ? route.abort() : route.continue());
await page.route("**/submissions/", sends);
await page.getByRole("button", { name: "Send application" }).click();
await page.getByRole("button", { name: "Stop sending" }).waitFor();
await page.goBack();
await page.goBack();
await page.getByRole("button", { name: /^No committee/ }).waitFor();
await page.goForward();
await page.goForward();
await page.getByRole("button", { name: "Stop sending" }).waitFor();
await page.unroute("**/submissions/", sends);
page.setDefaultTimeout(45_000);
await heading(page, "Your application was sent");
await page.getByText("AB").first().waitFor({ state: "attached" });

// It is received, but every answer is lost: whoever stops the sending is told what is true.
await page.getByRole("button", { name: "Change answers" }).click();
await answer.fill("ABC");
await saved(page);
await page.getByRole("button", { name: "Check and send" }).click();
let received = 0;
await page.route("**/submissions/", async (route) => {
  if (route.request().method() !== "POST") return route.continue();
  await route.fetch();
  received += 1;
  await route.abort();
});
await page.getByRole("button", { name: "Send application" }).click();
await page.getByRole("button", { name: "Stop sending" }).click();
await heading(page, "Your application was sent");
assert.ok(received > 0);
const [own] = await call("lost.leo", "GET", "/submissions/");
assert.equal(own.responses[0].text, "ABC");
await page.context().close();
