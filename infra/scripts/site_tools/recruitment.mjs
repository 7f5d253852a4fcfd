// A whole recruitment, by clicks alone: a club is created and approved, it gets a logo, an event
// and an application with questions; somebody applies, is accepted, and joins by the link of the
// mail.

import assert from "node:assert/strict";
import {
  accessible,
  field,
  heading,
  mailTo,
  origin,
  picture,
  saved,
  signIn,
  signInAs,
  windowOf,
} from "./lib.mjs";
import { CLEAN, DOCS, WORD } from "./pasted.mjs";

const officer = await windowOf();
officer.on("dialog", (dialog) => dialog.accept());
await officer.goto(`${origin}/clubs/`);
await signInAs(officer, "grace", "Grace Lindqvist");
await officer.getByRole("link", { name: "Create a club" }).click();
await heading(officer, "Create a club");
await accessible(officer, "club-new");
// What is wrong is said at its field, and what was typed comes back after a reload.
await officer.getByLabel("Name", { exact: true }).fill("Go Players");
await officer.getByLabel("Short name in addresses").fill("Not a code");
await officer.getByRole("button", { name: "Create the club" }).click();
await officer.getByRole("alert").filter({ hasText: "at least one letter" }).waitFor();
await officer.reload();
await officer.waitForFunction(
  () => document.querySelector("#new-club-name")?.value === "Go Players",
);
await officer.getByLabel("Short name in addresses").fill("goban");
await officer.getByRole("button", { name: "Create the club" }).click();
await heading(officer, "Edit the club");

