// Files from the person's machine, chosen or dropped.

import { html, useSignal } from "./kit.js";
import { t } from "./texts.js";
import { say } from "./ui.js";

/** A place to drop a file on, or to choose one. `take` gets it. */
export function Drop({ label, accept, take }) {
  const isOver = useSignal(false);
  const busy = useSignal(false);
  const give = async (file) => {
    if (!file || busy.value) return;
    busy.value = true;
    try {
      await take(file);
    } catch (error) {
      say(error.message, "problem");
    } finally {
      busy.value = false;
    }
  };
  const over = (is) => (event) => {
    event.preventDefault();
    isOver.value = is;
  };
  return html`<label class=${isOver.value ? "drop over" : "drop"} aria-busy=${busy.value}
    onDragOver=${over(true)} onDragLeave=${over(false)}
    onDrop=${(event) => {
      over(false)(event);
      give(event.dataTransfer.files[0]);
    }}>
    <span>${label}</span> <span class="quiet">${t("files.drop")}</span>
    <input type="file" accept=${accept} onChange=${(event) => {
      give(event.currentTarget.files[0]);
      event.currentTarget.value = "";
    }} />
  </label>`;
}

/** An image that can be replaced and removed. */
export function Image({ url, label, upload, remove }) {
  return html`<div class="row middle">
    ${url && html`<img class="preview" src=${url} alt="" />`}
    <${Drop} label=${label} accept="image/png,image/jpeg,image/webp,image/gif" take=${upload} />
    ${url && html`<button type="button" class="danger" onClick=${() => remove().catch((error) => say(error.message, "problem"))}>${t("files.remove")}</button>`}
  </div>`;
}

/** The text of a file: UTF-8, or what spreadsheets write on Windows. */
export async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Saves a text as a file. */
export function download(name, text, type) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(new Blob([text], { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}
