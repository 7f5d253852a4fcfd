// `/clubs/{club}/members/`: the members of a club, as far as the caller may see them. Officers
// change
// roles here, and add people.

import { html, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { Entity } from "../parts/entity.js";
import { SaveTable } from "../parts/export.js";
import { manages, me } from "../parts/me.js";
import { FindPeople } from "../parts/people.js";
import { Requests } from "../parts/requests.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Undelivered } from "../parts/undelivered.js";
import { loaded, useLoad } from "../parts/load.js";
import { Action, Chip, Icon, Mono, Title } from "../parts/ui.js";
import { finder } from "../parts/words.js";

const ROLES = [0, 10, 20];
/** So many members are shown at once. */
const PART = 60;

export default function Members({ club: code }) {
  const club = useLoad(url`/clubs/${code}/`);
  const members = useLoad(url`/clubs/${code}/members/`);
  // Nobody gives or takes a role above their own.
  const own = me.value?.is_admin ? 0 : (club.data?.is_member ?? 20);
  const fields = [
    {
      name: "role",
      label: t("members.role"),
      kind: "choice",
      options: ROLES.filter((role) => role >= own).map((role) => [role, t(`role.${role}`)]),
    },
    { name: "title", label: t("members.title") },
    { name: "description", label: t("edit.description") },
  ];
  const isOfficer = Boolean(club.data && manages(club.data));
  const words = useSignal("");
  const shown = useSignal(PART);
  /** How many people were added here: one of them may have asked. */
  const added = useSignal(0);
  const find = finder(words.value);
  /** A member who is hidden has no name; officers see the address. */
  const named = (member) => (member.username ? member.name : (member.email ?? t("members.hidden")));
  const fits = (member) => find(`${named(member)} ${member.username ?? ""} ${member.title}`);
  const resend = (member) => () =>
    post(url`/clubs/${code}/members/${member.id}/resend/`).then(members.reload);
  /** Whoever changes members may change what they may do here. */
  const reload = async () => (await Promise.all([members.reload(), club.reload()]))[0];
  return html`
    <${Title}>${t("members")}<//>
    ${
      isOfficer
        ? html`<${Requests} code=${code} changed=${members.reload} since=${added.value} />
          <${Add} code=${code} reload=${() => {
            added.value += 1;
            return members.reload();
          }} /><${Followers} code=${code} />`
        : html`<p><a class="back" href=${link(url`/clubs/${code}/`)}><${Icon} name="chevron-left" />
          ${club.data?.name ?? code}</a></p>`
    }
    ${loaded(
      members,
      (all) => html`
      <div class="line"><p role="status" class="small quiet">${t("club.members", { n: all.filter(fits).length })}
        </p>
        ${
          all.length > 12 &&
          html`<p class="find push"><${Icon} name="search" /><input type="search"
            aria-label=${t("members.find")} placeholder=${t("members.find")}
          value=${words.value} onInput=${(event) => (words.value = event.currentTarget.value)} />
            </p>`
        }</div>
      ${
        isOfficer &&
        html`<p class="row"><${SaveTable} path=${url`/clubs/${code}/members/export/`}
          name="members" ids=${() => all.filter(fits).map((one) => one.id)} /></p>`
      }
      <ul class="list card">${all
        .filter(fits)
        .slice(0, shown.value)
        .map(
          (member) => html`<li class="person" key=${member.id ?? named(member)}>
        <div class="line"><${Mono} code=${member.name} name=${named(member)} image=${member.image}
          size="tiny" />
          <h2 class="flat cut" dir="auto">${named(member)}</h2>
          <${Chip}>${t(`role.${member.role}`)}<//> <span class="quiet small" dir="auto">
            ${member.title}</span></div>
        ${member.description && html`<p class="quiet small" dir="auto">${member.description}</p>`}
        <${Undelivered} of=${member.undelivered} again=${resend(member)} />
        ${
          isOfficer &&
          member.id !== null &&
          member.role >= own &&
          html`<${Entity} path=${url`/clubs/${code}/members/${member.id}/`}
            summary=${t("members.change", { name: named(member) })} name=${named(member)}
            fields=${fields} reload=${reload} sure=${t("members.remove.sure", { name: named(member) })}
            gone=${t("members.removed")} />`
        }
      </li>`,
        )}</ul>
      ${
        all.filter(fits).length > shown.value &&
        html`<p><button
        onClick=${() => (shown.value += PART)}>
          ${t("members.more", { n: all.filter(fits).length - shown.value })}</button></p>`
      }`,
    )}`;
}

/** Who follows the club. It is loaded when it is opened. */
function Followers({ code }) {
  const isOpen = useSignal(false);
  const all = useLoad(isOpen.value ? url`/clubs/${code}/subscription/` : "");
  return html`<details class="card"
    onToggle=${(event) => (isOpen.value = event.currentTarget.open)}>
    <summary>${t("members.follow")}</summary>
    ${
      isOpen.value &&
      loaded(
        all,
        (found) => html`<p class="quiet small">${t("members.followers", { n: found.length })}</p>
        <ul class="list">${found.map(
          (one) => html`<li class="person" key=${one.username}>${one.name}
            <span class="quiet small">${one.email}</span></li>`,
        )}</ul>`,
      )
    }</details>`;
}

/** People of the university, found by their name, become members. */
function Add({ code, reload }) {
  const add = (person, clear) => async () => {
    await post(url`/clubs/${code}/members/`, { person: person.id });
    clear();
    await reload();
  };
  return html`<section class="card"><h2>${t("members.add")}</h2>
    <${FindPeople} id="people" label=${t("members.search")}
      show=${(person, clear) => html`<${Action} run=${add(person, clear)}
        done=${t("manage.accepted", person)}
        label=${`${t("members.add")}: ${person.name}`}>${t("members.add")}<//>`} />
    <p class="row"><a class="button" href=${link(url`/clubs/${code}/links/`)}>${t("manage.invite")}
      </a> <a class="button" href=${link(url`/clubs/${code}/import/`)}>${t("import.members")}</a>
        </p>
  </section>`;
}
