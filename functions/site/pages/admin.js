// `/admin/`: clubs that wait for their approval, and the way to what only admins do.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { get, patch } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { url } from "../parts/path.js";
import { link, open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded } from "../parts/load.js";
import { Action, Title, confirmed } from "../parts/ui.js";
import { KINDS } from "../parts/lists.js";

/** All clubs are read to find those that wait: at most this many pages of a hundred. */
const MOST_PAGES = 50;

function useWaiting() {
  const state = useSignal(
    /** @type {{data?: import("../api").Schemas["ClubBody"][], error: any}} */ ({ error: null }),
  );
  const load = async () => {
    try {
      const waiting = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const found = await get(`/clubs/?page_size=100&page=${page}`);
        waiting.push(...found.results.filter((club) => club.approved === null));
        if (!found.next) break;
      }
      state.value = { data: waiting, error: null };
    } catch (error) {
      state.value = { ...state.value, error };
    }
  };
  useEffect(() => void load(), []);
  return { ...state.value, reload: load };
}

export default function Admin() {
  const waiting = useWaiting();
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
      ${loaded(waiting, (all) =>
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
