// The files of submissions: opened one by one, or all of them stored on this machine.

import { html, useSignal } from "./kit.js";
import { get } from "./api.js";
import { sized } from "./file_question.js";
import { url } from "./path.js";
import { t } from "./texts.js";
import { Action, Icon, say, useUnsaved } from "./ui.js";

/** A file may take this long on a slow network. */
const LONGEST_MS = 150_000;

/** The files of a submission, in the order of its questions. */
export const filesOf = (submission) =>
  submission.responses.flatMap((answer) => (answer.file ? [answer.file] : []));

/** An address of a file, which is good for a minute. */
async function addressOf({ club, application, id }, file) {
  const path = url`/clubs/${club}/applications/${application}/submissions/${id}/files/${file.id}/`;
  return (await get(path)).url;
}

/** Lets the browser store what is at an address, or in memory. */
function store(address, name) {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
}

/** Opens a file: the bucket hands it out to be stored, never as a page. */
export async function openFile(submission, file) {
  store(await addressOf(submission, file), file.name);
}

/** @param {{submission: any, file: any}} props */
export const FileLink = ({
  submission,
  file,
}) => html`<span class="line"><${Icon} name="file-text" />
  <span class="cut">${file.name} (${sized(file.size)})</span>
  <${Action} className="plain" run=${() => openFile(submission, file)}
    label=${`${t("file.open")}: ${file.name}`}>${t("file.open")}<//></span>`;

const ENDINGS = {
  "application/pdf": [".pdf"],
  "image/png": [".png"],
  "image/jpeg": [".jpg", ".jpeg"],
};

/** The name of a file with the ending of its type: no program hides behind a document. */
function endingAsType({ name, type }) {
  const endings = ENDINGS[type] ?? [];
  const isRight = endings.some((ending) => name.toLowerCase().endsWith(ending));
  return isRight || endings.length === 0 ? name : name + endings[0];
}

/** A name that no other file has: with the name of its applicant, and a number if need be. */
export function uniqueName(file, owner, used) {
  const whole = `${owner} – ${endingAsType(file)}`.replace(/[\\/]/g, "_");
  const end = /\.[^.]+$/.exec(whole)?.[0] ?? "";
  const bare = whole.slice(0, whole.length - end.length);
  let unique = whole;
  for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${bare} (${n})${end}`;
  used.add(unique.toLowerCase());
  return unique;
}

/**
 * A button that stores all files of these submissions.
 * @param {{rows: any[], nameOf: (submission: any) => string}} props
 */
export function AllFiles({ rows, nameOf }) {
  const done = useSignal(/** @type {number | null} */ (null));
  useUnsaved(done.value !== null);
  const all = rows.flatMap((one) => filesOf(one).map((file) => ({ one, file })));
  if (all.length === 0) return null;
  const run = async () => {
    const used = new Set();
    let missing = 0;
    done.value = 0;
    try {
      for (const { one, file } of all) {
        try {
          const signal = AbortSignal.timeout(LONGEST_MS);
          const response = await fetch(await addressOf(one, file), { signal });
          if (!response.ok) throw new Error(String(response.status));
          const address = URL.createObjectURL(await response.blob());
          store(address, uniqueName(file, nameOf(one), used));
          setTimeout(() => URL.revokeObjectURL(address), 60_000);
        } catch {
          missing += 1;
        }
        done.value += 1;
      }
    } finally {
      done.value = null;
    }
    if (missing) say(t("file.missing", { n: missing }), "problem");
    else say(t("file.all.done", { n: all.length }));
  };
  return html`<${Action} run=${run}><${Icon} name="download" /> ${
    done.value === null
      ? t("file.all", { n: all.length })
      : t("file.all.progress", { done: done.value, all: all.length })
  }<//>`;
}
