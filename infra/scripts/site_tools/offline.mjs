// Without a network: the site opens, a form that was opened can be filled, and what was typed is
// sent when the network is back. Somebody else sees nothing of it.

import assert from "node:assert/strict";
import { PHONE, call, heading, openForm, origin, saved, signInAs, windowOf } from "./lib.mjs";

const [open] = await call("olivia", "GET", "/clubs/robotics/applications/");
const path = `/clubs/robotics/apply/${open.id}/`;
const phone = await windowOf({ viewport: PHONE, serviceWorkers: "allow" });
phone.on("dialog", (dialog) => dialog.accept());
await phone.setViewportSize({ width: 1280, height: 800 });
await phone.goto(origin + path);
await signInAs(phone, "offline", "Offline Student");
await openForm(phone, path);
const answer = phone.locator("textarea").first();
await answer.fill("typed");
await saved(phone);
await phone.reload();
await phone.waitForFunction(() => document.querySelector("textarea")?.value === "typed");
// What is saved after the page was opened is remembered, too.
await answer.fill("typed with a network");
await saved(phone);
await phone.evaluate(() => navigator.serviceWorker.ready.then(() => true));

await phone.context().setOffline(true);
await phone.reload();
await phone.getByText(/There is no network|cannot be reached/).waitFor();
await phone.waitForFunction(
  () => document.querySelector("textarea")?.value === "typed with a network",
  null,
  { timeout: 60_000 },
);
await answer.fill("typed without a network");
await phone.getByText("Kept on this device").first().waitFor();
let next = await phone.context().newPage();
await phone.close();
await next.goto(origin + path + "?committee=none");
await next.waitForFunction(
  () => document.querySelector("textarea")?.value === "typed without a network",
  null,
  { timeout: 60_000 },
);
await next.context().setOffline(false);
next.setDefaultTimeout(45_000);
await saved(next);
const draft = await call("offline", "GET", `/clubs/robotics/applications/${open.id}/draft/`);
assert.equal(draft.responses[0].text, "typed without a network");
// The tab is closed while the application waits for a network: the next one says so, and sends it.
const send = async (page) => {
  await page.getByRole("button", { name: "Check and send" }).first().click();
  await page.getByRole("button", { name: "Send application" }).click();
};
await next.context().setOffline(true);
await send(next);
await next.getByText("Next try in").first().waitFor();
const closed = next;
next = await closed.context().newPage();
next.setDefaultTimeout(45_000);
await closed.close();
await next.goto(origin + path + "?committee=none");
await next.getByText("Sending was interrupted").waitFor();
await next.context().setOffline(false);
await next.goto(`${origin}/applications/`);
await next.getByText("Sending was interrupted").waitFor();
await next.goto(origin + path + "?committee=none");
await send(next);
await heading(next, "Your application was sent");
assert.equal((await call("offline", "GET", "/submissions/")).length, 1);
await next.context().setOffline(true);
await next.getByRole("button", { name: "Change" }).click();
await next.getByText("Sent", { exact: true }).first().waitFor();
await next.context().setOffline(false);
// A list that was remembered is asked for as soon as there is a network.
await next.goto(`${origin}/applications/`);
await next.getByText("Autumn recruitment").first().waitFor();
await next.context().setOffline(true);
await next.reload();
const withdraw = next.getByRole("button", { name: "Withdraw" });
await withdraw.waitFor();
const [own] = await call("offline", "GET", "/submissions/");
await call("offline", "DELETE", `/submissions/${own.id}/`);
await next.context().setOffline(false);
await withdraw.waitFor({ state: "detached" });

// Signing out leaves nothing of the person in the browser, and what is there opens no page of
// theirs.
await next.setViewportSize({ width: 1280, height: 800 });
next.on("dialog", (dialog) => dialog.accept());
await next.getByRole("button", { name: "Sign out" }).click();
await next.getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
await next.waitForFunction(
  async () => !(await caches.keys()).some((name) => name.startsWith("seen")),
);
await next.context().setOffline(true);
await next.goto(`${origin}/applications/`);
await heading(next, "Sign in");
assert.equal(await next.getByText("typed without").count(), 0);
await next.context().close();
