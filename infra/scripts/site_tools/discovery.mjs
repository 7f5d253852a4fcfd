// The home page of each role, search with a typing error, weeks of events, previews of links, and
// posters.

import assert from "node:assert/strict";
import { PHONE, accessible, call, heading, origin, signIn, windowOf } from "./lib.mjs";

/** Opens the home page again, and returns what it asked the API for. */
async function askedFor(page) {
  // What the page before still asks for does not count.
  await page.waitForLoadState("networkidle");
  const asked = [];
  const note = (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname);
  };
  page.on("request", note);
  await page.goto(`${origin}/`);
  await page.waitForLoadState("networkidle");
  page.off("request", note);
  return asked.sort();
}

// An officer sees what waits, by two requests, and a click leads to it.
const olivia = await windowOf();
await olivia.goto(origin);
await signIn(olivia, "Olivia Marsh");
assert.deepEqual(await askedFor(olivia), ["/api/events/", "/api/home/"]);
await olivia
  .getByRole("link", { name: /submissions? without a decision/ })
  .first()
  .waitFor();
await accessible(olivia, "home-officer");
await olivia
  .getByRole("link", { name: /asks? to join/ })
  .first()
  .click();
await heading(olivia, "Members");

// A search with a typing error finds something.
await olivia.goto(`${origin}/clubs/?search=robtics`);
await olivia.getByRole("heading", { name: "Did you mean" }).waitFor();
await olivia.getByRole("link", { name: "Robotics Society" }).first().waitFor();
await accessible(olivia, "similar");

// Weeks and months of events, and those of one club.
await olivia.goto(`${origin}/clubs/robotics/`);
await olivia.getByRole("link", { name: "All events of the club" }).click();
await heading(olivia, "Events");
await olivia.getByRole("button", { name: "Not only Robotics Society" }).waitFor();
await olivia.getByRole("button", { name: "Week" }).click();
const week = olivia.locator(".week > li");
await week.first().waitFor();
assert.equal(await week.count(), 7);
const monday = await week.first().locator("time").getAttribute("datetime");
await olivia.getByRole("button", { name: "Next" }).click();
await olivia.waitForFunction(
  (before) => document.querySelector(".week time")?.getAttribute("datetime") !== before,
  monday,
);
await accessible(olivia, "week");
await olivia.getByRole("button", { name: "Month" }).click();
await olivia.locator("table.month").waitFor();
await olivia.goto(`${origin}/events/?from=2020-01-01&to=2020-01-02`);
await olivia.getByText("0 events").waitFor();

// Programs that run no script see what a club is.
const html = { headers: { Accept: "text/html" } };
const page = await (await fetch(`${origin}/clubs/robotics/`, html)).text();
assert.match(page, /<title>Robotics Society<\/title>/);
assert.match(page, /property="og:title" content="Robotics Society"/);
const data = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page);
assert.equal(JSON.parse(data[1])["@type"], "Organization");

// Posters for a club, an application and a join link have a code that can be seen.
const [application] = await call("olivia", "GET", "/clubs/robotics/applications/");
const link = await call("olivia", "POST", "/clubs/robotics/joinlinks/", { note: "Poster" });
for (const query of ["", `?application=${application.id}`, `?link=${link.id}`]) {
  await olivia.goto(`${origin}/clubs/robotics/poster/${query}`);
  await heading(olivia, "Robotics Society");
  const code = olivia.locator("img.code");
  await code.waitFor();
  await olivia.waitForFunction(() => document.querySelector("img.code")?.naturalWidth > 0);
}
await accessible(olivia, "poster");
await call("olivia", "DELETE", `/clubs/robotics/joinlinks/${link.id}/`);

// A student sees what was begun and what is decided, also on a phone.
const sam = await windowOf();
await sam.goto(origin);
await signIn(sam, "Sam Okafor");
await sam.setViewportSize(PHONE);
assert.deepEqual(await askedFor(sam), ["/api/events/", "/api/home/"]);
await accessible(sam, "home-own");

// An admin sees the figures of the campus.
const avery = await windowOf();
await avery.goto(origin);
await signIn(avery, "Avery Admin");
await avery.getByRole("link", { name: "Clubs to approve" }).waitFor();
await accessible(avery, "home-admin");
