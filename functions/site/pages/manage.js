// `/clubs/{club}/manage/`: what officers do for their club: applications, requests, invitations and
// join links.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { call, get, post, remove } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { link } from "../parts/router.js";
import { nextShowing } from "../parts/showings.js";
import { t } from "../parts/texts.js";
import { Action, Time, Title, confirmed, loaded, useLoad } from "../parts/ui.js";

export default function Manage({ club: code }) {
  const club = useLoad(`/clubs/${code}/`);
  return html`
    <${Title}>${t("manage")}<//>
    <p class="row">
      <a href=${link(`/clubs/${code}/`)}>${club.data?.name ?? code}</a>
      <a href=${link(`/clubs/${code}/edit/`)}>${t("edit.club")}</a>
      <a href=${link(`/clubs/${code}/members/`)}>${t("members")}</a>
      <a href=${link(`/clubs/${code}/import/`)}>${t("import.members")}</a>
    </p>
    <${Applications} code=${code} />
    <${Requests} code=${code} />
    <${Invites} code=${code} />
    <${JoinLinks} code=${code} />
    <${Events} code=${code} />`;
}

function Applications({ code }) {
  const applications = useLoad(`/clubs/${code}/applications/`);
  return html`<section><h2>${t("manage.applications")}</h2>
    ${loaded(applications, (all) => (all.length === 0
      ? html`<p class="quiet">${t("none")}</p>`
      : html`<ul class="cards">${all.map((one) => html`<li key=${one.id}>
          <h3>${one.name}</h3>
          <p class="quiet">${t("apply.until")} <${Time} at=${one.application_end_time} zoned /></p>
          <p class="row">
            <a class="button main" href=${link(`/clubs/${code}/applications/${one.id}/`)}>${t("submissions")}</a>
            <a class="button" href=${link(`/clubs/${code}/applications/${one.id}/mails/`)}>${t("mails")}</a>
            <a class="button" href=${link(`/clubs/${code}/applications/${one.id}/edit/`)}>${t("builder.edit")}</a>
          </p>
        </li>`)}</ul>`), 2)}
    <p><a class="button" href=${link(`/clubs/${code}/applications/new/`)}>${t("builder.new")}</a></p>
  </section>`;
}

function Events({ code }) {
  const events = useLoad(`/clubs/${code}/events/`);
  return html`<section><h2>${t("nav.events")}</h2>
    ${loaded(events, (all) => html`<ul>${all.map((one) => html`<li key=${one.id}>
      <a href=${link(`/clubs/${code}/events/${one.id}/`)}>${one.name}</a>
      ${nextShowing(one) && html` <span class="quiet"><${Time} at=${nextShowing(one)} /></span>`}</li>`)}</ul>`, 2)}
    <p><a class="button" href=${link(`/clubs/${code}/events/new/`)}>${t("event.new")}</a></p>
  </section>`;
}

function Requests({ code }) {
  const requests = useLoad(`/clubs/${code}/membershiprequests/`);
  const accept = (one) => async () => {
    await post(`/clubs/${code}/members/`, { person: one.person });
    await requests.reload();
  };
  const decline = (one) => async () => {
    if (!confirmed(t("manage.decline.sure", { name: one.name }))) return false;
    await remove(`/clubs/${code}/membershiprequests/${one.id}/`);
    await requests.reload();
  };
  return html`<section><h2>${t("memberships.requests")}</h2>
    ${loaded(requests, (all) => (all.length === 0
      ? html`<p class="quiet">${t("none")}</p>`
      : html`<ul class="cards">${all.map((one) => html`<li key=${one.id}>
          <h3>${one.name}</h3>
          <p class="quiet">${one.email} · <${Time} at=${one.created_at} /></p>
          <p class="row">
            <${Action} className="main" run=${accept(one)} done=${t("manage.accepted", one)} label=${`${t("manage.accept")}: ${one.name}`}>${t("manage.accept")}<//>
            <${Action} className="danger" run=${decline(one)} done=${t("manage.declined")} label=${`${t("manage.decline")}: ${one.name}`}>${t("manage.decline")}<//>
          </p>
        </li>`)}</ul>`), 2)}
  </section>`;
}

