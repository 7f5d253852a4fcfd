// `/admin/`: clubs that wait for their approval, and the way to what only admins do.

import { html } from "../parts/kit.js";
import { patch } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { url } from "../parts/path.js";
import { link, open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded, useLoad } from "../parts/load.js";
import { Action, Title, confirmed } from "../parts/ui.js";
import { KINDS } from "../parts/lists.js";

export default function Admin() {
  const waiting = useLoad("/clubs/?approved=none&page_size=100");
  const decide = (club, approved) => async () => {
    if (!approved && !confirmed(t("admin.refuse.sure", club))) return false;
    await patch(url`/clubs/${club.code}/`, { approved });
    await waiting.reload();
  };
  const restore = async ({ code }) => {
    if (!code.trim()) throw new Error(t("admin.restore.code"));
    return patch(url`/clubs/${code.trim()}/`, { archived: false });
  };
  return html`<${Title}>${t("admin")}<//>
    <p class="row">
      ${Object.keys(KINDS).map(
        (kind) => html`<a key=${kind}
        href=${link(`/admin/lists/?kind=${kind}`)}>${t(`lists.${kind}`)}</a>`,
      )}
      <a href=${link("/admin/fairs/")}>${t("fairs")}</a>
      <a href=${link("/admin/import/")}>${t("import.clubs")}</a>
      <a href=${link("/admin/webhooks/")}>${t("webhooks")}</a>
    </p>
    <section><h2>${t("admin.waiting")}</h2>
      ${loaded(waiting, ({ results: all }) =>
        all.length === 0
          ? html`<p class="quiet">${t("admin.waiting.none")}</p>`
          : html`<ul class="cards">${all.map(
              (club) => html`<li key=${club.code}>
            <h3><a href=${link(url`/clubs/${club.code}/`)}>${club.name}</a></h3>
            <p class="quiet">${club.subtitle}</p>
            <p class="row">
              <${Action} className="main" run=${decide(club, true)}
                done=${t("admin.approved", club)} label=${`${t("admin.approve")}: ${club.name}`}>
                  ${t("admin.approve")}<//>
              <${Action} className="danger" run=${decide(club, false)}
                done=${t("admin.refused", club)} label=${`${t("admin.refuse")}: ${club.name}`}>
                  ${t("admin.refuse")}<//>
            </p>
          </li>`,
            )}</ul>`,
      )}
    </section>
    <section><h2>${t("admin.restore")}</h2>
      <${Form} name="restore" fields=${[{ name: "code", label: t("edit.code") }]}
        data=${{ code: "" }} whole send=${restore}
        stored=${(club) => open(url`/clubs/${club.code}/`)} submit=${t("admin.restore")} />
    </section>`;
}
