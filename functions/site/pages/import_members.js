// `/clubs/{club}/import/`: a list of members, from a spreadsheet.

import { html } from "../parts/kit.js";
import { Importer } from "../parts/importer.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Title } from "../parts/ui.js";

export default function ImportMembers({ club }) {
  return html`<${Title}>${t("import.members")}<//>
    <p><a href=${link(url`/clubs/${club}/members/`)}>${t("members")}</a></p>
    <${Importer} path=${url`/clubs/${club}/members/import/`} columns="email, username, role, title"
      example="email,title" />`;
}
