// Which questions of an application are asked of whom.

/** The types of questions, as the API counts them. */
export const [FREE, CHOICE, SHORT, INFO, FILE] = [1, 2, 3, 4, 5];

/** The question with this id. */
export const find = (questions, id) => questions.find((one) => one.id === id);

/** The questions that a question depends on, the nearest first. */
export function chain(questions, question) {
  const found = [];
  for (
    let above = find(questions, question.show_if?.question);
    above && !found.includes(above);
    above = find(questions, above.show_if?.question)
  )
    found.push(above);
  return found;
}

const isFor = (question, committee) =>
  !question.committee_question || question.committees.includes(committee);

/** The questions that somebody who applies to a committee is asked, and chose these answers. */
export function questionsFor(application, committee, answers) {
  const byId = new Map(application.questions.map((one) => [one.id, one]));
  // The API has no circles; a question is looked at once all the same.
  const isAsked = (question, seen) => {
    if (!question || seen.includes(question) || !isFor(question, committee)) return false;
    const condition = question.show_if;
    return (
      !condition ||
      (condition.options.includes(answers[condition.question]?.multiple_choice) &&
        isAsked(byId.get(condition.question), [...seen, question]))
    );
  };
  return application.questions.filter((question) => isAsked(question, []));
}
