// An officer: requests, join links, submissions with reviews and decisions, and mails.

import assert from "node:assert/strict";
import { accessible, call, heading, origin, signIn, windowOf } from "./lib.mjs";

// An officer: a request, a join link, submissions with a review and a decision, and the mails.
const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/robotics/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Manage the club" }).click();
await heading(olivia, "Robotics Society");
await olivia.getByText("3 people ask to join", { exact: true }).waitFor();
await olivia.getByText("Submissions over time").waitFor();
await accessible(olivia, "workspace");
await olivia.getByRole("link", { name: "Members", exact: true }).first().click();
await heading(olivia, "Members");
// A finger that taps twice does not accept who takes the place of the first one.
const accept = olivia.getByRole("button", { name: /^Accept: / });
await olivia.getByRole("button", { name: "Accept: Wendy Zhao" }).click();
await olivia.getByText("Wendy Zhao is a member now.").waitFor();
await olivia.evaluate(async () => {
  const all = () => [...document.querySelectorAll("button[aria-label^='Accept: ']")];
  const { x, y } = all()[0].getBoundingClientRect();
  const tap = () =>
    all()[0].dispatchEvent(
      new MouseEvent("click", { bubbles: true, detail: 1, clientX: x + 9, clientY: y + 9 }),
    );
  const began = performance.now();
  tap();
  while (all().length > 1) await new Promise((done) => setTimeout(done, 5));
  // On a slow machine it would be another tap.
  if (performance.now() - began < 550) tap();
});
await olivia.waitForTimeout(700);
assert.equal(await accept.count(), 1);
await olivia.getByRole("link", { name: "Invitations", exact: true }).first().click();
await olivia.getByLabel("Where the link is shown").fill("Door");
await olivia.getByLabel("How often it can be used").fill("40");
await olivia.getByRole("button", { name: "Create a join link" }).click();
await olivia.getByRole("img", { name: "QR code of the join link Door" }).waitFor();
await olivia.getByText("used 0 of 40 times").waitFor();
await accessible(olivia, "links");
await olivia.getByRole("link", { name: "Events", exact: true }).first().click();
await olivia.getByRole("link", { name: "New event" }).waitFor();
await accessible(olivia, "club-events");
await olivia.getByRole("link", { name: "Recruitment", exact: true }).first().click();
await heading(olivia, "Recruitment");
await accessible(olivia, "recruitment");
await olivia.getByRole("link", { name: "Submissions: Autumn recruitment" }).click();
await heading(olivia, "Autumn recruitment");
await olivia.getByText("Numbers and plots", { exact: true }).click();
await olivia.getByRole("table", { name: "By status" }).waitFor();
await accessible(olivia, "submissions");

// One applicant at a time: a score and a comment are stored as they are made; keys decide.
const review = new URL(olivia.url()).pathname + "review/?only=all";
await olivia.getByRole("link", { name: "Fatima Zahra" }).click();
await heading(olivia, "Fatima Zahra");
await olivia.getByRole("button", { name: "5", exact: true }).click();
await olivia.getByText("Saved", { exact: true }).waitFor();
await olivia.getByLabel("Comment, for officers only").fill("Builds things");
await olivia.getByText("Not saved yet").waitFor();
await olivia.getByText("Saved", { exact: true }).waitFor();
await accessible(olivia, "review");
// Whoever comes back finds the own review.
await olivia.reload();
await olivia.waitForFunction(() => document.querySelector("#comment")?.value === "Builds things");
assert.equal(
  await olivia.getByRole("button", { name: "5", exact: true }).getAttribute("aria-pressed"),
  "true",
);
// A part of a name leads to an applicant, or to a page.
const goTo = async (typed, name) => {
  await olivia.keyboard.press("Control+k");
  await olivia.getByRole("combobox", { name: "Go to …" }).fill(typed);
  await olivia.getByRole("option", { name, selected: true }).waitFor();
};
await goTo("zah", /Fatima Zahra/);
await accessible(olivia, "palette");
await olivia.keyboard.press("Escape");
await goTo("chess", /Chess Club/);
await olivia.keyboard.press("Escape");
await goTo("fatima", /Fatima Zahra/);
await olivia.keyboard.press("Enter");
await heading(olivia, "Fatima Zahra");
// What is typed about one applicant is stored when somebody goes on to the next one.
await olivia.getByLabel("Comment, for officers only").fill("Builds things, and teaches");
await olivia.keyboard.press("Escape");
await olivia.keyboard.press("k");
await olivia.waitForFunction(() => !document.querySelector("h1")?.textContent.includes("Fatima"));
await olivia.keyboard.press("j");
await heading(olivia, "Fatima Zahra");
await olivia.waitForFunction(
  () => document.querySelector("#comment")?.value === "Builds things, and teaches",
);

