// Choosing the part of a picture that is shown: by dragging it, and by sliders for the keyboard.

import { html, useEffect, useRef, useSignal } from "./kit.js";
import { partOf } from "./crop_part.js";
import { t } from "./texts.js";
import { Action, Dialog } from "./ui.js";

/** The width of the picture while it is chosen, and the largest of what is stored, in pixels. */
const SHOWN_PX = 420;
const LARGEST_PX = 1600;

/** Draws the part onto a canvas of this width. */
function draw(canvas, picture, part) {
  const { left, top, width, height } = part;
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height);
}

/** The part as a file of the same kind. */
async function cut(file, picture, part) {
  const width = Math.round(Math.min(part.width, LARGEST_PX));
  const canvas = new OffscreenCanvas(width, Math.round((width * part.height) / part.width));
  draw(canvas, picture, part);
  // Only a photo has nothing that one can see through.
  const type = file.type === "image/jpeg" ? file.type : "image/png";
  const blob = await canvas.convertToBlob({ type, quality: 0.9 });
  return new File([blob], type === "image/jpeg" ? "picture.jpg" : "picture.png", { type });
}

/**
 * @param {object} props
 * @param {File} props.file
 * @param {ImageBitmap} props.picture
 * @param {number} props.ratio
 * @param {(file: File) => Promise<unknown>} props.take
 * @param {() => void} props.close
 */
export function Crop({ file, picture, ratio, take, close }) {
  const at = useSignal({ zoom: 1, x: 0.5, y: 0.5 });
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const part = partOf(picture, ratio, at.value);
  useEffect(() => draw(canvas.current, picture, part), [at.value]);
  const slider = (name, most = 1, least = 0) => html`<label class="row middle"><span>
    ${t(`crop.${name}`)}</span> <input type="range" min=${least} max=${most} step="0.01"
      value=${at.value[name]}
      onInput=${(event) => (at.value = { ...at.value, [name]: Number(event.currentTarget.value) })}
      /></label>`;
  /** Moves the picture with the pointer, and not beyond its edges. */
  const drag = (event) => {
    if (event.buttons === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const scale = part.width / event.currentTarget.clientWidth;
    const moved = (place, by, room) =>
      room > 0 ? Math.min(1, Math.max(0, place - (by * scale) / room)) : place;
    at.value = {
      ...at.value,
      x: moved(at.value.x, event.movementX, picture.width - part.width),
      y: moved(at.value.y, event.movementY, picture.height - part.height),
    };
  };
  const give = (chosen) => async () => {
    await take(chosen ?? (await cut(file, picture, part)));
    close();
  };
  return html`<${Dialog} label=${t("crop")} close=${close}>
    <canvas ref=${canvas} class="crop" width=${SHOWN_PX} height=${Math.round(SHOWN_PX / ratio)}
      role="img" aria-label=${t("crop.preview")} onPointerMove=${drag}></canvas>
    ${slider("zoom", 4, 1)}${slider("x")}${slider("y")}
    <p class="row"><${Action} className="main" run=${give(null)}>${t("crop.use")}<//>
      <${Action} run=${give(file)}>${t("crop.whole")}<//>
      <button onClick=${close}>${t("cancel")}</button></p><//>`;
}
