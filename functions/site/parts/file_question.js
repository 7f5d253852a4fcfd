// A question for a file, as applicants answer it: chosen or dropped, with progress, and sent again
// after the network failed.

import { html, without } from "./kit.js";
import { call } from "./api.js";
import { Drop, fitting } from "./files.js";
import { useLoad } from "./load.js";
import { unsaved } from "./router.js";
import { decimal, t } from "./texts.js";
import { Icon } from "./ui.js";
import { Refused, TYPES, typed, unfit, upload } from "./upload.js";

const NAMES = { pdf: "PDF", png: "PNG", jpeg: "JPEG" };

/** The formats and the largest size, as they are said before somebody chooses. */
const limits = (question) =>
  t("file.limits", {
    formats: question.formats.map((format) => NAMES[format]).join(", "),
    size: question.max_mb,
  });

/** Goes on at a question whose button is gone. */
export const focusQuestion = (question) =>
  setTimeout(() => document.getElementById(`q${question.id}`)?.focus());

/** A size in KB or MB. */
export const sized = (bytes) =>
  bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1000))} KB`
    : `${decimal(bytes / 1_000_000, 1)} MB`;

/**
 * The name and the size of a file of the applicant.
 * @param {{path: import("../api").OfApplication, id: number}} props
 */
export function FileName({ path, id }) {
  const { data: file, error } = useLoad(`${path}files/${id}/`);
  if (error?.status === 404) return html`<span class="message">${t("file.gone")}</span>`;
  return file ? `${file.name} (${sized(file.size)})` : t("file.there");
}

/**
 * @param {object} props
 * @param {any} props.question
 * @param {any} props.draft
 * @param {boolean} [props.isLocked]
 * @param {import("../api").OfApplication} [props.path] without one, nothing is sent
 */
export function FileField({ question, draft, isLocked, path }) {
  const id = draft.answers.value[question.id]?.file ?? null;
  const state = draft.uploads.value[question.id];
  const sending = state && !state.problem ? state : null;
  /** Notes how far the upload is, or why there is none. It stays in the draft, so that the last
   * page before the sending says it too. */
  const note = (now) => {
    const others = without(draft.uploads.value, question.id);
    draft.uploads.value = now ? { ...others, [question.id]: now } : others;
  };
  const failed = (problem) => note({ part: 0, again: 0, stop: () => {}, problem });
  const take = async (picked) => {
    focusQuestion(question);
    const chosen = await typed(picked);
    const isPhoto = chosen.type === TYPES.jpeg || chosen.type === TYPES.png;
    const mayShrink = question.shrink_photos && isPhoto && question.formats.includes("jpeg");
    const file = mayShrink ? await fitting(chosen, question.max_mb * 1024 * 1024) : chosen;
    const why = unfit(question, file);
    if (why) return failed(t(`file.${why}`, { limits: limits(question) }));
    if (!path) {
      note(null);
      return draft.change(question.id, { file: 1 });
    }
    const giveUp = new AbortController();
    const stop = () => giveUp.abort();
    // With one key the tries are one file, which has one of the few places of a person.
    const key = crypto.randomUUID();
    // It goes on while the form is away, but not without the page.
    unsaved.add(giveUp);
    try {
      const sent = await upload({
        file,
        announce: async (said) => {
          const body = { question: question.id, ...said };
          const announced = /** @type {const} */ (`${path}files/`);
          return (await call("POST", announced, { body, key, tries: 1 })).data;
        },
        told: (now) => note({ ...now, stop }),
        until: giveUp.signal,
      });
      // The button to cancel goes, and the focus with it.
      const isHere = document.activeElement?.closest(`#q${question.id}`);
      note(null);
      if (sent) draft.change(question.id, { file: sent });
      if (isHere) focusQuestion(question);
    } catch (error) {
      failed(error instanceof Refused ? t("file.refused") : error.message);
    } finally {
      unsaved.delete(giveUp);
    }
  };
  return html`
    <p class="quiet small">${limits(question)} ${t("file.unscanned")}</p>
    ${
      state?.problem &&
      html`<p class="message line" role="alert"><${Icon} name="circle-alert" />
      ${state.problem}</p><p><button type="button" onClick=${() => note(null)}>
        ${t("file.without")}</button></p>`
    }
    ${
      id &&
      !sending &&
      html`<p class="card line"><${Icon} name="file-text" />
      <span class="cut">${path ? html`<${FileName} path=${path} id=${id} />` : t("file.there")}</span>
      ${
        !isLocked &&
        html`<button type="button" class="plain push"
        onClick=${() => {
          note(null);
          draft.change(question.id, {});
          focusQuestion(question);
        }}>${t("file.remove")}<span class="hidden">
        ${question.prompt}</span></button>`
      }</p>`
    }
    ${
      sending
        ? html`<div class="card" role="status"><p>${
            sending.again
              ? t("file.again", { n: sending.again })
              : t("file.sending", { n: Math.round(sending.part * 100) })
          }</p><progress max="1" value=${sending.part}></progress>
        <p><button type="button" onClick=${sending.stop}>${t("file.cancel")}</button>
          </p></div>`
        : !isLocked &&
          html`<${Drop} label=${t(id ? "file.replace" : "file.choose")}
        accept=${question.formats.map((format) => TYPES[format]).join(",")} take=${take} />`
    }`;
}
