// Interviews: an officer draws times into a week, somebody chooses one on a phone, and the officer
// notes who came.

import assert from "node:assert/strict";
import { PHONE, accessible, call, heading, mailTo, origin, signIn, windowOf } from "./lib.mjs";

const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/robotics/recruitment/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Interviews: Autumn recruitment" }).click();
await heading(olivia, "Interviews");
await olivia.getByText("1 of 1 booked").first().waitFor();
await accessible(olivia, "interviews");

// Times are drawn with the mouse, and the form has them.
const column = olivia.locator(".hours-of").nth(6);
await column.scrollIntoViewIfNeeded();
const box = await column.boundingBox();
assert.ok(box, "a column to draw in");
// The hours begin at eight.
const hour = box.height / 12;
await olivia.mouse.move(box.x + box.width / 2, box.y + hour);
await olivia.mouse.down();
await olivia.mouse.move(box.x + box.width / 2, box.y + 3 * hour, { steps: 4 });
await olivia.mouse.up();
await heading(olivia, "Interviews");
await olivia.getByRole("heading", { name: "New times" }).waitFor();
assert.match(await olivia.getByLabel("Start", { exact: true }).inputValue(), /T09:00$/);
assert.match(await olivia.getByLabel("End", { exact: true }).inputValue(), /T11:00$/);
await olivia.getByLabel("Place", { exact: true }).fill("https://meet.example/robots");
await accessible(olivia, "interviews-form");
const before = await olivia.locator(".grid-week .slot").count();
await olivia.getByRole("button", { name: "Save", exact: true }).click();
await olivia.waitForFunction(
  (n) => document.querySelectorAll(".grid-week .slot").length === n + 4,
  before,
);

// What is drawn is seen while it is drawn; a press on a free place is an hour.
await column.scrollIntoViewIfNeeded();
const again = await column.boundingBox();
assert.ok(again, "a column to draw in");
await olivia.mouse.move(again.x + again.width / 2, again.y + 4 * hour);
await olivia.mouse.down();
await olivia.mouse.move(again.x + again.width / 2, again.y + 5 * hour, { steps: 4 });
await column.locator(".drawn").waitFor();
await olivia.mouse.up();
await olivia.locator("section.card").getByRole("button", { name: "Close", exact: true }).click();
await column.click({ position: { x: again.width / 2, y: 6 * hour + 4 } });
assert.match(await olivia.getByLabel("Start", { exact: true }).inputValue(), /T14:00$/);
assert.match(await olivia.getByLabel("End", { exact: true }).inputValue(), /T15:00$/);
assert.equal(await olivia.getByLabel("Place", { exact: true }).inputValue(), "");

// An answer that is lost makes no second series: it is sent again with the same key.
const keys = [];
let isLost = true;
await olivia.route("**/slots/series/", async (route) => {
  keys.push(await route.request().headerValue("Idempotency-Key"));
  if (!isLost) return route.continue();
  await route.fetch();
  await route.abort();
});
// With a key: a second tap so soon at the same place would be taken for a double tap.
await olivia.getByRole("button", { name: "Save", exact: true }).press("Enter");
await olivia
  .getByText(/cannot be reached/)
  .first()
  .waitFor();
isLost = false;
await olivia.getByRole("button", { name: "Save", exact: true }).press("Enter");
await olivia.getByRole("heading", { name: "New times" }).waitFor({ state: "detached" });
assert.equal(new Set(keys).size, 1);
await olivia.waitForFunction(
  (n) => document.querySelectorAll(".grid-week .slot").length === n + 6,
  before,
);
await olivia.unroute("**/slots/series/");

// Somebody is moved to another time, and told.
const place = olivia.locator(".booking select").first();
await place.selectOption({ index: 1 });
await olivia.getByRole("button", { name: "Move", exact: true }).click();
await olivia.getByText(/^Moved\. /).waitFor();

// A time is dragged to another one. Those who have booked it are in the week.
await olivia.getByText(/^\d+ invited, \d+ booked, \d+ free$/).waitFor();
const free = olivia.locator(".grid-week .slot:not(.taken)").last();
await free.scrollIntoViewIfNeeded();
const sameName = olivia.getByRole("button", {
  name: (await free.getAttribute("aria-label")) ?? "",
  exact: true,
});
const same = await sameName.count();
const at = await free.boundingBox();
assert.ok(at, "a free time");
await olivia.mouse.move(at.x + at.width / 2, at.y + 6);
await olivia.mouse.down();
await olivia.mouse.move(at.x + at.width / 2, at.y + 6 - hour, { steps: 4 });
await olivia.mouse.up();
await olivia.getByText("The time was moved.").waitFor();
assert.equal(await sameName.count(), same - 1);
await olivia
  .locator(".grid-week .taken")
  .filter({ hasText: /[A-Z][a-z]+/ })
  .first()
  .waitFor();

