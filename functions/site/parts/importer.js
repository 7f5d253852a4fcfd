// An import of rows: a check that changes nothing, what is wrong with rows, and the import itself.

import { html, useSignal } from "./kit.js";
import { call } from "./api.js";
import { importAll, records } from "./csv.js";
import { Drop, textOf } from "./files.js";
import { useTyped } from "./form.js";
import { loadProblems, t, told } from "./texts.js";
import { Action, Field } from "./ui.js";

/** Rows of one call: all that it takes, because it finds what is in one of them twice. */
const PART = 1000;
const COUNTS = ["created", "updated", "invited", "skipped"];

/**
 * @param {object} props
 * @param {"/clubs/import/" | `/clubs/${string}/members/import/`} props.path
 * @param {string} props.columns
 * @param {string} props.example
 */
export function Importer({ path, columns, example }) {
  const { typed, set } = useTyped(`import ${path}`);
  const text = typed.value.rows?.now ?? "";
  const result = useSignal(/** @type {import("../api").Schemas["ImportBody"] | null} */ (null));
  /** Whether an import ended before all rows were done. */
  const isPart = useSignal(false);
  const progress = useSignal(/** @type {null | {done: number, all: number}} */ (null));
  const run = (dry) => async () => {
    if (records(text).length < 2) throw new Error(t("import.none"));
    const isRoster = path !== "/clubs/import/";
    const send = async (part, before) => {
      // Each part is checked alone: it has to know what the parts before would do.
      const planned = isRoster ? `&planned=${before.created + before.invited}` : "";
      const to = dry ? /** @type {const} */ (`${path}?dry_run=true${planned}`) : path;
      return (await call("POST", to, { text: part })).data;
    };
    let found;
    try {
      found = await importAll(text, PART, send, (done, all) => (progress.value = { done, all }));
    } catch (error) {
      // What was imported before is told, and only the other rows stay.
      if (!dry && error.left !== undefined) {
        if ((typed.value.rows?.now ?? "") === text) {
          change(error.left);
          result.value = error.done;
          isPart.value = true;
        }
      }
      throw error;
    } finally {
      await loadProblems();
      progress.value = null;
    }
    // What was typed meanwhile was not checked, and stays.
    const isSame = (typed.value.rows?.now ?? "") === text;
    if (isSame || !dry) result.value = found;
    if (dry) return;
    // Rows with errors are left out of the import, and can be corrected here.
    if (isSame && found.errors.length === 0) set({});
  };
  const change = (value) => {
    set(value ? { rows: { now: value, base: "" } } : {});
    result.value = null;
    isPart.value = false;
  };
  const found = result.value;
  const wrong =
    found && t("import.errors", { n: new Set(found.errors.map((one) => one.row)).size });
  // Only what was checked can be imported.
  const checked = found?.dry_run;
  return html`
    <p>${t("import.about", { columns })}</p>
    <${Drop} label=${t("import.file")} accept=".csv,text/csv"
      take=${async (file) => change(await textOf(file))} />
    <${Field} id="rows" label=${t("import.rows")} hint=${t("import.example", { example })}>
      <textarea id="rows" rows="8" spellcheck="false" value=${text}
        onInput=${(event) => change(event.currentTarget.value)} aria-describedby="rows-notes">
          </textarea><//>
    <p class="row">
      <${Action} className=${checked ? "" : "main"} run=${run(true)} disabled=${!text.trim()}>
        ${t("import.check")}<//>
      ${
        checked &&
        html`<${Action} className="main" run=${run(false)} done=${t("import.done")}>
        ${t("import.run")}<//>`
      }
    </p>
    ${
      progress.value &&
      html`<p role="status">${t("import.progress", progress.value)}
      <progress max=${progress.value.all} value=${progress.value.done}
        aria-label=${t("import.progress", progress.value)}></progress></p>`
    }
    ${
      found &&
      html`<section class="card" role="status">
      <h2>${t(isPart.value ? "import.part" : found.dry_run ? "import.would" : "import.done")}</h2>
      <dl>${COUNTS.map((name) => html`<dt>${t(`import.${name}`)}</dt><dd>${found[name]}</dd>`)}</dl>
      ${
        (found.ignored_columns ?? []).length > 0 &&
        html`<p>${t("import.ignored", { columns: (found.ignored_columns ?? []).join(", ") })}</p>`
      }
      ${
        found.errors.length > 0 &&
        html`<h3>${wrong}</h3>
        <div class="scroll" tabindex="0" role="region"
          aria-label=${wrong}><table>
          <thead><tr><th scope="col">${t("import.row")}</th><th scope="col">${t("import.column")}
            </th><th scope="col">${t("import.problem")}</th></tr></thead>
          <tbody>${found.errors.map(
            (one) => html`<tr><td>${one.row}</td><td>${one.field}</td><td>
            ${told(one.reason, one.message, one.field)}</td></tr>`,
          )}</tbody>
        </table></div>`
      }
    </section>`
    }`;
}
