// Slow networks, several tabs, ended sessions: nothing that was typed is lost, and nothing of
// others is overwritten unseen.

import assert from "node:assert/strict";
import {
  accessible,
  call,
  heading,
  openForm,
  origin,
  saved,
  sendForm,
  sessionMayEnd,
  signIn,
  signInAs,
  windowOf,
} from "./lib.mjs";

/** Lets requests of a method to some paths take this long. */
const slow = (page, path, method, ms) =>
  page.route(path, async (route) => {
    if (route.request().method() === method) await new Promise((done) => setTimeout(done, ms));
    await route.continue();
  });

// A slow network: who types on while an answer is being saved meets no conflict, and all is saved.
const [open] = await call("olivia", "GET", "/clubs/robotics/applications/");
const path = `/clubs/robotics/apply/${open.id}/`;
const sam = await windowOf();
sam.on("dialog", (dialog) => dialog.accept());
await sam.goto(origin + path);
await signInAs(sam, "slow.sam", "Slow Sam");
await openForm(sam, path);
const answer = sam.locator("textarea").first();
await slow(sam, "**/draft/**", "PATCH", 1200);
for (const more of ["I ", "build ", "robots"]) {
  await answer.pressSequentially(more);
  await sam.waitForTimeout(900);
}
await saved(sam);
assert.equal(await sam.getByText("Another tab or device saved").count(), 0);
await sam.unroute("**/draft/**");
await sam.reload();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I build robots");

// While a conflict is open, typing on saves nothing over the answer of the other tab.
const id = Number((await answer.getAttribute("id")).slice(1));
const draft = `/clubs/robotics/applications/${open.id}/draft/`;
const version = async () =>
  (await call("slow.sam", "GET", draft)).responses.find((one) => one.question === id);
await call("slow.sam", "PATCH", draft, {
  responses: [
    {
      question: id,
      text: "Of another tab",
      multiple_choice: null,
      version: (await version()).version,
    },
  ],
});
await answer.fill("Of this tab");
await sam.getByText("Another tab or device saved").waitFor();
await answer.pressSequentially(", longer");
await sam.waitForTimeout(1500);
assert.equal((await version()).text, "Of another tab");
await sam.getByRole("button", { name: "Take this one" }).click();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "Of another tab");
await saved(sam);

// After it was sent, the first change begins a new draft, and meets no conflict.
await sendForm(sam);
await sam.getByRole("button", { name: "Change answers" }).click();
await answer.fill("Changed after it was sent");
await saved(sam);
assert.equal(await sam.getByText("Another tab or device saved").count(), 0);

// A draft that cannot be loaded is no empty form.
await sam.route("**/draft/**", (route) =>
  route.request().method() === "GET"
    ? route.fulfill({ status: 400, json: { detail: "Broken." } })
    : route.continue(),
);
await sam.reload();
await sam.getByRole("button", { name: "Try again" }).waitFor();
assert.equal(await sam.getByRole("button", { name: "Check and send" }).count(), 0);
await sam.unroute("**/draft/**");
await sam.getByRole("button", { name: "Try again" }).click();
await sam.waitForFunction(
  () => document.querySelector("textarea")?.value === "Changed after it was sent",
);

// What belongs to officers and admins is shown to them alone.
for (const path of [
  "/admin/",
  "/admin/lists/",
  "/admin/import/",
  "/clubs/robotics/manage/",
  "/clubs/robotics/recruitment/",
  "/clubs/robotics/links/",
  "/clubs/robotics/edit/",
  "/clubs/robotics/events/new/",
  "/clubs/robotics/applications/new/",
]) {
  await sam.goto(origin + path);
  await sam.getByText("You may not see this.").waitFor();
  assert.equal(await sam.locator("main form, main input").count(), 0, path);
}
await accessible(sam, "not-allowed");
await sam.goto(`${origin}/clubs/nothing-here/`);
await heading(sam, "There is no such page");
await sam.goto(`${origin}/clubs/%E0%A4%A/`);
await heading(sam, "There is no such page");

// An old answer to a search is not shown after a newer one.
await sam.goto(`${origin}/clubs/`);
await sam.route(/search=r(&|$)/, async (route) => {
  await new Promise((done) => setTimeout(done, 1500));
  await route.continue();
});
await sam.getByRole("searchbox", { name: "Search" }).pressSequentially("r");
await sam.waitForTimeout(400);
await sam.getByRole("searchbox", { name: "Search" }).pressSequentially("obotics soc");
await sam.getByText("1 club", { exact: true }).waitFor();
await sam.waitForTimeout(1600);
await sam.getByText("1 club", { exact: true }).waitFor();
await sam.getByRole("link", { name: "Clubs", exact: true }).click();
await sam.waitForFunction(() => document.querySelector("#search")?.value === "");