// Who came is noted when the interview has begun, and taken back by the same button.
const [recruiting] = await call("olivia", "GET", "/clubs/robotics/applications/");
const ofForm = `/clubs/robotics/applications/${recruiting.id}`;
const [someone] = await call("olivia", "GET", `${ofForm}/submissions/?interview=none`);
const minutes = (n) => new Date(Date.now() + n * 60_000).toISOString();
const begun = await call("olivia", "POST", `${ofForm}/slots/`, {
  start_time: minutes(-5),
  end_time: minutes(15),
});
await call("olivia", "PUT", `${ofForm}/submissions/${someone.id}/interview/`, { slot: begun.id });
await olivia.reload();
const came = olivia.getByRole("button", { name: "Came", exact: true }).first();
await came.click();
await olivia.waitForFunction(
  () => document.querySelector(".booking button")?.getAttribute("aria-pressed") === "true",
);

// Nobody is invited who was not chosen. The page says how many people and times there are.
const [autumn] = await call("olivia", "GET", "/clubs/robotics/applications/");
const form = `/clubs/robotics/applications/${autumn.id}`;
const why = autumn.questions.find((one) => one.question_type === 1 && !one.committees.length);
const sent = await call("late.ina", "POST", `${form}/submissions/`, {
  committee: null,
  responses: [{ question: why.id, text: "Gears" }],
});
await olivia.getByRole("link", { name: "Invite", exact: true }).click();
await heading(olivia, "Mails");
await olivia.getByText("Choose in the list who is invited.").waitFor();
await accessible(olivia, "mails-interview");
await olivia.getByRole("link", { name: "Choose people" }).click();
await olivia.getByLabel("Choose: late.ina Test").check();
await olivia.getByRole("button", { name: "Copy addresses" }).click();
await olivia.getByText("1 address is copied").waitFor();
await accessible(olivia, "submissions-chosen");
await olivia.getByRole("link", { name: "Invite to an interview" }).click();
await olivia.getByText(/^1 person, \d+ free times?$/).waitFor();
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByRole("heading", { name: /1 mail would be sent/ }).waitFor();
await call("late.ina", "DELETE", `/submissions/${sent.id}/`);

// On a phone: the home page says what is next, and three taps choose another time.
const avery = await windowOf({ viewport: PHONE });
avery.on("dialog", (dialog) => dialog.accept());
await avery.goto(origin);
await avery.getByRole("button", { name: "Sign in", exact: true }).first().click();
await avery.getByRole("button", { name: "Avery Admin", exact: true }).click();
await avery.getByRole("link", { name: "View or change" }).first().click();
await heading(avery, /^Interview with/);
await avery.getByText("Booked", { exact: true }).waitFor();
await accessible(avery, "interview");
await avery.setViewportSize(PHONE);

// What the club changed after the list was read is not booked unseen.
await avery.route("**/slots/", async (route) => {
  const response = await route.fetch();
  const slots = await response.json();
  for (const slot of slots) slot.location = "Where it was before";
  await route.fulfill({ response, json: slots });
});
await avery.getByRole("button", { name: "Choose another time" }).click();
await avery.locator(".times button").nth(1).click();
await avery.getByRole("button", { name: "Book this time" }).click();
await avery.getByText(/the club has just changed this time/).waitFor();
await avery.unroute("**/slots/");

// A booking that got no answer is not repeated after a later one, which it would undo.
let failing = true;
const booked = [];
await avery.route("**/interview/", (route) => {
  if (route.request().method() !== "PUT") return route.continue();
  booked.push(route.request().postDataJSON().slot);
  return failing ? route.abort() : route.continue();
});
await avery.getByRole("button", { name: "Choose another time" }).click();
await avery.locator(".times button").first().click();
await avery.getByRole("button", { name: "Book this time" }).click();
await avery.waitForFunction(() => document.querySelector("[aria-busy=true]"));
failing = false;
await avery.getByRole("link", { name: "Applied" }).click();
await avery.goBack();
await avery.getByRole("button", { name: "Choose another time" }).click();
await avery.locator(".times button").nth(1).click();
await avery.getByRole("button", { name: "Book this time" }).click();
await avery.getByText("Booked. You get a mail with a calendar file.").waitFor();
await avery.waitForTimeout(1500);
// Repeats of the first one come before the later one, or not at all.
assert.notEqual(booked.at(-1), booked[0]);
assert.equal(booked.indexOf(booked.at(-1)), booked.length - 1);
assert.equal(await avery.getByText(/cannot be reached|no network/).count(), 0);
await avery.unroute("**/interview/");

await avery.getByRole("button", { name: "Choose another time" }).click();
await avery.locator(".times button").first().click();
await accessible(avery, "interview-choose");
await avery.setViewportSize(PHONE);
await avery.getByRole("button", { name: "Book this time" }).click();
await avery.getByText("Booked. You get a mail with a calendar file.").waitFor();
assert.match(await mailTo("admin@", /It is now/), /It is now/);
const mails = await (await fetch(`${origin}/local/mail.json`)).json();
const told = mails.find((mail) => mail.attachments.length > 0);
assert.equal(told?.attachments[0].type, "text/calendar");
await avery.getByRole("button", { name: "Cancel", exact: true }).click();
await avery.getByText("Cancelled. You get a mail.").waitFor();
await avery.getByRole("heading", { name: "Choose a time" }).waitFor();
await avery.goto(`${origin}/applications/`);
await avery.getByText("Invited to an interview").first().waitFor();
await accessible(avery, "applications-interview");
