// Files: somebody uploads a CV on a phone with a network that fails, and an officer opens it.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  PHONE,
  accessible,
  call,
  heading,
  origin,
  saved,
  sendForm,
  signIn,
  windowOf,
} from "./lib.mjs";

const soon = (hours) =>
  new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z/, "Z");
const made = await call("olivia", "POST", "/clubs/debate/applications/", {
  name: "With a CV",
  is_active: true,
  application_start_time: soon(-1),
  application_end_time: soon(2),
  result_release_time: soon(3),
  acceptance_email: "<p>Yes</p>",
  rejection_email: "<p>No</p>",
});
const base = `/clubs/debate/applications/${made.id}/`;
await call("olivia", "POST", `${base}questions/`, {
  question_type: 5,
  prompt: "Your CV",
  required: true,
  max_mb: 1,
});

const file = async (name, bytes) => {
  const path = join(tmpdir(), name);
  await writeFile(path, bytes);
  return path;
};
const pdf = (size) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(size, " ")]);

const phone = await windowOf({ viewport: PHONE });
phone.on("dialog", (dialog) => dialog.accept());
await phone.goto(`${origin}/clubs/debate/`);
await phone.getByRole("button", { name: "Sign in", exact: true }).first().click();
await phone.getByLabel("User name").fill("filer");
await phone.getByLabel("Name", { exact: true }).fill("Fay Filer");
await phone.getByRole("button", { name: "Sign in", exact: true }).click();
await heading(phone, "Debating Union");
await phone.goto(`${origin}/clubs/debate/apply/${made.id}/`);
await phone.getByText("PDF, at most 1 MB.").waitFor();
const choose = async (path) => phone.locator('input[type="file"]').setInputFiles(path);
await accessible(phone, "form-file");
// What does not fit is said before it is sent.
await choose(await file("picture.pdf", "no document"));
await phone.getByText("This is another kind of file.").waitFor();
await choose(await file("large.pdf", pdf(1_100_000)));
await phone.getByText("This file is too large.").waitFor();
await choose(await file("empty.pdf", ""));
await phone.getByText("This file is empty.").waitFor();

// It is not forgotten on the way to the last page.
await phone.getByRole("button", { name: "Check and send" }).click();
await phone.getByRole("alert").getByText("This file is empty.").waitFor();
await phone.getByRole("button", { name: "Back to the questions" }).click();
await phone.getByRole("button", { name: "Go on without it" }).click();
await phone.getByText("This file is empty.").waitFor({ state: "detached" });

// The network fails twice; then a new address is asked for.
let failures = 2;
let offline = 2;
const ids = [];
await phone.route("**/files/", async (route) => {
  if (route.request().method() !== "POST") return route.continue();
  if (route.request().url().includes("/api/")) {
    // The network is gone for the API too.
    if (offline-- > 0) return route.abort();
    const response = await route.fetch();
    ids.push((await response.json()).id);
    return route.fulfill({ response });
  }
  return failures-- > 0 ? route.abort() : route.continue();
});
await choose(await file("cv.pdf", pdf(200_000)));
await phone.getByText(/The network does not answer/).waitFor();
await accessible(phone, "form-file-again");
// What is still on its way is not left out of what is sent.
await phone.getByRole("button", { name: "Check and send" }).click();
await phone.getByRole("alert").getByText("This file is still on its way.").waitFor();
await phone.getByRole("button", { name: "Back to the questions" }).click();
await phone.getByText("cv.pdf (200 KB)").waitFor({ timeout: 60_000 });
assert.equal(ids.length, 3);
await saved(phone);
// All tries are one file, so that none of them takes a place of the quota.
assert.equal(new Set(ids).size, 1);
// It is there after a reload, and can be removed and replaced.
await phone.reload();
await phone.getByText("cv.pdf (200 KB)").waitFor();
await phone.getByRole("button", { name: /^Remove/ }).click();
await phone.getByText("cv.pdf (200 KB)").waitFor({ state: "detached" });
await choose(await file("Lebenslauf.pdf", pdf(100_000)));
await phone.getByText("Lebenslauf.pdf (100 KB)").waitFor();
await saved(phone);
await sendForm(phone);
await accessible(phone, "form-file-sent");

// Two tabs: whoever is late sees the names, and chooses.
const other = await phone.context().newPage();
for (const page of [phone, other]) {
  await page.goto(`${origin}/clubs/debate/apply/${made.id}/`);
  await page.getByText("Lebenslauf.pdf (100 KB)").waitFor();
}
await other.locator('input[type="file"]').setInputFiles(await file("second.pdf", pdf(120_000)));
await other.getByText("second.pdf (120 KB)").waitFor();
await saved(other);
await choose(await file("third.pdf", pdf(130_000)));
await phone.getByRole("alert").getByText("second.pdf (120 KB)").waitFor();
await accessible(phone, "form-file-conflict");
await phone.getByRole("button", { name: "Keep mine" }).click();
await saved(phone);
await other.close();
await sendForm(phone);

// An officer sees the name, opens it with a key, and stores all of them.
const olivia = await windowOf({ acceptDownloads: true });
await olivia.goto(origin + base);
await signIn(olivia, "Olivia Marsh");
// The page on which the questions are made shows the question, and tries it without sending.
await olivia.getByRole("link", { name: "Edit", exact: true }).click();
await olivia.getByText("Show the form. Nothing is sent.").click();
await olivia.locator('input[type="file"]').setInputFiles(await file("cv.pdf", pdf(1000)));
await olivia.getByText("A file", { exact: true }).waitFor();
await accessible(olivia, "builder-file");
await olivia.goto(origin + base);
const all = olivia.waitForEvent("download");
await olivia.getByText("Save", { exact: true }).click();
await olivia.getByRole("button", { name: "Download 1 file" }).click();
assert.equal((await all).suggestedFilename(), "Fay Filer – third.pdf");
await olivia.getByRole("link", { name: "Fay Filer" }).click();
await heading(olivia, "Fay Filer");
await olivia.getByText("third.pdf (130 KB)").waitFor();
await accessible(olivia, "review-file");
const one = olivia.waitForEvent("download");
await olivia.keyboard.press("f");
assert.equal((await one).suggestedFilename(), "third.pdf");
await olivia.close();
await phone.close();