// The club: formatted text by keyboard, tags, and the logo, dropped on its place.
const text = officer.getByRole("textbox", { name: "Description" });
await text.click();
await text.pressSequentially("We play ");
await officer.getByRole("button", { name: "Bold" }).click();
await text.pressSequentially("every Monday");
await officer.locator("fieldset").getByRole("checkbox").first().check();
// What comes from Word and Google Docs keeps its headings, lists and links.
const written = await text.innerHTML();
for (const source of [WORD, DOCS]) {
  await text.evaluate((place, html) => {
    place.focus();
    getSelection()?.selectAllChildren(place);
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", html);
    clipboardData.setData("text/plain", "plain");
    place.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, source);
  assert.equal((await text.innerHTML()).replace("<p><br></p>", ""), CLEAN);
}
await text.evaluate((place, html) => {
  place.innerHTML = html;
  place.dispatchEvent(new InputEvent("input", { bubbles: true }));
}, written);
await officer.getByRole("button", { name: "Save", exact: true }).click();
await officer.getByText("Saved.").waitFor();
await picture(officer, officer.locator(".drop"), "logo");
await officer.locator("img.preview").waitFor();
await accessible(officer, "club-edit");
await officer.goto(`${origin}/clubs/goban/`);
await officer.locator(".rich").getByText("every Monday").waitFor();
assert.match(
  await officer.locator(".rich").innerHTML(),
  /We play <(b|strong)>every Monday<\/(b|strong)>/,
);
await officer.getByText("This club waits for its approval.").waitFor();

// An admin approves it.
const admin = await windowOf();
admin.on("dialog", (dialog) => dialog.accept());
await admin.goto(origin);
await signIn(admin, "Avery Admin");
await admin.getByRole("link", { name: "Administration" }).click();
await heading(admin, "Administration");
await admin.getByRole("button", { name: "Approve: Go Players" }).waitFor();
await accessible(admin, "admin");
await admin.getByRole("button", { name: "Approve: Go Players" }).click();
await admin.getByText("Go Players is approved.").waitFor();
await admin.getByRole("button", { name: "Approve: Go Players" }).waitFor({ state: "detached" });

// An event with an image and a showing.
await officer.goto(`${origin}/clubs/goban/events/`);
await officer.getByRole("link", { name: "New event" }).click();
await heading(officer, "New event");
await accessible(officer, "event-new");
await officer.getByLabel("Name", { exact: true }).fill("Blitz evening");
await officer.getByLabel("Kind").selectOption("Social");
await officer.getByRole("button", { name: "Create the event" }).click();
await heading(officer, "Edit the event");
await picture(officer, officer.locator(".drop"), "flyer");
await officer.locator("img.preview").waitFor();
await field(officer, "Begins").fill("2031-03-01T18:00");
await field(officer, "Ends").fill("2031-03-01T21:00");
await officer.getByLabel("Place", { exact: true }).fill("Room 7");
await officer.getByRole("button", { name: "Add it" }).click();
await officer.locator("summary").filter({ hasText: "Room 7" }).click();
await accessible(officer, "event-edit");
await officer.getByLabel("Place", { exact: true }).first().fill("Room 8");
await officer
  .locator("details")
  .filter({ hasText: "Room 7" })
  .getByRole("button", { name: "Save", exact: true })
  .click();
await officer.locator("summary").filter({ hasText: "Room 8" }).waitFor();

// An application with a committee and questions of all types.
await officer.goto(`${origin}/clubs/goban/manage/`);
await officer.getByText("This club waits for its approval.").waitFor({ state: "detached" });
await accessible(officer, "workspace-empty");
await officer.getByRole("link", { name: "New application" }).click();
await heading(officer, "New application");
await accessible(officer, "application-new");
await officer.getByLabel("Name", { exact: true }).fill("Spring intake");
// It ends with the last second of a weekday.
const end = new Date(`${await field(officer, "Closes").inputValue()}:00`);
assert.ok(end.getDay() % 6 > 0 && end.getHours() === 23 && end.getMinutes() === 59);
await officer.getByRole("button", { name: "Add a committee" }).click();
await officer.getByLabel("Committee 1").fill("Teaching");
await officer.getByRole("button", { name: "Create the application" }).click();
await heading(officer, "Spring intake");
await officer.getByText("There are no questions yet").waitFor();
await officer.getByRole("button", { name: "Open now" }).click();
await officer.getByText("The application is open.").waitFor();
await officer.getByRole("button", { name: "Close the application" }).waitFor();
const ask = async (prompt, type, more) => {
  const box = officer
    .locator("details")
    .filter({ has: officer.getByText("New question", { exact: true }) });
  if (!(await box.evaluate((one) => one.open))) await box.locator("summary").click();
  await box.getByLabel("Type").selectOption(type);
  await box.getByLabel("Question or text").fill(prompt);
  await more?.(box);
  await box.getByRole("button", { name: "Add the question" }).click();
  await officer.locator("li b").filter({ hasText: prompt }).waitFor();
  // The next question begins with nothing of this one.
  await officer.waitForFunction(
    () => !Object.keys(sessionStorage).some((name) => name.startsWith("form question-new")),
  );
};
await ask("Your rating", "Short answer");
await ask("Why Go?", "Long answer", (box) => box.getByLabel("Largest number of words").fill("50"));
await ask("Which colour?", "Choice", async (box) => {
  for (const [n, colour] of ["White", "Black"].entries()) {
    await box.getByRole("button", { name: "Add an option" }).click();
    await box.getByLabel(`Option ${n + 1}`).fill(colour);
  }
});
await ask("Have you taught before?", "Short answer", (box) => box.getByLabel("Teaching").check());
await ask("Bring a board.", "Text without an answer");
// The order changes by keyboard, and by drag.
const prompts = async () =>
  (await officer.locator("ol.questions li b").allTextContents()).map((one) =>
    one.replace(/^\d+\. /, ""),
  );
await officer.getByRole("button", { name: "Move up: Why Go?" }).press("Enter");
await officer.getByText("Now at place 1 of 5.").waitFor();
assert.deepEqual((await prompts()).slice(0, 2), ["Why Go?", "Your rating"]);
await officer.locator("ol.questions li").nth(4).dragTo(officer.locator("ol.questions li").nth(0));
await officer.waitForFunction(
  () => document.querySelector("ol.questions li b")?.textContent === "Bring a board.",
);
await officer.reload();
await officer.locator("ol.questions li").nth(4).waitFor();
assert.equal((await prompts())[0], "Bring a board.");
// Applicants of the committee see one question more.
await officer.getByText("Show the form.").click();
assert.equal(await officer.getByLabel(/^\d+\. Have you taught before\?$/).count(), 0);
await officer.locator("#preview-committee").selectOption("Teaching");
await officer.getByLabel(/^\d+\. Have you taught before\?$/).waitFor();
await officer.evaluate(() => scrollTo(0, 0));
await accessible(officer, "builder");
await officer.getByRole("heading", { name: "Name, times and mails" }).scrollIntoViewIfNeeded();
await officer.locator("fieldset").filter({ hasText: "Acceptance mail" }).scrollIntoViewIfNeeded();
await accessible(officer, "builder-mail");

// Somebody gets more time, found by a part of their name. Other stories may have changed the rest.
const more = officer.locator("details").filter({ hasText: "Give an extension" });
await more.locator("summary").click();
await more.getByRole("searchbox").fill("oliv");
await more.getByRole("button", { name: /^Choose: olivia/i }).click();
await more.locator("b").getByText("olivia", { exact: true }).waitFor();
await more.locator('input[type="datetime-local"]').fill("2031-01-01T12:00");
await more.getByRole("button", { name: "Give an extension" }).click();
await officer.getByRole("button", { name: /^Take back: olivia|: olivia$/ }).waitFor();

// Two officers change the same field: both versions are shown.
const name = officer.locator('[id$="-name"]').last();
const token = await officer.evaluate(() => JSON.parse(localStorage.session).token);
const path = new URL(officer.url()).pathname.replace("edit/", "");
await fetch(`${origin}/api${path}`, {
  method: "PATCH",
  body: JSON.stringify({ name: "Spring intake (by another)" }),
  headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
});
await name.fill("Spring intake 2027");
await officer.getByRole("button", { name: "Save", exact: true }).last().click();
await officer.getByRole("alert").getByText("Spring intake (by another)").waitFor();
await accessible(officer, "form-conflict");
await officer.getByRole("button", { name: "Keep mine" }).click();
await officer.getByRole("button", { name: "Save", exact: true }).last().click();
await officer.getByText("Saved.").waitFor();

// Somebody applies, by keyboard alone.
const student = await windowOf();
await student.goto(`${origin}/clubs/goban/`);
await signInAs(student, "nina", "Nina Kowalska");
await student.getByRole("link", { name: "Apply", exact: true }).focus();
await student.keyboard.press("Enter");
await heading(student, "Spring intake 2027");
await student.getByRole("button", { name: "No committee" }).focus();
await student.keyboard.press("Enter");
await student.getByLabel(/Why Go\?$/).focus();
await student.keyboard.type("Because");
await student.keyboard.press("Tab");
await student.keyboard.type("1200");
await student.keyboard.press("Tab");
await student.keyboard.press("Space");
await saved(student);
await student.getByRole("button", { name: "Check and send" }).focus();
await student.keyboard.press("Enter");
await student.getByRole("button", { name: "Send application" }).focus();
await student.keyboard.press("Enter");
await heading(student, "Your application was sent");

// She is accepted, told by mail, and joins.
await officer.getByRole("link", { name: "Submissions", exact: true }).click();
await officer.getByRole("link", { name: "Nina Kowalska" }).click();
await officer.getByRole("heading", { name: "Nina Kowalska" }).waitFor();
await officer.getByRole("button", { name: "Accepted A" }).click();
await officer.getByText("Nina Kowalska: Accepted").waitFor();
await officer.goBack();
await officer.getByRole("link", { name: "Mails", exact: true }).click();
await officer.getByRole("button", { name: "Preview", exact: true }).click();
await officer.getByRole("button", { name: "Send these mails" }).click();
const mail = await mailTo("nina", /\/invite\/goban\/\S+/);
await student.goto(origin + mail);
await student.getByRole("button", { name: "Join" }).click();
await heading(student, "You are a member of Go Players");

// Whoever knows their decision is not asked to change their answers.
await student.goto(`${origin}/clubs/goban/`);
await student.getByText("Decided", { exact: true }).waitFor();
await accessible(student, "club-decided");
assert.equal(await student.getByRole("link", { name: "Change answers" }).count(), 0);
await student.getByRole("link", { name: "View", exact: true }).click();
await student.getByText("Accepted", { exact: true }).waitFor();
await accessible(student, "applications-decided");
assert.equal(await student.getByText("Sent", { exact: true }).count(), 0);

// The officer gives her a role, adds somebody by name, and imports a list after a look at it.
await officer.goto(`${origin}/clubs/goban/members/`);
await officer.getByText("Change Nina Kowalska").click();
await officer.getByLabel("Role").selectOption("Officer");
await officer.getByRole("button", { name: "Save", exact: true }).click();
await officer.getByText("Saved.").waitFor();
await officer.getByLabel("Name of a person").fill("sam ok");
await officer.getByRole("button", { name: "Add a member: Sam Okafor" }).click();
await officer.getByText("Sam Okafor is a member now.").waitFor();
await accessible(officer, "members-officer");
await officer.getByRole("link", { name: "Import members" }).click();
await heading(officer, "Import members");
await officer
  .getByLabel("Rows", { exact: true })
  .fill("email,title\nnew.one@uni.example,Treasurer\nnot an address,\n");
await officer.getByRole("button", { name: "Check" }).click();
await officer.getByText("1 row with a problem is left out").first().waitFor();
await accessible(officer, "import");
await officer.getByRole("button", { name: "Import", exact: true }).click();
await officer.getByRole("heading", { name: "Imported." }).waitFor();
await mailTo("new.one", /\/invite\/goban\/\S+/);