// Without a network it is kept, also if somebody goes on and signs in again.
await olivia.route("**/reviews/mine/", (route) => route.abort());
const commented = olivia.waitForRequest("**/reviews/mine/");
await olivia.getByLabel("Comment, for officers only").fill("Builds, teaches, sings");
await commented;
await olivia.keyboard.press("Escape");
await olivia.keyboard.press("k");
await olivia.waitForFunction(() => !document.querySelector("h1")?.textContent.includes("Fatima"));
await olivia.reload();
// It is sent as soon as there is a network, whoever is shown.
await olivia.getByText("1 review is not sent yet").waitFor();
await olivia.unroute("**/reviews/mine/");
await olivia.getByText("1 review is not sent yet").waitFor({ state: "detached", timeout: 90_000 });
await olivia.getByRole("button", { name: "Next", exact: true }).click();
await heading(olivia, "Fatima Zahra");
await olivia.waitForFunction(
  () => document.querySelector("#comment")?.value === "Builds, teaches, sings",
);

// The list arrives in parts, and is loaded again. Nobody is shown in the place of somebody else.
const small = (route) =>
  route.continue({ url: route.request().url().replace("limit=200", "limit=1") });
await olivia.route(/submissions\/\?limit=200$/, small);
const seen = await olivia.evaluateHandle(() => {
  const all = new Set();
  const look = () => all.add(document.querySelector("h1")?.textContent);
  new MutationObserver(look).observe(document.querySelector("main"), {
    subtree: true,
    childList: true,
    characterData: true,
  });
  return all;
});
await olivia.getByRole("link", { name: "Autumn recruitment" }).click();
await olivia.getByRole("link", { name: "Fatima Zahra" }).click();
await heading(olivia, "Fatima Zahra");
await olivia.waitForLoadState("networkidle");
assert.deepEqual(
  await seen.evaluate((all) => [...all].filter((one) => one && one !== "Autumn recruitment")),
  ["Fatima Zahra"],
);
await olivia.unroute(/submissions\/\?limit=200$/, small);

// Another officer is faster: nothing is overwritten unseen.
const robotics = (await call("olivia", "GET", "/clubs/robotics/applications/"))[0];
const of = `/clubs/robotics/applications/${robotics.id}`;
const [fatima] = await call("olivia", "GET", `${of}/submissions/?search=fatima`);
const stored = async () => (await call("olivia", "GET", `${of}/submissions/${fatima.id}/`)).status;
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { status: 1 });
await olivia.reload();
await heading(olivia, "Fatima Zahra");
await olivia.getByRole("button", { name: "Not decided yet", pressed: true }).waitFor();
await olivia.waitForLoadState("networkidle");
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { status: 3 });
await olivia.keyboard.press("a");
await olivia.getByText("This submission has changed meanwhile.").waitFor();
assert.equal(await stored(), 3);
await olivia.keyboard.press("a");
await olivia.getByText("Fatima Zahra: Accepted").waitFor();
assert.equal(await stored(), 4);
await olivia.getByRole("button", { name: "Undo" }).click();
await olivia.getByText("It was taken back.").waitFor();
assert.equal(await stored(), 3);
await olivia.getByText("History of the decision").click();
await olivia
  .getByText(/Rejected after the interview → Accepted/)
  .first()
  .waitFor();
await olivia.keyboard.press("a");
await olivia.getByText("Fatima Zahra: Accepted").waitFor();

// An applicant submits again while somebody looks: what was not seen is not decided.
const why = robotics.questions.find((one) => one.question_type === 1 && !one.committees.length);
const again = (text) =>
  call("late.lou", "POST", `${of}/submissions/`, {
    committee: null,
    responses: [{ question: why.id, text }],
  });
const lou = await again("Wheels");
await olivia.goto(`${origin}${review}&open=${lou.id}`);
await heading(olivia, "late.lou Test");
await olivia.waitForLoadState("networkidle");
await again("Wings");
await olivia.keyboard.press("a");
await olivia.getByText("This submission has changed meanwhile.").waitFor();
assert.equal((await call("olivia", "GET", `${of}/submissions/${lou.id}/`)).status, 1);
await call("late.lou", "DELETE", `/submissions/${lou.id}/`);

// Many at once, and back again.
await olivia.goto(origin + review.replace("review/?only=all", ""));
await olivia
  .getByLabel(/^Choose: /)
  .first()
  .check();
const chosen = olivia.getByRole("row", { selected: true });
const before = await chosen.locator("td").nth(3).textContent();
const reject = async () => {
  await olivia.getByRole("button", { name: "Decide …" }).click();
  await olivia.getByRole("button", { name: "Rejected", exact: true }).click();
  await olivia.getByRole("button", { name: "Rejected: 1 person" }).click();
};
await reject();
await olivia.getByText("1 submission was changed.").waitFor();
await olivia.getByRole("button", { name: "Undo" }).click();
await olivia.getByText("It was taken back.").waitFor();
assert.equal(await olivia.getByRole("row").nth(1).locator("td").nth(3).textContent(), before);
// What somebody else decided since is left alone, and shown.
const listed = `${of}/submissions/`;
const row = olivia.getByRole("row").nth(1);
const name = await row.getByRole("link").textContent();
const ofRow = async () =>
  (await call("olivia", "GET", listed)).find((one) => one.user?.name === name);
