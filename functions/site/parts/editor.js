// A field for formatted text. The API cleans what is sent. What a template names stands in the text
// as a chip, so that nobody has to write its signs.

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

/** What a template names, and its conditions. */
const TOKEN = /\{\{\s*(\w+)\s*\}\}|\{%\s*(if\s+\w+|else|endif)\s*%\}/;

/** A chip for a token, with a name for people. */
function chipOf(token, names) {
  const [, name = "", condition] = TOKEN.exec(token) ?? [];
  const chip = document.createElement("span");
  chip.className = condition ? "chip warn" : "chip";
  chip.contentEditable = "false";
  chip.dataset.token = token;
  const [word, of] = (condition ?? "").split(/\s+/);
  const about = { if: "editor.if", else: "editor.else", endif: "editor.endif" }[word ?? ""];
  chip.textContent = about ? t(about, { name: names[of ?? ""] ?? of }) : (names[name] ?? name);
  return chip;
}

/**
 * Makes chips of the tokens in a text. Those in addresses stay as they are. The caret stays where
 * it is, and behind a token that was just inserted.
 */
function chipsIn(root, names) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!node.parentElement?.dataset.token) found.push(node);
  }
  const selection = getSelection();
  for (const text of found) {
    for (let node = text, at = node.data.search(TOKEN); at >= 0; at = node.data.search(TOKEN)) {
      const token = node.splitText(at);
      const [sign = ""] = token.data.match(TOKEN) ?? [];
      node = token.splitText(sign.length);
      const isHere = selection?.focusNode === token;
      token.replaceWith(chipOf(sign, names));
      if (isHere) selection?.collapse(node, 0);
    }
  }
}

/** HTML with chips for the tokens of its text. */
function withChips(text, names) {
  const box = document.createElement("template");
  box.innerHTML = text;
  chipsIn(box.content, names);
  return box.innerHTML;
}

/** Makes tokens of the chips, so that the browser moves them like other text. */
function tokensIn(root) {
  const selection = getSelection();
  const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
  const { startContainer, startOffset, endContainer, endOffset } = range ?? {};
  for (const chip of root.querySelectorAll("[data-token]"))
    chip.replaceWith(/** @type {HTMLElement} */ (chip).dataset.token ?? "");
  // One node stands where one stood, so that all places are the same.
  if (startContainer?.isConnected && endContainer?.isConnected)
    selection?.setBaseAndExtent(startContainer, startOffset ?? 0, endContainer, endOffset ?? 0);
}

/** The HTML of the field, with tokens for its chips. */
function withTokens(place) {
  const copy = /** @type {HTMLElement} */ (place.cloneNode(true));
  for (const chip of copy.querySelectorAll("[data-token]"))
    chip.replaceWith(/** @type {HTMLElement} */ (chip).dataset.token ?? "");
  return copy.innerHTML;
}

/**
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.value
 * @param {(value: string) => void} props.change
 * @param {string} [props.notes] the id of what is said below the field
 * @param {string} [props.label] its name, if it has no label of its own
 * @param {Record<string, string>} [props.names] what a template can name, with a word for people
 */
export function Editor({ id, value, change, notes, label, names }) {
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
    if (at >= 0) return;
    const shown = names ? withChips(value, names) : value;
    if (place.current.innerHTML !== shown) place.current.innerHTML = shown;
  }, [value]);
  const tell = () => {
    const { textContent, innerHTML } = place.current;
    const typed = names ? withTokens(place.current) : innerHTML;
    // A template without a tag would be taken for plain text.
    const all = names && !typed.includes("<") ? `<p>${typed}</p>` : typed;
    const text = textContent.trim() || place.current.querySelector("img") ? all : "";
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
    tokensIn(place.current);
    if (command === "removeFormat") {
      document.execCommand("unlink");
      document.execCommand("formatBlock", false, "<p>");
    }
    document.execCommand(command, false, given);
    if (names) chipsIn(place.current, names);
    tell();
  };
  const paste = (event) => {
    event.preventDefault();
    const source = pasted(event.clipboardData.getData("text/html"));
    // Blocks inside a heading would become parts of it.
    if (/^<(p|h[23]|[uo]l)\b/.test(source)) {
      if (!getSelection()?.isCollapsed) document.execCommand("delete");
      if (/^h\d$/i.test(document.queryCommandValue("formatBlock")))
        document.execCommand("formatBlock", false, "<p>");
    }
    if (source) document.execCommand("insertHTML", false, source);
    else document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
    if (names) chipsIn(place.current, names);
    tell();
  };
  /** What is copied or cut has tokens, so that it can be pasted as such. */
  const copy = (event) => {
    const selection = getSelection();
    if (!names || !selection || selection.isCollapsed) return;
    event.preventDefault();
    const box = document.createElement("div");
    box.append(selection.getRangeAt(0).cloneContents());
    const text = withTokens(box);
    event.clipboardData.setData("text/html", text);
    box.innerHTML = text;
    event.clipboardData.setData("text/plain", box.textContent);
    if (event.type !== "cut") return;
    document.execCommand("delete");
    tell();
  };
  const insert = (name) => {
    place.current.focus();
    document.execCommand("insertText", false, `{{ ${name} }}`);
    chipsIn(place.current, names);
    tell();
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
    ${
      names &&
      html`<div class="line" role="group" aria-label=${t("builder.mail.names")}>
      <span class="small quiet">${t("builder.mail.names")}</span>
      ${Object.entries(names).map(
        ([name, text]) => html`<button type="button" class="chip" key=${name}
        onMouseDown=${(event) => event.preventDefault()} onClick=${() => insert(name)}>
          ${text}</button>`,
      )}</div>`
    }
    <div id=${id} ref=${place} class="rich" contenteditable="true" role="textbox"
      aria-multiline="true" tabindex="0"
      aria-label=${label} aria-labelledby=${label ? undefined : `${id}-label`} aria-describedby=${notes} onInput=${tell} onPaste=${paste}
      onCopy=${copy} onCut=${copy}>
        </div>
  </div>`;
}
