// Reads QR codes with the camera of the device: by the browser where it can, else by a library.

import { html, useEffect, useRef, useSignal } from "./kit.js";
import { useAwake } from "./awake.js";
import { t } from "./texts.js";
import { Action, Icon } from "./ui.js";

/** The pause between two looks, and how long a code must be gone to be read again. */
const [LOOK_MS, SAME_MS] = [150, 4000];
/** The library needs no larger picture. */
const SIDE_PX = 480;

/** What the browser itself reads from a video; null if it cannot. */
async function own() {
  const Detector = /** @type {any} */ (globalThis).BarcodeDetector;
  const formats = (await Detector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!formats.includes("qr_code")) return null;
  const detector = new Detector({ formats: ["qr_code"] });
  return async (video) => (await detector.detect(video))[0]?.rawValue ?? "";
}

/** What the library reads from a video. */
async function library() {
  const { decodeQR } = await import("../vendor/qr.js");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    const scale = Math.min(1, SIDE_PX / video.videoWidth);
    canvas.width = video.videoWidth * scale;
    canvas.height = video.videoHeight * scale;
    context?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const image = context?.getImageData(0, 0, canvas.width, canvas.height);
    try {
      return image ? decodeQR(image) : "";
    } catch {
      // There is no code in the picture.
      return "";
    }
  };
}

/** What reads a code from a video: a text, or an empty one. */
async function reader() {
  let read = (await own()) ?? (await library());
  return async (video) => {
    try {
      return await read(video);
    } catch {
      // Some browsers say that they can, and cannot.
      read = await library();
      return "";
    }
  };
}

/** @param {{read: (text: string) => any, begin: () => any}} props `begin` is told of the press */
export function Camera({ read, begin }) {
  const isOn = useSignal(false);
  const wrong = useSignal(false);
  const place = useRef(/** @type {HTMLVideoElement | null} */ (null));
  useAwake(isOn.value);
  const take = useRef(read);
  take.current = read;
  useEffect(() => {
    if (!isOn.value) return;
    let isHere = true;
    let stream;
    const run = async () => {
      const look = await reader();
      stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: "environment" },
        audio: false,
      });
      const video = place.current;
      if (!isHere || !video) return;
      video.srcObject = stream;
      await video.play();
      let seen = { text: "", at: 0 };
      while (isHere) {
        const text = video.videoWidth > 0 ? await look(video) : "";
        const isSame = text === seen.text && Date.now() - seen.at < SAME_MS;
        if (text) seen = { text, at: Date.now() };
        if (text && !isSame) take.current(text);
        await new Promise((done) => setTimeout(done, LOOK_MS));
      }
    };
    run()
      .catch(() => {
        wrong.value = true;
        isOn.value = false;
      })
      .finally(() => !isHere && stream?.getTracks().forEach((track) => track.stop()));
    return () => {
      isHere = false;
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, [isOn.value]);
  const start = () => {
    begin();
    wrong.value = false;
    isOn.value = !isOn.value;
  };
  return html`<p class="flat"><${Action} className=${isOn.value ? "" : "main"} run=${start}
      pressed=${isOn.value}><${Icon} name="qr-code" />
      ${t(isOn.value ? "door.camera.off" : "door.camera")}<//></p>
    ${isOn.value && html`<video class="camera" muted playsinline ref=${place} aria-label=${t("door.camera.about")}></video>`}
    ${wrong.value && html`<p class="problem" role="alert">${t("door.camera.wrong")}</p>`}`;
}
