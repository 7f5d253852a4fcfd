// A student: from the catalogue through an application to the membership.

import assert from "node:assert/strict";
import { accessible, call, heading, mailTo, origin, sessionMayEnd, signIn, windowOf } from "./lib.mjs";

// Everybody: the catalogue, with search as you type; a club; events as a list and as a month.
const sam = await windowOf();
await sam.goto(origin);
await heading(sam, "Clubs");
await sam.getByLabel("Search").fill("robot");
await sam.waitForURL(/search=robot/);
await sam.getByText("1 club", { exact: true }).waitFor();
await accessible(sam, "clubs");
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

// Signing in leads back to the page where it began. Who opens the way back alone is told so.
await sam.goto(`${origin}/callback/`);
await heading(sam, "Signing in did not work");
await accessible(sam, "callback");
await sam.goto(`${origin}/clubs/debate/`);
await sam.getByRole("banner").getByRole("button", { name: "Sign in", exact: true }).click();
await heading(sam, "Sign in on this machine");
await accessible(sam, "sign-in");
await sam.getByRole("button", { name: "Sam Okafor" }).click();
await heading(sam, "Debating Union");
assert.equal(new URL(sam.url()).pathname, "/clubs/debate/");

// An application: each answer is saved while somebody types.
await sam.getByRole("link", { name: "Apply", exact: true }).click();
await heading(sam, "New speakers");
const why = sam.getByLabel("Why would you like to join us?");
await why.fill("I like to argue");
await sam.getByText("4 of 150 words").waitFor();
await sam.getByText("Your answers are saved.").waitFor();
await accessible(sam, "apply");

// A second tab shows what the first one saved. What both change is a conflict that shows both.
const second = await sam.context().newPage();
second.setDefaultTimeout(15_000);
await second.goto(sam.url());
await signIn(second, "Sam Okafor");
const whyThere = second.getByLabel("Why would you like to join us?");
await second.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue");
await whyThere.fill("I like to argue and to listen");
await second.getByText("Your answers are saved.").waitFor();
await why.fill("I like to argue, politely");
await sam.getByText("Another tab or device saved another answer:").waitFor();
await sam.getByText("I like to argue and to listen").waitFor();
await accessible(sam, "conflict");
await sam.getByRole("button", { name: "Keep mine" }).click();
await sam.getByText("Your answers are saved.").waitFor();
await second.close();

sessionMayEnd(true);
// The session ends in mid-form: nothing typed is lost, and the next answer is saved after signing in.
await sam.evaluate(() => {
  const session = JSON.parse(sessionStorage.session);
  sessionStorage.session = JSON.stringify({ ...session, token: "ended", ends: 0 });
});
await sam.reload();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely");
await sam.evaluate(() => {
  const session = JSON.parse(sessionStorage.session);
  sessionStorage.session = JSON.stringify({ ...session, token: "ended", refresh: "ended", ends: 0 });
});
await sam.reload();
await sam.getByText("Your session has ended.").waitFor();
await sam.getByRole("button", { name: "Sign in", exact: true }).first().click();
await sam.getByRole("button", { name: "Sam Okafor", exact: true }).click();
await sam.getByRole("button", { name: "Sign out" }).waitFor();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely");

// The session ends between two keys: the page goes on, and what could not be saved is saved later.
await sam.route("**/draft/**", (route) => (route.request().method() === "PATCH" ? route.fulfill({ status: 401, json: {} }) : route.continue()));
await sam.route("**/local/oauth/token", (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
await why.fill("I like to argue, politely, in public");
await sam.getByText("Your session has ended.").waitFor();
await sam.unroute("**/draft/**");
await sam.unroute("**/local/oauth/token");
await signIn(sam, "Sam Okafor");
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely, in public");
await sam.getByText("Your answers are saved.").waitFor();
await sam.reload();
await sam.waitForFunction(() => document.querySelector("textarea")?.value === "I like to argue, politely, in public");

sessionMayEnd(false);

// Without a network what is typed stays, and is saved when the network is back.
await sam.context().setOffline(true);
await sam.getByText("There is no network.").waitFor();
await why.fill("I like to argue, everywhere");
await sam.getByText("The service cannot be reached. Please try again.").waitFor({ timeout: 30_000 });
await sam.context().setOffline(false);
await sam.getByText("Your answers are saved.").waitFor();

// Sending: what is missing is named, the receipt is shown, and the list has the application.
await sam.getByText(/Without an answer:/).waitFor();
await sam.getByRole("button", { name: "Send application" }).click();
await heading(sam, "Your application was sent");
assert.match(await sam.locator("code.long").textContent(), /^eyJ/);
await accessible(sam, "sent");
await sam.getByRole("link", { name: "My applications" }).first().click();
await sam.getByText("Not decided yet").waitFor();
await accessible(sam, "applications");

// The link of the mail joins the club; so does a link of the officers.
const list = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/applications/${list[0].id}`;
const all = await call("olivia", "GET", `${path}/submissions/?search=sam`);
await call("olivia", "PATCH", `${path}/submissions/${all[0].id}/`, { status: 4, reason: "" });
await call("olivia", "POST", `${path}/send_emails/`, { email_type: { id: "acceptance" }, submissions: [all[0].id] });
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
await sam.getByRole("link", { name: "Debating Union" }).waitFor();
await accessible(sam, "memberships");
await sam.goto(`${origin}/clubs/robotics/members/`);
await heading(sam, "Members");
await accessible(sam, "members");

// Settings, in German as well.
await sam.getByRole("link", { name: "Settings" }).click();
await sam.getByLabel("Year of graduation").fill("2029");
await sam.getByRole("button", { name: "Save", exact: true }).click();
await sam.getByText("Saved.").waitFor();
await accessible(sam, "settings");
await sam.getByLabel("Language").selectOption("de");
await heading(sam, "Einstellungen");
await sam.getByLabel("Sprache").selectOption("en");
