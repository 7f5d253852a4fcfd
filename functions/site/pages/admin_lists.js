// `/admin/lists/?kind=tags`: tags, badges, schools, majors and years.

import { html } from "../parts/kit.js";
import { Entries } from "../parts/entries.js";
import { KINDS } from "../parts/lists.js";
import { address, link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Title } from "../parts/ui.js";

export default function Lists() {
  const asked = address.value.query.get("kind") ?? "";
  const kind = Object.hasOwn(KINDS, asked) ? asked : "tags";
  const { title, fields, empty } = KINDS[kind];
  return html`<${Title}>${t(`lists.${kind}`)}<//>
    <p class="row"><a href=${link("/admin/")}>${t("admin")}</a>
      ${Object.keys(KINDS).map(
        (one) => html`<a key=${one} href=${link(`/admin/lists/?kind=${one}`)}
        aria-current=${one === kind ? "page" : undefined}>${t(`lists.${one}`)}</a>`,
      )}</p>
    <${Entries} key=${kind} path=${`/${kind}/`} title=${title} fields=${fields()}
      empty=${empty} />`;
}
