// The texts about the questions of forms in English, as in `en.js`. They are loaded with the form of
// an application, and with the texts of officers.

export default {
  "ask.condition": "Asked of",
  "ask.condition.all": "Everybody",
  "ask.condition.of": "Those who chose at: {prompt}",
  "ask.condition.options": "These options",
  "ask.hidden":
    "{n} answer to a question that you are not asked is not sent.|{n} answers to questions that you are not asked are not sent.",
  "ask.if": "Asked if “{prompt}” is {options}",
  "ask.missing": "This question needs an answer.",
  "ask.or": "{first} or {last}",
  "ask.path": "What is asked depends on what is chosen here.",
  "ask.required": "required",
  "ask.required.field": "An answer is required",
};
