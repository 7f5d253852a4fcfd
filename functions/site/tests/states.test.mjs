// The states and numbers that the site shows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { partOf } from "../parts/crop_part.js";
import {
  counted,
  inOrderAt,
  interviewsAt,
  missingOf,
  ofCommittee,
  problemsAt,
  standingAt,
  stateAt,
  unsentOf,
} from "../parts/states.js";
import { filled, shownAsMail } from "../parts/template.js";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const at = (hours) => new Date(NOW + hours * 3_600_000).toISOString();
const none = { submissions: [], drafts: [], draft: false, withdrawn: false };
const sent = (status, committee = null) => ({ status, committee });

test("how somebody stands with an application", () => {
  const standing = (entry, end = at(1)) => standingAt({ ...none, ...entry }, end, NOW);
  assert.equal(standing({}), "new");
  assert.equal(standingAt(undefined, at(1), NOW), "new");
  assert.equal(standing({ draft: true, drafts: [null] }), "draft");
  assert.equal(standing({ draft: true, drafts: [null] }, at(-1)), "closed");
  assert.equal(standing({ withdrawn: true }), "withdrawn");
  assert.equal(standing({ submissions: [sent(1)] }, at(-1)), "sent");
  assert.equal(standing({ submissions: [sent(1)], drafts: [null] }), "changed");
  assert.equal(standing({ submissions: [sent(1, 7)], drafts: [8] }), "draft");
  assert.equal(standing({ submissions: [sent(4), sent(1, 7)] }), "sent");
  assert.equal(standing({ submissions: [sent(4), sent(2, 7)] }), "decided");
  // What was typed after a decision can no longer be sent.
  assert.equal(standing({ submissions: [sent(4)], drafts: [null] }), "decided");
});

test("what is unsent, and what concerns one committee", () => {
  const entry = { ...none, submissions: [sent(1, 7)], drafts: [null, 7, 8], draft: true };
  assert.deepEqual(unsentOf(entry), [null, 8]);
  const one = ofCommittee(entry, 7);
  assert.deepEqual([one.submissions, one.drafts, one.draft], [[sent(1, 7)], [7], true]);
  assert.deepEqual(ofCommittee(entry, 9).draft, false);
});

test("the state of an application, and the order of several", () => {
  const form = (start, end, active = true) => ({
    is_active: active,
    application_start_time: at(start),
    application_end_time: at(end),
  });
  const [open, coming, closed] = [form(-1, 1), form(1, 2), form(-2, -1)];
  const [older, off] = [form(-9, -8), form(-1, 1, false)];
  const states = [open, coming, closed, off].map((one) => stateAt(one, NOW));
  assert.deepEqual(states, ["open", "coming", "closed", "inactive"]);
  const all = [off, older, closed, coming, open];
  assert.deepEqual(inOrderAt(all, NOW), [open, coming, closed, older, off]);
});

test("what is missing", () => {
  const form = (questions, end, external_url = null) =>
    problemsAt({ questions, application_end_time: end, external_url }, NOW);
  assert.deepEqual(form([], at(-1)), ["questions", "end"]);
  assert.deepEqual(form([], null), ["questions", "end"]);
  assert.deepEqual(form([], at(1), "https://forms.example/"), []);
  assert.deepEqual(form([{}], at(1)), []);
  const club = { description: "", image_url: null, tags: [], email: "", website: null };
  assert.deepEqual(missingOf(club), ["description", "image", "tags", "contact"]);
  const full = { description: "x", image_url: "x", tags: [{}], email: "", website: "x" };
  assert.deepEqual(missingOf(full), []);
});

test("numbers", () => {
  const all = counted(["a", "b", "a"], (one) => one);
  assert.deepEqual(all, [
    ["a", 2],
    ["b", 1],
  ]);
  const of = (state) => ({ interview: state && { state } });
  const slots = [
    { start_time: at(1), capacity: 3, booked: 1 },
    { start_time: at(-1), capacity: 9, booked: 0 },
  ];
  const people = [of("invited"), of("booked"), of(null)];
  assert.deepEqual(interviewsAt(people, slots, NOW), {
    invited: 2,
    booked: 1,
    free: 2,
    isShort: false,
  });
  const more = [...people, of("invited"), of("invited")];
  assert.equal(interviewsAt(more, slots, NOW).isShort, true);
});

test("a mail as its recipient reads it", () => {
  const template =
    "<p>Dear {{ name }}{% if committee %}, {{committee}}{% else %}, all{% endif %}</p>";
  assert.equal(filled(template, { name: "Ann", committee: "IT" }), "<p>Dear Ann, IT</p>");
  assert.equal(filled(template, { name: "<b>", committee: "" }), "<p>Dear &lt;b&gt;, all</p>");
  const nested = "{% if name %}A{% if reason %}B{% endif %}{% endif %}";
  assert.equal(filled(nested, { name: "Ann", reason: "" }), "A");
  assert.equal(
    shownAsMail("Dear <{{ name }},\nhello\n\nBye"),
    "<p>Dear &lt;{{ name }},<br>hello</p><p>Bye</p>",
  );
  assert.equal(shownAsMail("<p>Dear</p>"), "<p>Dear</p>");
});

test("the part of a picture", () => {
  const wide = { width: 400, height: 300 };
  const whole = partOf(wide, 1, { zoom: 1, x: 0.5, y: 0.5 });
  assert.deepEqual(whole, { left: 50, top: 0, width: 300, height: 300 });
  const corner = partOf(wide, 1, { zoom: 2, x: 1, y: 1 });
  assert.deepEqual(corner, { left: 250, top: 150, width: 150, height: 150 });
});
