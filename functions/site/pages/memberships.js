// `/memberships/`: the clubs of the caller, and their requests to join.

import { html, useSignal } from "../parts/kit.js";
import { call, patch, remove } from "../parts/api.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded, problems, useLoad } from "../parts/load.js";
import { Action, Empty, Icon, Mono, Time, Title, confirmed, say } from "../parts/ui.js";

export default function Memberships() {
  const own = useLoad("/memberships/");
  const requests = useLoad("/requests/membership/");
  const show = (all) => {
    if (all.length > 0) {
      return html`<ul class="cards">${all.map(
        (one) => html`<${Membership} key=${one.id} one=${one} reload=${own.reload} />`,
      )}</ul>`;
    }
    return html`<${Empty} icon="users"><p>${t("memberships.none")}</p>
      <p><a class="button main" href=${link("/clubs/")}>${t("home.discover")}</a></p><//>`;
  };
  return html`
    <div class="head"><${Title}>${t("nav.memberships")}<//></div>
    ${loaded(own, show)}
    ${problems(requests)}
    ${
      Boolean(requests.data?.length) &&
      html`<h2>${t("memberships.requests")}</h2>
      <ul class="cards">${requests.data?.map(
        (one) => html`<${Request} key=${one.id} one=${one} reload=${requests.reload} />`,
      )}</ul>`
    }
    <${Marked} path="/favorites/" title="memberships.favorites" icon="star" />
    <${Marked} path="/subscriptions/" title="memberships.followed" icon="bell" />`;
}

function Request({ one, reload }) {
  const club = useLoad(url`/clubs/${one.club}/`);
  const withdraw = async () => {
    await remove(url`/requests/membership/${one.club}/`);
    await reload();
  };
  return html`<li>
    <h3><a href=${link(url`/clubs/${one.club}/`)}>${club.data?.name ?? one.club}</a></h3>
    <p class="quiet small">${t("memberships.asked")} <${Time} at=${one.created_at} /></p>
    <p><${Action} run=${withdraw} done=${t("club.asked.withdrawn")}>${t("withdraw")}<//></p></li>`;
}

/**
 * The clubs that the person marked, each with a way to take the mark away.
 * @param {{path: "/favorites/" | "/subscriptions/", title: string, icon: string}} props
 */
function Marked({ path, title, icon }) {
  const marked = useLoad(path);
  const drop = (club) => async () => {
    await remove(`${path}${encodeURIComponent(club.code)}/`);
    await marked.reload();
  };
  if (!marked.data?.length) return problems(marked);
  return html`<section><h2>${t(title)}</h2><ul class="list card">${marked.data.map(
    ({ id, club }) => html`<li class="person line" key=${id}>
      <${Mono} code=${club.code} name=${club.name} image=${club.image_url} size="tiny" />
      <a href=${link(url`/clubs/${club.code}/`)}>${club.name}</a>
      <span class="quiet small cut">${club.subtitle}</span>
      <span class="push"><${Action} run=${drop(club)} done=${t("saved")}
        label=${`${t("memberships.unmark")}: ${club.name}`}><${Icon} name=${icon} />
        ${t("memberships.unmark")}<//></span></li>`,
  )}</ul></section>`;
}

function Membership({ one, reload }) {
  const path = url`/clubs/${one.club_code}/members/${one.id}/`;
  /** One change at a time: a repeat of the one before could arrive after the next. */
  const isBusy = useSignal(false);
  const toggle = (name) => async (event) => {
    if (isBusy.value) {
      event.currentTarget.checked = one[name];
      return;
    }
    isBusy.value = true;
    try {
      await patch(path, { [name]: event.currentTarget.checked });
      say(t("saved"));
    } catch (error) {
      say(error.message, "problem");
    }
    await reload();
    isBusy.value = false;
  };
  const leave = async () => {
    if (!confirmed(t("memberships.leave.sure", { club: one.club_name }))) return false;
    try {
      await call("DELETE", path);
    } catch (error) {
      // A repeat after a lost answer is refused, because the person is no member any more.
      const now = error.status === 403 ? await reload() : undefined;
      if (!now || now.some((other) => other.club_code === one.club_code)) throw error;
    }
    await reload();
  };
  return html`<li>
    <h2><a href=${link(url`/clubs/${one.club_code}/`)}>${one.club_name}</a></h2>
    <p><span class="state">${t(`role.${one.role}`)}</span> ${one.title}</p>
    <p><label class="check"><input type="checkbox" checked=${one.public}
      aria-disabled=${isBusy.value}
      onChange=${toggle("public")} /> ${t("memberships.public")}</label></p>
    <p><label class="check"><input type="checkbox" checked=${one.active}
      aria-disabled=${isBusy.value}
      onChange=${toggle("active")} /> ${t("memberships.active")}</label></p>
    <p><${Action} className="danger" run=${leave} done=${t("memberships.left")}>
      ${t("memberships.leave")}<//></p>
  </li>`;
}
