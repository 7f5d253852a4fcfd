// Which questions somebody is asked, who chose something.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CHOICE, FREE, chain, questionsFor } from "../parts/asked.js";

const question = (id, more = {}) => ({
  id,
  question_type: CHOICE,
  committee_question: false,
  committees: [],
  show_if: null,
  ...more,
});
const after = (id, ...options) => ({ show_if: { question: id, options } });
const asked = (questions, answers = {}, committee = null) =>
  questionsFor({ questions }, committee, answers).map((one) => one.id);
const chose = (option) => ({ text: "", multiple_choice: option });

test("a question with a condition is asked of those who chose one of its options", () => {
  const form = [question(1), question(2, { question_type: FREE, ...after(1, 10, 11) })];
  assert.deepEqual(asked(form), [1]);
  assert.deepEqual(asked(form, { 1: chose(12) }), [1]);
  assert.deepEqual(asked(form, { 1: chose(11) }), [1, 2]);
});

test("what depends on a question that is not asked is not asked", () => {
  const form = [question(1), question(2, after(1, 10)), question(3, after(2, 20))];
  const second = { 2: chose(20) };
  assert.deepEqual(asked(form, second), [1]);
  assert.deepEqual(asked(form, { 1: chose(10), ...second }), [1, 2, 3]);
  assert.deepEqual(
    chain(form, form[2]).map((one) => one.id),
    [2, 1],
  );
});

test("the committee decides, too", () => {
  const form = [
    question(1, { committee_question: true, committees: [5] }),
    question(2, after(1, 10)),
  ];
  assert.deepEqual(asked(form, { 1: chose(10) }), []);
  assert.deepEqual(asked(form, { 1: chose(10) }, 5), [1, 2]);
});

test("a form that is wrong has an end", () => {
  const form = [question(1, after(2, 20)), question(2, after(1, 10)), question(3, after(9, 1))];
  const answers = { 1: chose(10), 2: chose(20) };
  assert.deepEqual(asked(form, answers), []);
  assert.equal(chain(form, form[0]).length, 2);
});
