// `/clubs/{club}/links/`: invitations by mail, and links with which people join.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { call, get, now, post, remove } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { loaded, orReload, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { address, link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Undelivered } from "../parts/undelivered.js";
import { Action, Chip, Icon, Time, Title, confirmed } from "../parts/ui.js";
import { addresses } from "../parts/words.js";

export default function Links({ club: code }) {
  return html`<div class="head"><${Title}>${t("place.links")}<//></div>
    <${Invites} code=${code} /><${JoinLinks} code=${code} />`;
}

function Invites({ code }) {
  const isEnding = address.value.query.get("ending") === "true";
  const invites = useLoad(
    isEnding ? `${url`/clubs/${code}/invites/`}?ending=true` : url`/clubs/${code}/invites/`,
  );
  const fields = [
    {
      name: "emails",
      label: t("manage.emails"),
      kind: /** @type {const} */ ("area"),
      hint: t("manage.emails.hint"),
    },
  ];
  const send = ({ emails }) => post(url`/clubs/${code}/invite/`, { emails: addresses(emails) });
  const path = (one) => url`/clubs/${code}/invites/${one.id}/`;
  const resend = (one) =>
    orReload(() => post(`${path(one)}resend/`).then(invites.reload), invites.reload);
  const revoke = (one) =>
    orReload(async () => {
      if (!confirmed(t("manage.revoke.sure", { name: one.email }))) return false;
      await remove(path(one)).then(invites.reload);
    }, invites.reload);
  return html`<section class="card"><h2>${t("manage.invites")}</h2>
    <${Form} name=${`invite-${code}`} fields=${fields} data=${{ emails: "" }} whole send=${send}
      stored=${invites.reload} submit=${t("manage.invite")}
        done=${(all) => t("manage.invited", all)} />
    ${
      isEnding &&
      html`<p class="line">${t("manage.ending")} <a
      href=${link(url`/clubs/${code}/links/`)}>${t("home.all")}</a></p>`
    }
    ${loaded(
      invites,
      (all) =>
        html`<ul class="cards">${all.map(
          (one) => html`<li key=${one.id}>
      <h3>${one.email}</h3>
      <p class="line"><${Chip}>${t(`role.${one.role}`)}<//> ${
        Date.parse(one.expires_at) < now()
          ? html`<${Chip} kind="warn">${t("manage.expired")}<//>`
          : html`<span class="quiet small">${t("manage.until")} <${Time} at=${one.expires_at} />
            </span>`
      }</p>
      <${Undelivered} of=${one.undelivered} />
      <p class="row">
        <${Action} run=${resend(one)}
          done=${t("manage.resent")} label=${`${t("manage.resend")}: ${one.email}`}>
            ${t("manage.resend")}<//>
        <${Action} className="danger" run=${revoke(one)}
          done=${t("manage.revoked")} label=${`${t("manage.revoke")}: ${one.email}`}>
            ${t("manage.revoke")}<//>
      </p></li>`,
        )}</ul>`,
      2,
    )}</section>`;
}

function JoinLinks({ code }) {
  const links = useLoad(url`/clubs/${code}/joinlinks/`);
  const fields = [
    { name: "note", label: t("manage.note") },
    { name: "title", label: t("manage.link.title"), hint: t("manage.link.title.hint") },
    {
      name: "max_uses",
      label: t("manage.link.most"),
      kind: /** @type {const} */ ("number"),
      hint: t("manage.link.most.hint"),
    },
  ];
  return html`<section class="card"><h2>${t("manage.links")}</h2>
    <${Form} name=${`link-${code}`} fields=${fields} data=${{ note: "", title: "", max_uses: null }}
      whole
      send=${(values) => post(url`/clubs/${code}/joinlinks/`, values)} stored=${links.reload}
        submit=${t("manage.link.create")} />
    ${loaded(
      links,
      (all) =>
        html`<ul class="cards">${all.map(
          (one) => html`
      <${JoinLink} key=${one.id} one=${one} club=${code}
        path=${url`/clubs/${code}/joinlinks/${one.id}/`}
        reload=${links.reload} />`,
        )}</ul>`,
      2,
    )}</section>`;
}

/**
 * @param {{one: any, club: string, path: `/clubs/${string}/joinlinks/${string}/`,
 *   reload: () => any}} props
 */
function JoinLink({ one, club, path, reload }) {
  const code = useSignal("");
  useEffect(() => {
    // An image cannot send a token, so the code is fetched and shown from memory.
    get(`${path}qr.svg`).then(
      (svg) => (code.value = `data:image/svg+xml,${encodeURIComponent(svg)}`),
      () => {},
    );
  }, [path]);
  const revoke = orReload(async () => {
    const name = one.note || t("manage.link");
    if (!confirmed(t("manage.revoke.sure", { name }))) return false;
    await call("DELETE", path).then(reload);
  }, reload);
  const uses =
    one.max_uses === null
      ? t("manage.link.uses", { n: one.uses })
      : t("manage.link.uses.of", { n: one.uses, most: one.max_uses });
  return html`<li>
    <h3>${one.note || t("manage.link")}</h3>
    ${
      code.value &&
      html`<img class="qr" src=${code.value}
      alt=${t("manage.link.code", { note: one.note })} />`
    }
    <p class="quiet small">
      ${one.title && html`${one.title} · `}${uses} · ${t("manage.until")} <${Time}
        at=${one.expires_at} /></p>
    <p class="row">
      <${Action} run=${() => navigator.clipboard.writeText(one.url)} done=${t("copied")}
        label=${`${t("manage.link.copy")}: ${one.note}`}><${Icon}
          name="link" /> ${t("manage.link.copy")}<//>
      ${
        code.value &&
        html`<a class="button" href=${code.value} download="join.svg"
        aria-label=${`${t("manage.link.save")}: ${one.note}`}><${Icon}
          name="qr-code" /> ${t("manage.link.save")}</a>`
      }
      <a class="button" href=${link(`${url`/clubs/${club}/poster/`}?link=${one.id}`)}
        aria-label=${`${t("poster")}: ${one.note}`}>${t("poster")}</a>
      <${Action} className="danger" run=${revoke}
        done=${t("manage.revoked")} label=${`${t("manage.revoke")}: ${one.note}`}>
          ${t("manage.revoke")}<//>
    </p></li>`;
}
