// Files from the person's machine, chosen or dropped.

import { Crop } from "./crop.js";
import { Form } from "./form.js";
import { html, useSignal } from "./kit.js";
import { t } from "./texts.js";
import { confirmed, say } from "./ui.js";

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

/** The service takes images of at most this size; larger ones are made smaller here. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const SIDE_PX = 2400;

/** An image of at most this size: a photo that is too large is drawn again, smaller. */
export async function fitting(file, largest = LARGEST_BYTES) {
  if (file.size <= largest || typeof OffscreenCanvas === "undefined") return file;
  const image = await createImageBitmap(file).catch(() => null);
  if (!image) return file;
  for (let side = SIDE_PX; side > 300; side /= 2) {
    const scale = Math.min(1, side / Math.max(image.width, image.height));
    const canvas = new OffscreenCanvas(
      Math.round(image.width * scale),
      Math.round(image.height * scale),
    );
    const context = canvas.getContext("2d");
    if (!context) return file;
    // What one could see through would be black.
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
    if (smaller.size <= largest) return new File([smaller], "photo.jpg", { type: "image/jpeg" });
  }
  return file;
}

/**
 * An image that can be replaced and removed, and what it shows. `ratio` is the shape of the part
 * that is chosen, width to height.
 * @param {{ url: string | null, label: string, name: string, alt: string, ratio: number,
 *   upload: any, remove: any, describe: (values: { image_alt: string }) => any,
 *   reload: () => any }} props
 */
export function Image({ url, label, name, alt, ratio, upload, remove, describe, reload }) {
  /** What was chosen, until it is known which part of it is wanted. */
  const cropped = useSignal(/** @type {{file: File, picture: ImageBitmap} | null} */ (null));
  const send = async (file) => upload(await fitting(file));
  const take = async (file) => {
    const picture = await createImageBitmap(file).catch(() => null);
    // A moving picture would stop, and the service says what is wrong with what is no picture.
    if (!picture || file.type === "image/gif") return send(file);
    const isFitting = Math.abs(picture.width / picture.height / ratio - 1) < 0.02;
    if (isFitting) return send(file);
    cropped.value = { file, picture };
  };
  const fields = [{ name: "image_alt", label: t("files.alt"), hint: t("files.alt.hint") }];
  return html`<div class="row middle">
    ${url && html`<img class="preview" src=${url} alt=${alt} />`}
    <${Drop} label=${label} accept="image/png,image/jpeg,image/webp,image/gif"
      take=${take} />
    ${
      cropped.value &&
      html`<${Crop} ...${cropped.value} ratio=${ratio} take=${send}
      close=${() => (cropped.value = null)} />`
    }
    ${
      url &&
      html`<button type="button" class="danger"
      onClick=${() =>
        confirmed(t("files.remove.sure")) &&
        remove().catch((error) => say(error.message, "problem"))}>${t("files.remove")}</button>`
    }
  </div>
  ${
    url &&
    html`<${Form} name=${`alt-${name}`} fields=${fields} data=${{ image_alt: alt }}
      submit=${t("files.alt.save")} send=${describe} stored=${reload} reload=${reload} />`
  }`;
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
