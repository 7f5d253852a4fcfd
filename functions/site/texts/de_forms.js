// Die Texte zu den Fragen von Formularen auf Deutsch, wie in `de.js`.

export default {
  "ask.condition": "Gefragt werden",
  "ask.condition.all": "Alle",
  "ask.condition.of": "Wer gewählt hat bei: {prompt}",
  "ask.condition.options": "Diese Möglichkeiten",
  "ask.hidden":
    "{n} Antwort auf eine Frage, die dir nicht gestellt wird, wird nicht gesendet.|{n} Antworten auf Fragen, die dir nicht gestellt werden, werden nicht gesendet.",
  "ask.if": "Gefragt, wenn „{prompt}“ so beantwortet wird: {options}",
  "ask.missing": "Diese Frage braucht eine Antwort.",
  "ask.or": "{first} oder {last}",
  "ask.path": "Was gefragt wird, hängt davon ab, was hier gewählt wird.",
  "ask.required": "Pflicht",
  "ask.required.field": "Eine Antwort ist Pflicht",
};
