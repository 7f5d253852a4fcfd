// `/admin/`: clubs that wait for their approval, and the way to what only admins do.

import { html, useSignal } from "../parts/kit.js";
import { patch } from "../parts/api.js";
import { Pages, useFirst } from "../parts/pager.js";
import { url } from "../parts/path.js";
import { address, link } from "../parts/router.js";
import { missingOf } from "../parts/states.js";
import { t } from "../parts/texts.js";
import { loaded, useLoad, useSearch } from "../parts/load.js";
import { Action, Chip, Empty, Mono, Time, Title, confirmed } from "../parts/ui.js";
import { KINDS } from "../parts/lists.js";

export default function Admin() {
  return html`<${Title}>${t("admin")}<//>
    <${Waiting} />
    <section><h2>${t("admin.keep")}</h2><p class="row">
      ${Object.keys(KINDS).map((kind) => html`<${Kind} key=${kind} kind=${kind} />`)}
      <a href=${link("/admin/fairs/")}>${t("fairs")}</a>
      <a href=${link("/admin/import/")}>${t("import.clubs")}</a>
      <a href=${link("/admin/webhooks/")}>${t("webhooks")}</a></p></section>
    <${Deleted} />`;
}

/** A list that admins keep, with the number of its entries. */
function Kind({ kind }) {
  const list = /** @type {import("../api").Lookups} */ (`/${kind}/`);
  const all = useLoad(list).data;
  return html`<a href=${link(`/admin/lists/?kind=${kind}`)}>${t(`lists.${kind}`)}${
    all && ` (${all.length})`
  }</a>`;
}

function Waiting() {
  const page = Number(address.value.query.get("page")) || 1;
  const waiting = useLoad(`/clubs/?approved=none&page_size=20&page=${page}`);
  useFirst(waiting, page);
  return html`<section><h2>${t("admin.waiting")}${
    Boolean(waiting.data?.count) && ` (${waiting.data?.count})`
  }</h2>
    ${loaded(waiting, ({ results: all, next }) =>
      all.length === 0
        ? html`<${Empty} icon="circle-check"><p>${t("admin.waiting.none")}</p><//>`
        : html`<ul class="list card">${all.map(
            (club) => html`<${One} key=${club.code} club=${club} reload=${waiting.reload} />`,
          )}</ul><${Pages} page=${page} next=${next} />`,
    )}</section>`;
}

/** A club that waits: who asks, since when, and what is missing. */
function One({ club, reload }) {
  const members = useLoad(url`/clubs/${club.code}/members/?limit=1`).data ?? [];
  const decide = (approved) => async () => {
    if (!approved && !confirmed(t("admin.refuse.sure", club))) return false;
    await patch(url`/clubs/${club.code}/`, { approved });
    await reload();
  };
  const missing = missingOf(club);
  return html`<li class="person"><div class="line">
    <${Mono} code=${club.code} name=${club.name} image=${club.image_url} />
    <div><h3 class="flat"><a href=${link(url`/clubs/${club.code}/`)}>${club.name}</a></h3>
      <p class="flat small quiet">${[club.subtitle, members[0]?.name].filter(Boolean).join(" · ")}
        ${members[0]?.email && html` <a href=${`mailto:${members[0].email}`}>${members[0].email}</a>`}
        · <${Time} at=${club.created_at} /></p></div>
    <span class="push line">
      <${Action} className="main" run=${decide(true)}
        done=${t("admin.approved", club)} label=${`${t("admin.approve")}: ${club.name}`}>
          ${t("admin.approve")}<//>
      <${Action} className="danger" run=${decide(false)}
        done=${t("admin.refused", club)} label=${`${t("admin.refuse")}: ${club.name}`}>
          ${t("admin.refuse")}<//></span></div>
    ${
      missing.length > 0 &&
      html`<p class="line small"><${Chip} kind="warn" icon="circle-alert">${t("admin.missing")}<//>
      ${missing.map((one) => t(`admin.missing.${one}`)).join(", ")}</p>`
    }</li>`;
}

/** Deleted clubs, found by a part of their name. */
function Deleted() {
  const asked = useSignal("");
  const words = useSearch(asked.value, (typed) => (asked.value = typed));
  const query = new URLSearchParams({ archived: "true", search: asked.value, page_size: "10" });
  const found = useLoad(`/clubs/?${query}`);
  const restore = (club) => async () => {
    await patch(url`/clubs/${club.code}/`, { archived: false });
    await found.reload();
  };
  return html`<section><h2>${t("admin.restore")}</h2>
    <p><input type="search" aria-label=${t("admin.restore.search")}
      placeholder=${t("admin.restore.search")} value=${words.value}
      onInput=${(event) => (words.value = event.currentTarget.value)} /></p>
    ${loaded(found, ({ results: all }) =>
      all.length === 0
        ? html`<p class="quiet">${t("admin.restore.none")}</p>`
        : html`<ul class="list card">${all.map(
            (club) => html`<li key=${club.code} class="line">
            <${Mono} code=${club.code} name=${club.name} image=${club.image_url} size="tiny" />
            <b>${club.name}</b> <span class="quiet small">${club.code}</span>
            <span class="push"><${Action} run=${restore(club)}
              done=${t("admin.restored", club)} label=${`${t("admin.restore.do")}: ${club.name}`}>
                ${t("admin.restore.do")}<//></span></li>`,
          )}</ul>`,
    )}</section>`;
}
