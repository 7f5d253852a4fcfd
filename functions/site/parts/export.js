// Tables of submissions and members as files: for Excel, or CSV.

import { html } from "./kit.js";
import { call } from "./api.js";
import { download } from "./files.js";
import { t } from "./texts.js";
import { Action, Icon } from "./ui.js";

/** The service needs some seconds for a large one. */
const EXPORT_MS = 30_000;

/**
 * The buttons that save the rows which are shown.
 * @param {object} props
 * @param {`/clubs/${string}/members/export/` |
 *   `/clubs/${string}/applications/${string}/submissions/export/`} props.path
 * @param {string} props.name of the file, without its ending
 * @param {() => number[]} props.ids
 */
export function SaveTable({ path, name, ids }) {
  const save = (format) => async () => {
    const body = { ids: ids() };
    /** @type {{data: any}} */
    const { data } = await call("POST", `${path}?format=${format}`, { body, limit: EXPORT_MS });
    // Reading a text took its first sign away, by which Excel knows that it is UTF-8.
    if (format === "csv") download(`${name}.csv`, `\ufeff${data}`, "text/csv");
    else download(`${name}.xlsx`, data, data.type);
  };
  return html`<${Action} run=${save("xlsx")}><${Icon} name="download" /> ${t("export.xlsx")}<//>
    <${Action} run=${save("csv")}><${Icon} name="download" /> ${t("submissions.csv")}<//>`;
}
