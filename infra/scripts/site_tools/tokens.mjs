// Tokens: an owner makes one, a program uses it, and the owner ends it.

import assert from "node:assert/strict";
import { accessible, call, heading, origin, signIn, windowOf } from "./lib.mjs";

const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/settings/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Tokens for programs" }).click();
await heading(olivia, "Tokens for programs");
await olivia.getByText("You have no tokens.").waitFor();
// What is missing is said beside its field.
await olivia.getByRole("button", { name: "Create the token" }).click();
await olivia.getByText(/tick at least one thing/).waitFor();
await olivia.getByLabel("Name", { exact: true }).fill("Nightly export");
await olivia.getByLabel("see members, requests and invitations").check();
await olivia.getByLabel("Club", { exact: true }).selectOption({ label: "Debating Union" });
await accessible(olivia, "tokens-new");
await olivia.getByRole("button", { name: "Create the token" }).click();
await olivia.getByText("Copy this token now. It is not shown again.").waitFor();
const token = (await olivia.locator("code", { hasText: /^clubs_/ }).textContent()) ?? "";
assert.match(token, /^clubs_[0-9A-Za-z]{40}$/);
await accessible(olivia, "tokens-made");

const asProgram = async (path) => {
  const answer = await fetch(origin + path, { headers: { Authorization: `Bearer ${token}` } });
  return answer.status;
};
assert.equal(await asProgram("/api/clubs/debate/members/"), 200);
assert.equal(await asProgram("/api/clubs/robotics/members/"), 403);
assert.equal(await asProgram("/api/clubs/debate/applications/"), 403);

// It is shown once, and nothing in the browser keeps it.
await olivia.reload();
await olivia.getByText(/Last used on \w+ \d+, \d{4}/).waitFor();
const kept = await olivia.evaluate(() =>
  JSON.stringify([document.body.textContent, { ...localStorage }, { ...sessionStorage }]),
);
assert.ok(!kept.includes(token));
await accessible(olivia, "tokens-list");
await olivia.getByRole("button", { name: "End: Nightly export" }).click();
await olivia.getByText("You have no tokens.").waitFor();
assert.equal(await asProgram("/api/clubs/debate/members/"), 401);

// If the answer is lost, a repeat does not have the text. The page says so, and makes no second.
await olivia.route(
  "**/api/settings/tokens/",
  async (route) => {
    await route.fetch();
    await route.abort();
  },
  { times: 1 },
);
await olivia.getByLabel("Name", { exact: true }).fill("Lost");
await olivia.getByLabel("see members, requests and invitations").check();
await olivia.getByRole("button", { name: "Create the token" }).click();
await olivia.getByText("The text of “Lost” got lost on the way.", { exact: false }).waitFor();
assert.equal((await call("olivia", "GET", "/settings/tokens/")).length, 1);
await olivia.close();
