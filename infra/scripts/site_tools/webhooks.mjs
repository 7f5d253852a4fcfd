// Webhooks: an owner makes one, tests it, switches it off and deletes it; an admin has a list too.

import assert from "node:assert/strict";
import { PHONE, accessible, heading, origin, signIn, windowOf } from "./lib.mjs";

const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/debate/edit/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Webhooks" }).click();
await heading(olivia, "Webhooks");
await olivia.getByText("There are no webhooks.").waitFor();
// What is wrong is said beside its field.
await olivia.getByLabel("Address").fill("https://10.0.0.1/hook");
await olivia.getByRole("button", { name: "Create the webhook" }).click();
await olivia.getByText("A webhook can only call a public address.").waitFor();
await olivia.getByText(/tick at least one kind of change/).waitFor();
await olivia.getByLabel("Address").fill("https://chat.invalid/hooks/7");
await olivia.getByLabel("Description").fill("The chat of the board");
await olivia.getByLabel("somebody applied").check();
await olivia.getByLabel("somebody asks to join").check();
await accessible(olivia, "webhooks-new");
await olivia.getByRole("button", { name: "Create the webhook" }).click();
await olivia.getByText(/Copy this secret now, for the program at chat.invalid/).waitFor();
const secret = (await olivia.locator("code", { hasText: /^whsec_/ }).textContent()) ?? "";
assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
await accessible(olivia, "webhooks-made");

// Nothing in the browser keeps the secret. A test of an address that nobody has gets no answer.
await olivia.reload();
await olivia.getByRole("button", { name: "Test: The chat of the board" }).click();
await olivia.getByText("No answer").waitFor();
const kept = await olivia.evaluate(() =>
  JSON.stringify([document.body.textContent, { ...localStorage }, { ...sessionStorage }]),
);
assert.ok(!kept.includes(secret));
await accessible(olivia, "webhooks-tested");
await olivia.setViewportSize(PHONE);
await accessible(olivia, "webhooks-phone");
await olivia.getByRole("button", { name: "Switch off" }).click();
await olivia.getByText("Off", { exact: true }).waitFor();
await olivia.getByRole("button", { name: "Delete: The chat of the board" }).click();
await olivia.getByText("There are no webhooks.").waitFor();
await olivia.close();