const { id: first, status: was } = await ofRow();
const other = was === 4 ? 3 : 4;
await call("olivia", "PATCH", `${listed}${first}/`, { status: other });
await row.getByRole("checkbox").check();
await reject();
await olivia.getByText("1 submission was changed by somebody else meanwhile").waitFor();
assert.equal((await ofRow()).status, other);
await call("olivia", "PATCH", `${listed}${first}/`, { status: was });
await olivia.reload();
// A reason for many.
await row.getByRole("checkbox").check();
await olivia.getByRole("button", { name: "Decide …" }).click();
await olivia.locator("#bulk-reason").fill("Thank you for your time");
await olivia.getByRole("button", { name: "Set the reason of 1 submission" }).click();
await olivia.getByText("Saved.", { exact: true }).waitFor();
assert.equal((await ofRow()).reason, "Thank you for your time");
await call("olivia", "PATCH", `${listed}${first}/`, { reason: "" });
// A column with the answers to a question.
await olivia.getByText("Columns", { exact: true }).click();
await olivia.getByRole("checkbox", { name: "Why would you like to join us?" }).check();
await olivia.getByRole("columnheader", { name: "Why would you like to join us?" }).waitFor();
await accessible(olivia, "submissions-columns");
await olivia.getByRole("link", { name: "Mails", exact: true }).click();
await heading(olivia, "Mails");
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByRole("heading", { name: /mails? would be sent/ }).waitFor();
await olivia.locator("details").first().click();
await accessible(olivia, "mails");
// What changed after the preview is not sent.
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, {
  reason: "Changed after the preview",
});
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia
  .getByRole("status")
  .filter({ hasText: /changed|preview/ })
  .first()
  .waitFor();
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia
  .getByText(/mails? (is|are) on/)
  .first()
  .waitFor();
await olivia.getByRole("rowheader", { name: "Sent", exact: true }).waitFor({ timeout: 60_000 });

// What ends with a club is said before, and its name is asked for.
await olivia.goto(`${origin}/clubs/robotics/edit/`);
await olivia.getByRole("button", { name: "Delete the club …" }).click();
await olivia.getByText(/^\d+ submissions end\.$/).waitFor();
const really = olivia.getByRole("dialog").getByRole("button", { name: "Delete the club" });
assert.equal(await really.isEnabled(), false);
await accessible(olivia, "danger");
await olivia.getByLabel("Type “Robotics Society” to confirm.").fill("Robotics Society");
assert.equal(await really.isEnabled(), true);
await olivia.getByRole("button", { name: "Cancel", exact: true }).click();

// Two thousand submissions: only the rows that can be seen are in the document.
const [debate] = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/applications/${debate.id}`;
const many = 2000;
let made = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (made < many) {
      const name = `many${made++}`;
      await call(name, "POST", `${path}/submissions/`, { committee: null, responses: [] });
    }
  }),
);
// Of somebody who was decided about and then erased when the application was closed, the submission
// is there without a name.
const [gone] = await call("olivia", "GET", `${path}/submissions/?search=many7&limit=1`);
await call("olivia", "PATCH", `${path}/submissions/${gone.id}/`, { status: 2 });
await call("olivia", "PATCH", `${path}/`, { is_active: false });
await call(gone.user.username, "DELETE", "/settings/");
// The timer does it in some seconds.
const left = `${path}/submissions/${gone.id}/`;
while ((await call("olivia", "GET", left)).user) await olivia.waitForTimeout(500);
await call("olivia", "PATCH", `${path}/`, { is_active: true });
await olivia.goto(`${origin}${path}/?search=erased`);
await olivia.getByText(/^1 submission$/).waitFor({ timeout: 60_000 });
await olivia.getByRole("link", { name: "Erased person" }).click();
await olivia.getByRole("heading", { name: "Erased person" }).waitFor();
await olivia.goto(`${origin}${path}/`);
await olivia.getByText(/^20\d\d submissions$/).waitFor({ timeout: 60_000 });
const region = olivia.getByRole("region", { name: "Submissions" });
for (const share of [0, 0.5, 1]) {
  await region.evaluate((box, share) => (box.scrollTop = share * box.scrollHeight), share);
  await olivia.waitForTimeout(50);
  const count = await region.locator("tbody tr:not([aria-hidden])").count();
  assert.ok(count > 10 && count < 60, `${count} rows`);
}
// A row that is half behind the head of the table is too small to be pressed, for axe.
await region.evaluate((box) => (box.scrollTop = 0));
await accessible(olivia, "submissions-2000");