function Invites({ code }) {
  const invites = useLoad(`/clubs/${code}/invites/`);
  const fields = [{ name: "emails", label: t("manage.emails"), kind: "area", hint: t("manage.emails.hint") }];
  const path = (one) => /** @type {const} */ (`/clubs/${code}/invites/${one.id}/`);
  return html`<section><h2>${t("manage.invites")}</h2>
    <${Form} name=${`invite-${code}`} fields=${fields} data=${{ emails: "" }} whole send=${(values) => post(`/clubs/${code}/invite/`, values)}
      stored=${invites.reload} submit=${t("manage.invite")} done=${(all) => t("manage.invited", all)} />
    ${loaded(invites, (all) => html`<ul class="cards">${all.map((one) => html`<li key=${one.id}>
      <h3>${one.email}</h3>
      <p><span class="state">${t(`role.${one.role}`)}</span> <span class="quiet">${t("apply.until")} <${Time} at=${one.expires_at} /></span></p>
      <p class="row">
        <${Action} run=${() => post(`${path(one)}resend/`).then(invites.reload)} done=${t("manage.resent")} label=${`${t("manage.resend")}: ${one.email}`}>${t("manage.resend")}<//>
        <${Action} className="danger" run=${() => remove(path(one)).then(invites.reload)} done=${t("manage.revoked")} label=${`${t("manage.revoke")}: ${one.email}`}>${t("manage.revoke")}<//>
      </p>
    </li>`)}</ul>`, 2)}
  </section>`;
}

function JoinLinks({ code }) {
  const links = useLoad(`/clubs/${code}/joinlinks/`);
  const fields = [{ name: "note", label: t("manage.note") }];
  return html`<section><h2>${t("manage.links")}</h2>
    <${Form} name=${`link-${code}`} fields=${fields} data=${{ note: "" }} whole send=${(values) => post(`/clubs/${code}/joinlinks/`, values)}
      stored=${links.reload} submit=${t("manage.link.create")} />
    ${loaded(links, (all) => html`<ul class="cards">${all.map((one) => html`
      <${JoinLink} key=${one.id} one=${one} path=${`/clubs/${code}/joinlinks/${one.id}/`} reload=${links.reload} />`)}</ul>`, 2)}
  </section>`;
}

/** @param {{one: any, path: `/clubs/${string}/joinlinks/${string}/`, reload: () => any}} props */
function JoinLink({ one, path, reload }) {
  const code = useSignal("");
  useEffect(() => {
    // An image cannot send a token, so the code is fetched and shown from memory.
    get(`${path}qr.svg`).then((svg) => (code.value = `data:image/svg+xml,${encodeURIComponent(svg)}`), () => {});
  }, [path]);
  return html`<li>
    <h3>${one.note || t("manage.link")}</h3>
    ${code.value && html`<img class="qr" src=${code.value} alt=${t("manage.link.code", { note: one.note })} />`}
    <p class="quiet">${t("manage.link.uses", { n: one.uses })}${one.max_uses !== null && ` / ${one.max_uses}`} · ${t("apply.until")} <${Time} at=${one.expires_at} /></p>
    <p class="row">
      <${Action} run=${() => navigator.clipboard.writeText(one.url)} done=${t("copied")} label=${`${t("manage.link.copy")}: ${one.note}`}>${t("manage.link.copy")}<//>
      ${code.value && html`<a class="button" href=${code.value} download="join.svg" aria-label=${`${t("manage.link.save")}: ${one.note}`}>${t("manage.link.save")}</a>`}
      <${Action} className="danger" run=${() => call("DELETE", path).then(reload)} done=${t("manage.revoked")} label=${`${t("manage.revoke")}: ${one.note}`}>${t("manage.revoke")}<//>
    </p>
  </li>`;
}
