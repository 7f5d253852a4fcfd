// `/clubs/{club}/members/`: the members of a club, as far as the caller may see them. Officers change
// roles here, and add people.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { get, post } from "../parts/api.js";
import { Entity } from "../parts/entity.js";
import { manages, me } from "../parts/me.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Title, loaded, useLoad } from "../parts/ui.js";

const ROLES = [0, 10, 20];

export default function Members({ club: code }) {
  const club = useLoad(`/clubs/${code}/`);
  const members = useLoad(`/clubs/${code}/members/`);
  // Nobody gives or takes a role above their own.
  const own = me.value?.is_admin ? 0 : club.data?.is_member ?? 20;
  const fields = [
    { name: "role", label: t("members.role"), kind: "choice", options: ROLES.filter((role) => role >= own).map((role) => [role, t(`role.${role}`)]) },
    { name: "title", label: t("members.title") },
    { name: "description", label: t("edit.description") },
  ];
  const isOfficer = Boolean(club.data && manages(club.data));
  return html`
    <${Title}>${t("members")}<//>
    <p><a href=${link(`/clubs/${code}/`)}>${club.data?.name ?? code}</a></p>
    ${isOfficer && html`<${Add} code=${code} reload=${members.reload} />`}
    ${loaded(members, (all) => html`
      <p role="status">${t("club.members", { n: all.length })}</p>
      <ul class="cards">${all.map((member) => html`<li key=${member.id ?? member.name}>
        <h2>${member.image && html`<img src=${member.image} alt="" loading="lazy" />`}${member.name}</h2>
        <p><span class="state">${t(`role.${member.role}`)}</span> ${member.title}</p>
        ${member.description && html`<p class="quiet">${member.description}</p>`}
        ${isOfficer && member.role >= own && html`<${Entity} path=${`/clubs/${code}/members/${member.id}/`} summary=${t("members.change", member)} name=${member.name} fields=${fields} reload=${members.reload} />`}
      </li>`)}</ul>`)}`;
}

/** People of the university, found by their name, become members. */
function Add({ code, reload }) {
  const words = useSignal("");
  const isFound = useSignal(false);
  const found = useSignal(/** @type {import("../api").Schemas["UserBody"][]} */ ([]));
  useEffect(() => {
    const search = words.value.trim();
    const waiting = setTimeout(async () => {
      try {
        const hits = search.length < 2 ? [] : await get(`/users/?search=${encodeURIComponent(search)}`);
        if (search !== words.value.trim()) return;
        found.value = hits;
        isFound.value = search.length >= 2;
      } catch {
        found.value = [];
      }
    }, 250);
    return () => clearTimeout(waiting);
  }, [words.value]);
  const add = (person) => async () => {
    await post(`/clubs/${code}/members/`, { person: person.id });
    words.value = "";
    await reload();
  };
  return html`<section class="card"><h2>${t("members.add")}</h2>
    <div class="field"><label for="people">${t("members.search")}</label>
      <input id="people" type="search" value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} /></div>
    <p role="status" class="quiet">${isFound.value && t("members.found", { n: found.value.length })}</p>
    <ul>${found.value.map((person) => html`<li key=${person.id}>${person.name} <span class="quiet">${person.username}</span>
      <${Action} run=${add(person)} done=${t("manage.accepted", person)} label=${`${t("members.add")}: ${person.name}`}>${t("members.add")}<//></li>`)}</ul>
    <p><a href=${link(`/clubs/${code}/manage/`)}>${t("manage.invite")}</a> · <a href=${link(`/clubs/${code}/import/`)}>${t("import.members")}</a></p>
  </section>`;
}
