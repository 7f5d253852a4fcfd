// Templates of mails as the service fills them in. Nothing here knows the page.

/** A condition without others inside: on what, what it shows, and what else it would. */
const CONDITION =
  /\{%\s*if\s+(\w+)\s*%\}((?:(?!\{%).)*)(?:\{%\s*else\s*%\}((?:(?!\{%).)*))?\{%\s*endif\s*%\}/s;

const escaped = (value) =>
  String(value ?? "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** A template as its recipient would see it. */
export function filled(template, values) {
  let text = template;
  while (CONDITION.test(text)) {
    text = text.replace(CONDITION, (_, name, shown, other) =>
      values[name] ? shown : (other ?? ""),
    );
  }
  return text
    .replace(/\{%.*?%\}/gs, "")
    .replace(/\{\{\s*(\w+)[^}]*\}\}/g, (_, name) => escaped(values[name]));
}

const TAG = /<\/?[a-z][a-z0-9]*(\s[^>]*)?\/?>/i;

/** A template without a tag is text: its empty lines make paragraphs. The service does the same. */
export function shownAsMail(template) {
  if (TAG.test(template)) return template;
  const text = template.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const paragraphs = text.split(/\n\s*\n/).filter((one) => one.trim());
  return paragraphs.map((one) => `<p>${one.trim().replaceAll("\n", "<br>")}</p>`).join("");
}
