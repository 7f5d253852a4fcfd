// Questions that depend on a choice: an officer builds them and tries them, and somebody applies on
// a phone.

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
  windowOf,
} from "./lib.mjs";

const soon = (hours) =>
  new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z/, "Z");
const application = async (name) => {
  const made = await call("olivia", "POST", "/clubs/debate/applications/", {
    name,
    is_active: true,
    application_start_time: soon(-1),
    application_end_time: soon(2),
    result_release_time: soon(3),
    acceptance_email: "<p>Yes</p>",
    rejection_email: "<p>No</p>",
  });
  return made.id;
};
const id = await application("Positions");
const base = `/clubs/debate/applications/${id}/`;

const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}${base}edit/`);
await signIn(olivia, "Olivia Marsh");
await heading(olivia, "Positions");
const box = olivia
  .locator("details")
  .filter({ has: olivia.getByText("New question", { exact: true }) });
const ask = async (prompt, type, more) => {
  if (!(await box.evaluate((one) => one.open))) await box.locator("summary").click();
  await box.getByLabel("Type").selectOption(type);
  await box.getByLabel("Question or text").fill(prompt);
  await more(box);
  await box.getByRole("button", { name: "Add the question" }).click();
  await olivia.locator("li b").filter({ hasText: prompt }).waitFor();
  await olivia.waitForFunction(
    () => !Object.keys(sessionStorage).some((name) => name.startsWith("form question-new")),
  );
};
const options = (all) => async (box) => {
  for (const [n, value] of all.entries()) {
    await box.getByRole("button", { name: "Add an option" }).click();
    await box.getByLabel(`Option ${n + 1}`).fill(value);
  }
};
const ifChosen = async (box, prompt, option) => {
  await box.getByLabel("Asked of").selectOption(`Those who chose at: ${prompt}`);
  await box.getByRole("group", { name: "These options" }).getByLabel(option).check();
};
await ask("Which position?", "Choice", async (box) => {
  await options(["Speaker", "Coach"])(box);
  await box.getByLabel("An answer is required").check();
});
await ask("Which level?", "Choice", async (box) => {
  await options(["School", "University"])(box);
  await ifChosen(box, "Which position?", "Coach");
});
await ask("Which team?", "Short answer", async (box) => {
  await ifChosen(box, "Which level?", "University");
  await box.getByLabel("An answer is required").check();
});
await olivia.getByText("Asked if “Which level?” is “University”").waitFor();
await olivia.evaluate(() => scrollTo(0, 0));
await accessible(olivia, "builder-conditions");

// The address of a picture that is being typed does not break the page.
const mail = olivia.locator('[id$="-acceptance_email-text"]');
await mail.evaluate((place) => {
  place.innerHTML = '<p>Yes</p><img src="https://[">';
  place.dispatchEvent(new InputEvent("input", { bubbles: true }));
});
await olivia.getByRole("button", { name: "Discard changes" }).first().click();
await heading(olivia, "Positions");
// What differs from person to person is a chip, and the mail beside it has the value.
const part = olivia.locator("fieldset").filter({ hasText: "Acceptance mail" });
const chip = mail.locator('[data-token="{{ name }}"]');
const html = () => mail.evaluate((place) => place.innerHTML.replace(/<span[^>]*>/g, "<span>"));
const typeAnew = async (text) => {
  await mail.click();
  await olivia.keyboard.press("Control+a");
  await olivia.keyboard.press("Delete");
  await olivia.keyboard.type(text);
};
await typeAnew("Dear ");
await part.getByRole("button", { name: "First name" }).click();
await olivia.keyboard.type(", welcome");
await chip.waitFor();
await part.locator("section .rich").getByText("Dear Fatima, welcome").waitFor();
// A heading, cutting and pasting, and a link in the middle leave it where it is.
await part.getByRole("button", { name: "Heading" }).click();
assert.equal(await html(), "<h2>Dear <span>First name</span>, welcome</h2>");
await olivia.keyboard.press("Control+a");
await olivia.keyboard.press("Control+x");
await chip.waitFor({ state: "detached" });
await olivia.keyboard.press("Control+v");
await chip.waitFor();
await olivia.getByRole("button", { name: "Discard changes" }).first().click();
await chip.waitFor({ state: "detached" });
await typeAnew("Hello world");
await mail.evaluate((place) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/html", '<a href="https://go.example/">link</a>');
  place.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
  );
});
// The browser sets a style while it inserts something, which the policy of the page refuses.
for (const problem of problems.splice(0)) assert.match(problem, /inline style/);
assert.match(await html(), /Hello world<a href="https:\/\/go.example\/">link<\/a>/);
await olivia.getByRole("button", { name: "Discard changes" }).first().click();

// A circle cannot be made: what depends on a question is not offered to it.
await olivia.getByText("Change: Which position?").click();
const first = olivia.locator("li").filter({ hasText: "Change: Which position?" });
const asked = first.getByLabel("Asked of");
await asked.waitFor();
assert.equal(await asked.locator("option").count(), 1);

// The form can be tried with each of its branches.
await olivia.getByText("Show the form. Nothing is sent.").click();
const preview = olivia
  .locator("details")
  .filter({ has: olivia.getByText("Show the form. Nothing is sent.") });
const shown = async () =>
  (await preview.locator(".question").allTextContents()).map((text) => /Which \w+/.exec(text)?.[0]);
assert.deepEqual(await shown(), ["Which position"]);
await preview.getByLabel("Coach").check();
await preview.getByLabel("University").check();
assert.deepEqual(await shown(), ["Which position", "Which level", "Which team"]);
await preview.getByLabel("Speaker").check();
assert.deepEqual(await shown(), ["Which position"]);

// Two moves one after the other: the second one counts, also if the first one is slow.
const names = ["One?", "Two?", "Three?"];
const orders = `/clubs/debate/applications/${await application("Orders")}/`;
for (const [n, prompt] of names.entries())
  await call("olivia", "POST", `${orders}questions/`, {
    prompt,
    question_type: 1,
    word_limit: 0,
    precedence: n + 1,
  });
await olivia.goto(`${origin}${orders}edit/`);
let isFirst = true;
await olivia.route("**/precedence/", async (route) => {
  if (isFirst) {
    isFirst = false;
    await new Promise((done) => setTimeout(done, 800));
  }
  await route.continue();
});
for (const name of ["Move down: One?", "Move up: Three?"])
  await olivia.getByRole("button", { name }).click();
const wanted = "Two?,Three?,One?";
const stored = async () => {
  const { questions } = await call("olivia", "GET", orders);
  return String(questions.map((one) => one.prompt));
};
for (let tries = 0; tries < 30 && (await stored()) !== wanted; tries++)
  await olivia.waitForTimeout(100);
assert.equal(await stored(), wanted);
await olivia.waitForFunction(
  (wanted) =>
    String(
      [...document.querySelectorAll(".questions li > p b")].map((b) => b.textContent?.slice(3)),
    ) === wanted,
  wanted,
);
await olivia.unroute("**/precedence/");

// On a phone: what is missing is said before sending, and what is not asked is not sent.
const phone = await windowOf({ viewport: PHONE });
await phone.goto(`${origin}/clubs/debate/`);
await phone.getByRole("button", { name: "Sign in", exact: true }).first().click();
await phone.getByLabel("User name").fill("coach");
await phone.getByLabel("Name", { exact: true }).fill("Cora Coach");
await phone.getByRole("button", { name: "Sign in", exact: true }).click();
await heading(phone, "Debating Union");
await phone.goto(`${origin}/clubs/debate/apply/${id}/`);
await phone.getByText("Which position?").waitFor();
assert.equal(await phone.getByText("This question needs an answer.").count(), 0);
await phone.getByRole("button", { name: "Check and send" }).click();
await phone.getByRole("heading", { name: "Check your answers" }).waitFor();
await phone.getByText("This question needs an answer.").first().waitFor();
await phone.getByRole("button", { name: "Back to the questions" }).click();
await phone.getByLabel("Coach").check();
await phone.getByLabel("University").check();
await phone.getByLabel(/Which team\?/).fill("The first");
await saved(phone);
await accessible(phone, "form-conditions");
await phone.getByLabel("Speaker").check();
await phone.getByText("Which team?").waitFor({ state: "detached" });
await saved(phone);
await phone.getByRole("button", { name: "Check and send" }).click();
await phone.getByText("2 answers to questions that you are not asked are not sent.").waitFor();
await accessible(phone, "form-conditions-check");
await phone.getByRole("button", { name: "Send application" }).click();
await heading(phone, "Your application was sent");
const [own] = await call("coach", "GET", "/submissions/");
assert.deepEqual(
  own.responses.map((one) => one.multiple_choice?.value),
  ["Speaker"],
);
await olivia.close();
await phone.close();
