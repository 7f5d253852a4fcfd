// A field for formatted text. The API cleans what is sent.

import { html, useEffect, useRef } from "./kit.js";
import { pasted } from "./pasted.js";
import { t } from "./texts.js";
import { Icon } from "./ui.js";

/** What can be done with the text: the command of the browser, its icon, and an argument. */
const COMMANDS = [
  ["bold", "bold"],
  ["italic", "italic"],
  ["formatBlock", "heading", "<h2>"],
  ["insertUnorderedList", "list"],
  ["insertOrderedList", "list-ordered"],
  ["createLink", "link"],
  ["removeFormat", "remove-formatting"],
];

/** An address that the API keeps in a link; empty if there is none. */
function linked(text) {
  const address = (text ?? "").trim();
  if (!address || /^(https?|mailto):/i.test(address)) return address;
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? "" : `https://${address}`;
}

export function Editor({ id, value, change, notes }) {
  /** @type {{current: any}} */
  const place = useRef(null);
  /** What was told and has not come back as the value: more may be typed until then. Any other
   * value comes from elsewhere, and is shown even in a field that has the focus: what is typed next
   * must not begin from what is not stored any more. */
  const told = useRef(/** @type {string[]} */ ([]));
  useEffect(() => {
    const at = told.current.indexOf(value);
    const isLast = value === told.current.at(-1);
    told.current = at < 0 || isLast ? [] : told.current.slice(at + 1);
    if (at < 0 && place.current.innerHTML !== value) place.current.innerHTML = value;
  }, [value]);
  const tell = () => {
    const { textContent, innerHTML } = place.current;
    const text = textContent.trim() || place.current.querySelector("img") ? innerHTML : "";
    told.current.push(text);
    change(text);
  };
  const format = (command, argument) => {
    place.current.focus();
    document.execCommand("defaultParagraphSeparator", false, "p");
    // `execCommand` is the only way to format that can be undone with the keyboard.
    const given =
      command === "createLink" ? linked(window.prompt(t("editor.address"), "https://")) : argument;
    if (command === "createLink" && !given) return;
    if (command === "removeFormat") {
      document.execCommand("unlink");
      document.execCommand("formatBlock", false, "<p>");
    }
    document.execCommand(command, false, given);
    tell();
  };
  const paste = (event) => {
    event.preventDefault();
    const source = pasted(event.clipboardData.getData("text/html"));
    if (source.startsWith("<")) {
      // Blocks inside a heading would become parts of it.
      document.execCommand("delete");
      document.execCommand("formatBlock", false, "<p>");
    }
    if (source) document.execCommand("insertHTML", false, source);
    else document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
  };
  return html`<div class="editor">
    <div class="row" role="toolbar" aria-label=${t("editor.format")} aria-controls=${id}>
      ${COMMANDS.map(
        ([command, icon, argument]) => html`<button type="button" class="plain" key=${command}
          aria-label=${t(`editor.${command}`)} title=${t(`editor.${command}`)}
        onMouseDown=${(event) => event.preventDefault()} onClick=${() => format(command, argument)}>
          <${Icon} name=${icon} /></button>`,
      )}
    </div>
    <div id=${id} ref=${place} class="rich" contenteditable="true" role="textbox"
      aria-multiline="true" tabindex="0"
      aria-labelledby=${`${id}-label`} aria-describedby=${notes} onInput=${tell} onPaste=${paste}>
        </div>
  </div>`;
}
