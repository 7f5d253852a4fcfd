// `/clubs/{club}/members/`: the members of a club, as far as the caller may see them.

import { html } from "../parts/kit.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Loaded, Title, useLoad } from "../parts/ui.js";

export default function Members({ club: code }) {
  const club = useLoad(`/clubs/${code}/`);
  const members = useLoad(`/clubs/${code}/members/`);
  return html`
    <${Title}>${t("members")}<//>
    <p><a href=${link(`/clubs/${code}/`)}>${club.data?.name ?? code}</a></p>
    <${Loaded} from=${members}>${(all) => html`
      <p role="status">${t("club.members", { n: all.length })}</p>
      <ul class="cards">${all.map((member) => html`<li key=${member.id ?? member.name}>
        <h3>${member.image && html`<img src=${member.image} alt="" loading="lazy" />`}${member.name}</h3>
        <p><span class="state">${t(`role.${member.role}`)}</span> ${member.title}</p>
        ${member.description && html`<p class="quiet">${member.description}</p>`}
      </li>`)}</ul>`}
    <//>`;
}
