// `/admin/import/`: a list of clubs, from a spreadsheet.

import { html } from "../parts/kit.js";
import { Importer } from "../parts/importer.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Title } from "../parts/ui.js";

export default function ImportClubs() {
  return html`<${Title}>${t("import.clubs")}<//>
    <p><a href=${link("/admin/")}>${t("admin")}</a></p>
    <${Importer} path="/clubs/import/"
      columns="code, name, subtitle, description, email, website, tags, owner"
      example="name,tags,owner" />`;
}
