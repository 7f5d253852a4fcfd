// `/clubs/`: all clubs, with search, filters and favorites.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { post, remove } from "../parts/api.js";
import { isSignedIn, signIn } from "../parts/auth.js";
import { address, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Tags, Title, loaded, useLoad } from "../parts/ui.js";

const ORDERS = ["featured", "alphabetical", "-favorite_count"];
const PAGE_SIZE = 24;

export default function Clubs() {
  const query = address.value.query;
  const words = useSignal(query.get("search") ?? "");
  const tags = useLoad("/tags/");
  const badges = useLoad("/badges/").data ?? [];
  const page = Number(query.get("page") ?? 1);
  const asked = new URLSearchParams(query);
  asked.set("page_size", String(PAGE_SIZE));
  const clubs = useLoad(`/clubs/?${asked}`);

  const stored = query.get("search") ?? "";
  useEffect(() => {
    const waiting = setTimeout(() => words.value !== stored && setQuery({ search: words.value, page: "" }), 200);
    return () => clearTimeout(waiting);
  }, [words.value]);
  // A link to the whole list empties the field as well.
  useEffect(() => {
    words.value = stored;
  }, [stored]);

  const change = (name) => (event) => setQuery({ [name]: event.currentTarget.value, page: "" });
  const tick = (name) => (event) => setQuery({ [name]: event.currentTarget.checked ? "true" : "", page: "" });
  return html`
    <${Title}>${t("clubs")}<//>
    ${isSignedIn.value && html`<p><a href=${link("/new-club/")}>${t("clubs.new")}</a></p>`}
    <form role="search" class="row" onSubmit=${(event) => event.preventDefault()}>
      <div class="field"><label for="search">${t("search")}</label>
        <input id="search" type="search" value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} /></div>
      <div class="field"><label for="tags">${t("clubs.tag")}</label>
        <select id="tags" value=${query.get("tags") ?? ""} onChange=${change("tags")}>
          <option value="">${t("all")}</option>
          ${tags.data?.map((tag) => html`<option value=${tag.id}>${tag.name}</option>`)}
        </select></div>
      <div class="field"><label for="badges">${t("clubs.badge")}</label>
        <select id="badges" value=${query.get("badges") ?? ""} onChange=${change("badges")}>
          <option value="">${t("all")}</option>
          ${badges.map((badge) => html`<option value=${badge.id}>${badge.label}</option>`)}
        </select></div>
      <div class="field"><label for="ordering">${t("order")}</label>
        <select id="ordering" value=${query.get("ordering") ?? ORDERS[0]} onChange=${change("ordering")}>
          ${ORDERS.map((order) => html`<option value=${order}>${t(`clubs.order.${order}`)}</option>`)}
        </select></div>
      <p class="field"><label class="check"><input type="checkbox" checked=${query.get("accepting") === "true"} onChange=${tick("accepting")} /> ${t("clubs.accepting")}</label></p>
      ${isSignedIn.value && html`<p class="field"><label class="check"><input type="checkbox" checked=${query.get("member") === "true"} onChange=${tick("member")} /> ${t("clubs.mine")}</label></p>`}
    </form>
    ${loaded(clubs, (found) => html`
      <p role="status">${t("clubs.count", { n: found.count })}</p>
      <ul class="cards">${found.results.map((club) => html`<${Card} key=${club.code} club=${club} reload=${clubs.reload} />`)}</ul>
      <p class="row">
        ${page > 1 && html`<button onClick=${() => setQuery({ page: page > 2 ? page - 1 : "" }, { step: true })}>${t("previous")}</button>`}
        ${found.next && html`<button onClick=${() => setQuery({ page: page + 1 }, { step: true })}>${t("next")}</button>`}
      </p>`, 8)}`;
}

function Card({ club, reload }) {
  const toggle = async () => {
    if (!isSignedIn.value) return signIn();
    if (club.is_favorite) await remove(`/favorites/${club.code}/`);
    else await post("/favorites/", { club: club.code });
    await reload();
  };
  const stars = `${club.is_favorite ? "★" : "☆"} ${club.favorite_count}`;
  return html`<li>
    <h2>
      ${club.image_url && html`<img src=${club.image_url} alt="" loading="lazy" />`}
      <a href=${link(`/clubs/${club.code}/`)}>${club.name}</a>
    </h2>
    <p class="quiet">${club.subtitle}</p>
    <${Tags} club=${club} />
    <p class="row middle push-down">
      ${club.accepting_members && html`<span class="state good">${t("club.open")}</span>`}
      <span class="quiet">${t("club.members", { n: club.membership_count })}</span>
      <span class="push"><${Action} className="plain" run=${toggle} label=${`${stars}: ${t(club.is_favorite ? "club.unfavorite" : "club.favorite", { club: club.name })}`}>${stars}<//></span>
    </p>
  </li>`;
}
