// Tickets: an officer opens a sale, people get tickets, wait, and give back, and a door lets them
// in without a network, at two phones that agree afterwards. Somebody recomputes a draw.

import assert from "node:assert/strict";
import {
  PHONE,
  accessible,
  call,
  field,
  heading,
  mailTo,
  origin,
  signIn,
  signInAs,
  windowOf,
} from "./lib.mjs";

const events = "/clubs/robotics/events/";
const event = await call("olivia", "POST", events, {
  name: "Robot party",
  type: 0,
  description: "Robots dance.",
});

const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}${events}${event.id}/`);
await signIn(olivia, "Olivia Marsh");
await field(olivia, "Begins").waitFor();
// In a zone of its own, a browser's fields have its own times.
const local = (hours) =>
  olivia.evaluate((hours) => {
    const date = new Date(Date.now() + hours * 3_600_000);
    date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
    return date.toISOString().slice(0, 16);
  }, hours);
await field(olivia, "Begins").fill(await local(72));
await field(olivia, "Ends").fill(await local(75));
await olivia.getByRole("button", { name: "Add a type" }).click();
const type = olivia.getByRole("group", { name: "Type" });
await type.getByLabel("Name").fill("Standing");
const standing = olivia.getByRole("group", { name: "Standing" });
await standing.getByLabel("Places").fill("2");
await standing.getByLabel("Price at the door").fill("3 €");
await field(olivia, "At most so many tickets per person (1 to 20)").fill("2");
await accessible(olivia, "tickets-types");
await olivia.getByRole("button", { name: "Add it" }).click();
await olivia.getByText("Saved").first().waitFor();
const showing = (await call("olivia", "GET", `${events}${event.id}/showings/`))[0];
assert.equal(showing.ticket_types[0].capacity, 2);
const path = `/events/${event.id}/showings/${showing.id}/`;

// Somebody gets both on a phone, and their codes stay without a network.
const page = `${origin}/events/${event.id}/`;
const ann = await windowOf({ viewport: PHONE, serviceWorkers: "allow" });
ann.on("dialog", (dialog) => dialog.accept());
await ann.setViewportSize({ width: 1280, height: 800 });
await ann.goto(page);
await ann.getByRole("button", { name: "Sign in for tickets" }).waitFor();
await signInAs(ann, "ticketann", "Ann Ticket");
await ann.goto(page);
await ann.getByText("2 left").waitFor();
await accessible(ann, "tickets-sale");
await ann.getByLabel("How many: Standing").selectOption("2");
await ann.getByRole("button", { name: "Get 2 tickets" }).click();
await ann.getByText("You have got 2 tickets.").waitFor();
await ann.getByText("You have as many as one person gets: 2.").waitFor();
await ann.goto(`${origin}/tickets/`);
await heading(ann, "My tickets");
await ann.getByRole("button", { name: "Show code" }).nth(1).waitFor();
await accessible(ann, "tickets-own");
await ann.evaluate(() => navigator.serviceWorker.ready.then(() => true));
await ann.context().setOffline(true);
await ann.reload();
await ann.getByRole("button", { name: "Show code" }).first().click();
await ann.getByAltText("The code of your ticket").waitFor();
await accessible(ann, "tickets-code");
await ann.getByRole("dialog").getByRole("button", { name: "Close" }).click();
await ann.context().setOffline(false);
await mailTo("ticketann", /Robot party/);

// The next one waits, and gets what is given back.
const ben = await windowOf();
await ben.goto(page);
await signInAs(ben, "ticketben", "Ben Ticket");
await ben.goto(page);
await ben.getByRole("button", { name: "Join the waiting list" }).click();
await ben.getByText("You are on the waiting list.").waitFor();
await ben.getByText("Waiting, number 1").waitFor();
await ann.reload();
await ann.getByRole("button", { name: "Give back" }).first().click();
await ann.getByText("Done.").waitFor();
await ben.goto(`${origin}/tickets/`);
await ben.getByText("Valid").waitFor();
// A ticket changes hands, and its old code is worth nothing.
const [old] = (await call("ticketann", "GET", "/tickets/")).filter((one) => one.code);
await ann.reload();
await ann.getByRole("button", { name: "Hand over" }).click();
await ann.getByLabel("User name of the other person").fill("nobody-at-all");
const dialog = ann.getByRole("dialog");
await dialog.getByRole("button", { name: "Hand over" }).click();
await dialog.getByRole("alert").waitFor();
await accessible(ann, "tickets-hand-over");
await call("ticketcat", "GET", "/settings/");
await ann.getByLabel("User name of the other person").fill("ticketcat");
await dialog.getByRole("button", { name: "Hand over" }).click();
await ann.getByText("The ticket is handed over.").waitFor();
const codeOf = async (username) =>
  (await call(username, "GET", "/tickets/")).find((one) => one.code).code;
const [bens, cats] = [await codeOf("ticketben"), await codeOf("ticketcat")];
assert.notEqual(cats, old.code);

// The officer sees who comes, and issues one more.
await olivia.goto(`${origin}/clubs/robotics${path}`);
await olivia.getByRole("row", { name: /ticketben/ }).waitFor();
await olivia.getByText("Issue tickets").click();
await olivia.getByLabel("Name of the person").fill("Sam Ok");
await olivia.getByLabel("Also if there are none left: beyond the capacity").check();
await olivia.getByRole("button", { name: /^Issue: Sam/ }).click();
await olivia.getByText(/has a ticket\./).waitFor();
await olivia.getByRole("row", { name: /sam/ }).waitFor();
await accessible(olivia, "tickets-showing");

// Two doors, both without a network after their list was loaded.
const doors = [];
for (const n of [1, 2]) {
  const door = await windowOf({ viewport: PHONE, serviceWorkers: "allow" });
  await door.setViewportSize({ width: 1280, height: 800 });
  await door.goto(`${origin}/clubs/robotics${path}`);
  await signIn(door, "Olivia Marsh");
  await door.goto(`${origin}/clubs/robotics${path}`);
  await door.getByRole("link", { name: "Door" }).click();
  await door.getByText("0 of 3 are in").waitFor();
  await door.setViewportSize(PHONE);
  if (n === 1) await accessible(door, "door");
  await door.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await door.context().setOffline(true);
  doors.push(door);
}
const [left, right] = doors;
// The page itself opens without a network, too.
await left.reload();
await left.getByText("0 of 3 are in").waitFor();
const scan = async (door, code, said) => {
  await door.getByLabel("Name or code").fill(code);
  await door.getByLabel("Name or code").press("Enter");
  await door.locator(".said").getByText(said).waitFor();
};
await scan(left, bens, "Come in");
await left.locator(".said").getByText("ticketben Test").waitFor();
await scan(left, bens, /Already in since/);
await scan(left, old.code, "An old code: the ticket was handed over");
await scan(left, `${bens.slice(0, -1)}${bens.endsWith("A") ? "B" : "A"}`, "not one of our codes");
await left.getByText("1 scan is not sent yet.").waitFor();
// Two scans of one second are one.
await right.waitForTimeout(1100);
await scan(right, bens, "Come in");
await scan(right, cats, "Come in");
await right.getByLabel("Name or code").fill("sam");
await right.getByRole("button", { name: /^Let in: Sam/ }).click();
await right.locator(".said").getByText("Come in").waitFor();
await left.context().setOffline(false);
await left.getByText("Everything is sent.").waitFor();
await right.context().setOffline(false);
await right.getByText("Everything is sent.").waitFor();
// Both know all three, and the second one knows that Ben had been in.
await right.getByText("3 of 3 are in").waitFor();
await right.getByRole("listitem").filter({ hasText: "Already in since" }).waitFor();
await right
  .getByRole("status")
  .getByText(/ticketben Test: Already in since/)
  .waitFor();
await left.getByRole("button", { name: "Load again" }).click();
await left.getByText("3 of 3 are in").waitFor();
await accessible(left, "door-used");

// Anybody recomputes a draw, without signing in.
const drawn = await call("olivia", "POST", `${events}${event.id}/showings/`, {
  start_time: new Date(Date.now() + 96 * 3_600_000).toISOString(),
  end_time: new Date(Date.now() + 97 * 3_600_000).toISOString(),
  ticket_types: [{ name: "Seat", capacity: 1 }],
  ticket_sale: "draw",
  ticket_draw_time: new Date(Date.now() + 24 * 3_600_000).toISOString(),
});
const lots = await windowOf();
await lots.goto(`${origin}/events/${event.id}/showings/${drawn.id}/draw/`);
await heading(lots, "Draw");
await lots.getByText("Nobody has taken part yet.").waitFor();
await accessible(lots, "draw");

// What has tickets is deleted only with them.
await olivia.goto(`${origin}${events}${event.id}/`);
await olivia.getByRole("button", { name: "Delete the event …" }).click();
await olivia
  .getByLabel("Robot party")
  .or(olivia.locator("#danger-name"))
  .first()
  .fill("Robot party");
await olivia.getByRole("dialog").getByRole("button", { name: "Delete the event" }).click();
await heading(olivia, "Events");
await mailTo("ticketben", /cancelled/i);