// A form: Enter stores it; what is typed meanwhile, and after the session ended, stays.
const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/robotics/edit/`);
await signIn(olivia, "Olivia Marsh");
await heading(olivia, "Edit the club");
const subtitle = olivia.getByLabel("What it is, in one line");
// What was stored stays in the field until it is loaded again, and typing goes on from it.
await slow(olivia, "**/api/clubs/robotics/", "GET", 1500);
await subtitle.fill("By day");
const stored = olivia.waitForResponse((answer) => answer.request().method() === "PATCH");
await olivia.getByRole("button", { name: "Save", exact: true }).click();
await stored;
for (let tries = 0; tries < 5; tries++) {
  await olivia.waitForTimeout(100);
  assert.equal(await subtitle.inputValue(), "By day");
}
await subtitle.press("End");
await subtitle.pressSequentially(" and night");
await olivia.getByText("Saved.").waitFor();
assert.equal(await subtitle.inputValue(), "By day and night");
assert.equal(await olivia.locator(".conflict").count(), 0);
await olivia.unroute("**/api/clubs/robotics/");
await olivia.getByRole("button", { name: "Discard changes" }).click();
assert.equal(await subtitle.inputValue(), "By day");
await olivia.reload();
await heading(olivia, "Edit the club");
await slow(olivia, "**/api/clubs/robotics/", "PATCH", 1000);
await subtitle.fill("Robots");
await subtitle.press("Enter");
await olivia.waitForTimeout(200);
await subtitle.fill("Robots and more");
await olivia.getByText("Saved.").waitFor();
assert.equal(await subtitle.inputValue(), "Robots and more");
assert.equal((await call("olivia", "GET", "/clubs/robotics/")).subtitle, "Robots");
await olivia.unroute("**/api/clubs/robotics/");

sessionMayEnd(true);
await olivia.route("**/api/clubs/robotics/", (route) =>
  route.request().method() === "PATCH"
    ? route.fulfill({ status: 401, json: {} })
    : route.continue(),
);
await olivia.route("**/local/oauth/token", (route) =>
  route.fulfill({ status: 400, json: { error: "invalid_grant" } }),
);
await subtitle.press("Enter");
await olivia.getByText("Your session has ended.").waitFor();
await olivia.getByLabel("E-mail of the club").fill("robots@uni.example");
await olivia.unroute("**/api/clubs/robotics/");
await olivia.unroute("**/local/oauth/token");
await signIn(olivia, "Olivia Marsh");
await olivia.waitForFunction(
  () => document.querySelector('[id$="-subtitle"]')?.value === "Robots and more",
);
assert.equal(await olivia.getByLabel("E-mail of the club").inputValue(), "robots@uni.example");
sessionMayEnd(false);

// What was kept in the tab does not overwrite what somebody else stored meanwhile.
await call("olivia", "PATCH", "/clubs/robotics/", { subtitle: "By another officer" });
await olivia.reload();
await olivia.getByRole("alert").getByText("By another officer").waitFor();
await olivia.getByRole("button", { name: "Take this one" }).click();
assert.equal(await subtitle.inputValue(), "By another officer");
// The bar with the message can be seen from the end of a long page.
await olivia.getByRole("button", { name: "Save", exact: true }).click();
const bar = await olivia.getByText("Saved.").boundingBox();
assert.ok(bar && bar.y >= 0 && bar.y < 800, `the message is at ${bar?.y}`);

// A description, too: the version that is taken is shown at once, and typing goes on from it.
const about = olivia.getByRole("textbox", { name: "Description" });
await about.press("End");
await about.pressSequentially(" We meet on Mondays.");
await call("olivia", "PATCH", "/clubs/robotics/", { description: "<p>By another officer.</p>" });
await olivia.getByRole("button", { name: "Save", exact: true }).click();
await olivia.getByRole("alert").getByText("By another officer.").waitFor();
await olivia.getByRole("button", { name: "Take this one" }).click();
await olivia.waitForFunction(
  () => document.querySelector('[id$="-description"]')?.textContent === "By another officer.",
);

// Whoever presses a button again, because nobody answered, makes no second thing.
await olivia.goto(`${origin}/clubs/robotics/events/new/`);
await olivia.getByLabel("Name", { exact: true }).fill("Robot night");
let unanswered = 4;
await olivia.route("**/api/clubs/robotics/events/", async (route) => {
  if (route.request().method() !== "POST" || unanswered-- <= 0) return route.continue();
  await route.fetch();
  return route.abort();
});
await olivia.getByRole("button", { name: "Create the event" }).click();
await olivia.getByText("The service cannot be reached. Please try again.").waitFor();
await olivia.getByRole("button", { name: "Create the event" }).click();
await olivia.waitForURL(/robotics\/events\/\d+\/$/);
const nights = async () => {
  const events = await call("olivia", "GET", "/clubs/robotics/events/");
  return events.filter((event) => event.name === "Robot night").length;
};
assert.equal(await nights(), 1);
// After an answer, the same once more is meant.
await olivia.getByRole("link", { name: "Events", exact: true }).first().click();
await olivia.getByRole("link", { name: "New event" }).click();
await olivia.getByLabel("Name", { exact: true }).fill("Robot night");
await olivia.getByRole("button", { name: "Create the event" }).click();
await olivia.waitForURL(/robotics\/events\/\d+\/$/);
assert.equal(await nights(), 2);
await olivia.goto(`${origin}/clubs/robotics/edit/`);

// In German, what the API says is German too.
await olivia.locator("footer select").selectOption("de");
await olivia.getByLabel("Name", { exact: true }).fill("");
await olivia.getByRole("button", { name: "Speichern", exact: true }).click();
await olivia.getByRole("alert").getByText("Dieses Feld darf nicht leer sein.").waitFor();
await olivia.getByRole("button", { name: "Änderungen verwerfen" }).click();

// Whoever is being erased reads that on each page, and may try again.
sessionMayEnd(true);
const erased = await windowOf();
await erased.goto(`${origin}/settings/`);
await signInAs(erased, "erased.one", "Erased One");
await call("erased.one", "DELETE", "/settings/");
await erased.goto(`${origin}/settings/`);
await erased.getByText("Your account is being erased.").first().waitFor();
await accessible(erased, "erasing");
await erased.getByRole("button", { name: "Try again", exact: true }).first().waitFor();
await erased.close();
sessionMayEnd(false);
