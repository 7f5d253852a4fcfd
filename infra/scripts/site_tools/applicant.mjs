// A student: from the first page through an application to the membership.

import assert from "node:assert/strict";
import {
  accessible,
  call,
  heading,
  mailTo,
  openForm,
  origin,
  saved,
  sendForm,
  sessionMayEnd,
  signIn,
  signInAs,
  windowOf,
} from "./lib.mjs";

// Everybody: the first page, the catalogue with search as you type, a club, events.
const sam = await windowOf();
await sam.goto(origin);
await heading(sam, "Clubs and events of the university");
await accessible(sam, "home-visitor");
// Somebody types faster than the page is painted: nothing of it is lost.
await sam.evaluate(() => {
  const look = new MutationObserver(() => {
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector("#search"));
    if (!field) return;
    look.disconnect();
    field.value = "robot";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  look.observe(document.body, { childList: true, subtree: true });
});
await sam.getByRole("link", { name: "Clubs", exact: true }).click();
await heading(sam, "Clubs");
await sam.waitForURL(/search=robot/);
await sam.getByText("1 club", { exact: true }).waitFor();
await accessible(sam, "clubs-found");
await sam.getByRole("link", { name: "Robotics Society" }).click();
await heading(sam, "Robotics Society");
await accessible(sam, "club");
await sam.getByRole("link", { name: "Events", exact: true }).click();
await heading(sam, "Events");
await accessible(sam, "events");
await sam.getByRole("button", { name: "Month" }).click();
await sam.getByRole("table").waitFor();
await accessible(sam, "month");
await sam.getByRole("table").getByRole("link").first().click();
await sam.getByRole("heading", { name: "When and where" }).waitFor();
await accessible(sam, "event");

// The way back leads to where the catalogue was scrolled.
await sam.goto(`${origin}/clubs/`);
await sam.getByRole("link", { name: "Film Society" }).waitFor();
await sam.evaluate(() => scrollTo(0, 400));
const place = await sam.evaluate(() => scrollY);
await sam.getByRole("link", { name: "Film Society" }).click();
await heading(sam, "Film Society");
await sam.goBack();
await sam.waitForFunction((place) => Math.abs(scrollY - place) < 5, place);

// Signing in leads back to the page where it began. Who opens the way back alone is told so.
await sam.goto(`${origin}/callback/`);
await heading(sam, "Signing in did not work");
await accessible(sam, "callback");
// A click before signing in is carried out after it.
await sam.goto(`${origin}/clubs/chess/`);
await sam
  .getByRole("button", { name: /Mark .* as a favorite/ })
  .first()
  .click();
await heading(sam, "Sign in on this machine");
await accessible(sam, "sign-in");
await sam.getByRole("button", { name: "Sam Okafor" }).click();
await heading(sam, "Chess Club");
assert.equal(new URL(sam.url()).pathname, "/clubs/chess/");
await sam
  .getByRole("button", { name: /Mark .* as a favorite/, pressed: true })
  .first()
  .waitFor();
await sam.goto(origin);
await heading(sam, /sam$/i);
await accessible(sam, "home-new");

// An application: each answer is saved while somebody types.
await sam.goto(`${origin}/clubs/debate/`);
await sam.getByText("Not started").waitFor();
await sam.getByRole("link", { name: "Apply", exact: true }).click();
await heading(sam, "New speakers");
await accessible(sam, "committees");
const form = new URL(sam.url()).pathname;
await sam.getByRole("button", { name: "No committee" }).click();
const why = sam.getByLabel("Why would you like to join us?");
await why.fill("I like to argue");
await sam.getByText("4 of 150 words").waitFor();
await saved(sam);
await accessible(sam, "apply");

// A second tab is signed in, and shows what the first one saved. What both change is a conflict
// that shows both.
const second = await sam.context().newPage();
second.setDefaultTimeout(60_000);
await second.goto(sam.url());
const whyThere = second.getByLabel("Why would you like to join us?");
await second.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue");
await whyThere.fill("I like to argue and to listen");
await saved(second);
await why.fill("I like to argue, politely");
await sam.getByText("Another tab or device saved another answer:").waitFor();
await sam.getByText("I like to argue and to listen").waitFor();
await accessible(sam, "conflict");
await sam.getByRole("button", { name: "Keep mine" }).click();
await saved(sam);
await second.close();

sessionMayEnd(true);
// The session ends in mid-form: nothing typed is lost, and the next answer is saved after signing
// in.
const change = (values) =>
  sam.evaluate((values) => {
    localStorage.session = JSON.stringify({ ...JSON.parse(localStorage.session), ...values });
  }, values);
const shows = (text) =>
  sam.waitForFunction((text) => document.querySelector("textarea")?.value === text, text);
await change({ token: "ended", ends: 0 });
await sam.reload();
await shows("I like to argue, politely");
await change({ token: "ended", refresh: "ended", ends: 0 });
await sam.reload();
await sam.getByText("Your session has ended.").waitFor();
await sam.getByRole("button", { name: "Sign in", exact: true }).first().click();
await sam.getByRole("button", { name: "Sam Okafor", exact: true }).click();
await sam.getByRole("button", { name: "Sign out" }).waitFor();
await shows("I like to argue, politely");

// The session ends between two keys: the page goes on, and what could not be saved is saved later.
await sam.route("**/draft/**", (route) =>
  route.request().method() === "PATCH"
    ? route.fulfill({ status: 401, json: {} })
    : route.continue(),
);
await sam.route("**/local/oauth/token", (route) =>
  route.fulfill({ status: 400, json: { error: "invalid_grant" } }),
);
await why.fill("I like to argue, politely, in public");
await sam.getByText("Your session has ended.").waitFor();
await sam.unroute("**/draft/**");
await sam.unroute("**/local/oauth/token");
await signIn(sam, "Sam Okafor");
await shows("I like to argue, politely, in public");
await saved(sam);
await sam.reload();
await shows("I like to argue, politely, in public");
sessionMayEnd(false);

// Sending: the answers are checked first, the receipt is shown, also after a reload.
await sam.getByRole("button", { name: "Check and send" }).click();
await sam.getByRole("heading", { name: "Check your answers" }).waitFor();
await accessible(sam, "check");
await sam.goBack();
await sendForm(sam);
await accessible(sam, "sent");
await sam.reload();
await heading(sam, "Your application was sent");
await sam.getByText("Show the text of the receipt").click();
assert.match(await sam.locator("code.long").textContent(), /^eyJ/);

// A change that was not sent is told apart everywhere.
await sam.getByRole("button", { name: "Change answers" }).click();
await why.fill("Something new");
await saved(sam);
await sam.getByText("Changed, not sent").waitFor();
await accessible(sam, "changed");
for (const path of ["/applications/", "/clubs/debate/", "/"]) {
  await sam.goto(origin + path);
  await sam.getByText("Changed, not sent").first().waitFor();
}
await accessible(sam, "home-student");
await openForm(sam, form);
await sendForm(sam);
await sam.goto(`${origin}/applications/`);
await sam.getByText("Not decided yet").waitFor();
await accessible(sam, "applications");

// The link of the mail joins the club; so does a link of the officers.
const list = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/applications/${list[0].id}`;
const all = await call("olivia", "GET", `${path}/submissions/?search=sam`);
await call("olivia", "PATCH", `${path}/submissions/${all[0].id}/`, { status: 4, reason: "" });
await call("olivia", "POST", `${path}/send_emails/`, {
  email_type: { id: "acceptance" },
  submissions: [all[0].id],
});
const invitation = await mailTo("sam", /\/invite\/debate\/\S+/);
await sam.goto(origin + invitation);
await heading(sam, "Join Debating Union");
await accessible(sam, "invite");
await sam.getByRole("button", { name: "Join" }).click();
await heading(sam, "You are a member of Debating Union");
const link = await call("olivia", "POST", "/clubs/robotics/joinlinks/", { note: "Fair" });
await sam.goto(origin + new URL(link.url).pathname);
await heading(sam, "Join Robotics Society");
await accessible(sam, "join");
await sam.getByRole("button", { name: "Join" }).click();
await heading(sam, "You are a member of Robotics Society");
await sam.getByRole("link", { name: "My clubs" }).click();
await sam.getByRole("main").getByRole("link", { name: "Debating Union" }).waitFor();
await accessible(sam, "memberships");
await sam.goto(`${origin}/clubs/robotics/members/`);
await heading(sam, "Members");
await accessible(sam, "members");

// Settings, in German as well.
await sam.getByRole("link", { name: "Settings" }).click();
await sam.getByLabel("Year of graduation").fill("2029");
await sam.getByRole("button", { name: "Save", exact: true }).first().click();
await sam.getByText("Saved.").waitFor();
await accessible(sam, "settings");
await sam.getByLabel("Language").selectOption("de");
await heading(sam, "Einstellungen");
await accessible(sam, "settings-german");
await sam.getByLabel("Sprache").selectOption("en");
// On a phone, what is not in the bar is behind "More".
await sam.goto(`${origin}/more/`);
await heading(sam, "More");
await accessible(sam, "more");

// A withdrawal keeps what was written: the form has it as a draft.
const [robotics] = await call("wanda", "GET", "/clubs/robotics/applications/current/");
const whole = await call("wanda", "GET", `/clubs/robotics/applications/${robotics.id}/`);
const first = whole.questions.find((one) => one.question_type === 1 && !one.committees.length);
const typed = "I write this once, and want to keep it.";
await call("wanda", "POST", `/clubs/robotics/applications/${robotics.id}/submissions/`, {
  committee: null,
  responses: [{ question: first.id, text: typed }],
});
const wanda = await windowOf();
wanda.on("dialog", (dialog) => dialog.accept());
await wanda.goto(`${origin}/applications/`);
await signInAs(wanda, "wanda", "Wanda Test");
await wanda.getByRole("button", { name: "Withdraw" }).click();
await wanda.getByText("The application was withdrawn.").waitFor();
const draft = await call("wanda", "GET", `/clubs/robotics/applications/${robotics.id}/draft/`);
assert.deepEqual(
  draft.responses.map((one) => one.text),
  [typed],
);
