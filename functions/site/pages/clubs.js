// `/clubs/`: all clubs, with search and filters.

import { html } from "../parts/kit.js";
import { isSignedIn } from "../parts/auth.js";
import { ClubCard } from "../parts/club_card.js";
import { loaded, useLoad, useSearch } from "../parts/load.js";
import { Pages, useFirst } from "../parts/pager.js";
import { address, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Empty, Icon, Title } from "../parts/ui.js";

const ORDERS = ["featured", "alphabetical", "-favorite_count"];
const PAGE_SIZE = 24;

export default function Clubs() {
  const query = address.value.query;
  const words = useSearch(query.get("search") ?? "", (search) => setQuery({ search, page: "" }));
  const page = Number(query.get("page") ?? 1);
  const asked = new URLSearchParams(query);
  asked.set("page_size", String(PAGE_SIZE));
  const clubs = useLoad(`/clubs/?${asked}`);
  useFirst(clubs, page);
  return html`
    <div class="head"><${Title}>${t("clubs")}<//>
      ${
        isSignedIn.value &&
        html`<span class="push"><a class="button" href=${link("/new-club/")}>
        <${Icon} name="plus" /> ${t("clubs.new")}</a></span>`
      }</div>
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <p class="find"><${Icon} name="search" /><input id="search" type="search"
        aria-label=${t("search")} placeholder=${t("home.search")}
        value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} /></p>
      <${Filters} query=${query} />
    </form>
    ${loaded(
      clubs,
      (found) => html`
      <p role="status" class="quiet small">${t("clubs.count", { n: found.count })}</p>
      ${
        found.count === 0 &&
        html`<${Empty} icon="search"><p>${t("clubs.none")}</p>
        <p><a class="button" href=${link("/clubs/")}>${t("clubs.all")}</a></p><//>
        ${query.get("search") && html`<${Similar} asked=${asked} />`}`
      }
      <ul class="grid">${found.results.map(
        (club) => html`<${ClubCard} key=${club.code} club=${club}
        changed=${clubs.reload} />`,
      )}</ul>
      <${Pages} page=${page} next=${found.next} isStale=${clubs.isStale} />`,
      8,
    )}`;
}

/** What is meant, perhaps: clubs that are found if the words may have mistakes. */
function Similar({ asked }) {
  const wanted = new URLSearchParams(asked);
  wanted.set("similar", "true");
  const clubs = useLoad(`/clubs/?${wanted}`);
  const found = clubs.data?.results ?? [];
  if (found.length === 0) return null;
  return html`<section><div class="section"><h2>${t("clubs.similar")}</h2></div>
    <ul class="grid">${found.map(
      (club) => html`<${ClubCard} key=${club.code} club=${club} changed=${clubs.reload} />`,
    )}</ul></section>`;
}

/** The filters in one line. Several tags can be chosen: a club has all of them. */
function Filters({ query }) {
  const tags = useLoad("/tags/").data ?? [];
  const badges = useLoad("/badges/").data ?? [];
  const chosen = (query.get("tags") ?? "").split(",").filter(Boolean);
  const change = (name) => (event) => setQuery({ [name]: event.currentTarget.value, page: "" });
  const tick = (name) => (event) =>
    setQuery({ [name]: event.currentTarget.checked ? "true" : "", page: "" });
  const nameOf = (id) => tags.find((tag) => String(tag.id) === id)?.name ?? id;
  const setTags = (all) => setQuery({ tags: all.join(","), page: "" });
  const check = (name, text) =>
    html`<label class="check"><input type="checkbox" checked=${query.get(name) === "true"}
      onChange=${tick(name)} /> ${t(text)}</label>`;
  return html`<div class="chips">
    ${check("accepting", "clubs.accepting")}
    ${isSignedIn.value && check("member", "clubs.mine")}
    ${chosen.map(
      (id) => html`<button type="button" key=${id} class="chip"
        onClick=${() => setTags(chosen.filter((one) => one !== id))}
      aria-label=${t("clubs.tag.remove", { tag: nameOf(id) })}>
      ${nameOf(id)} <${Icon} name="x" /></button>`,
    )}
    <select aria-label=${t("clubs.tag")} value="" onChange=${(event) => {
      if (event.currentTarget.value) setTags([...chosen, event.currentTarget.value]);
      event.currentTarget.value = "";
    }}><option value="">${t("clubs.tag")}</option>
      ${tags
        .filter((tag) => !chosen.includes(String(tag.id)))
        .map(
          (tag) => html`<option
        value=${tag.id}>${tag.name}</option>`,
        )}</select>
    ${
      badges.length > 0 &&
      html`<select aria-label=${t("clubs.badge")} value=${query.get("badges") ?? ""}
        onChange=${change("badges")}>
      <option value="">${t("clubs.badge")}</option>${badges.map(
        (badge) => html`<option
        value=${badge.id}>${badge.label}</option>`,
      )}</select>`
    }
    <select aria-label=${t("order")} value=${query.get("ordering") ?? ORDERS[0]}
      onChange=${change("ordering")}>
      ${ORDERS.map((order) => html`<option value=${order}>${t(`clubs.order.${order}`)}</option>`)}
        </select>
  </div>`;
}
