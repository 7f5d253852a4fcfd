// Joining a club: the page behind its links, and the button where an invitation is shown.

import { html, useSignal } from "./kit.js";
import { post } from "./api.js";
import { isSignedIn } from "./auth.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { t } from "./texts.js";
import { useLoad } from "./load.js";
import { Action, SignIn, Title } from "./ui.js";

/**
 * @typedef {`/clubs/${string}/joinlinks/${string}/join/`} OfLink
 * @typedef {`/clubs/${string}/invites/${string}/accept/`} OfInvite
 * @param {{club: string, token: string, path: OfLink | OfInvite}} props
 */
export function Accept({ club: code, path, token }) {
  const club = useLoad(url`/clubs/${code}/`);
  const member = useSignal(/** @type {any} */ (null));
  const name = club.data?.name ?? code;
  const accept = async (isPublic) => {
    try {
      member.value = await post(path, { token, public: isPublic });
    } catch (error) {
      // An earlier attempt, whose answer was lost, may have used it.
      const now = await club.reload();
      if (typeof now?.is_member !== "number") throw error;
      return false;
    }
  };
  const isMember = isSignedIn.value && typeof club.data?.is_member === "number";
  if (member.value || isMember) {
    return html`<${Title}>${t("join.done", { club: name })}<//>
      <p><a class="button main" href=${link(url`/clubs/${code}/`)}>${name}</a></p>`;
  }
  return html`<${Title}>${t("join.title", { club: name })}<//>
    <p class="quiet">${club.data?.subtitle}</p>
    ${
      isSignedIn.value
        ? html`<${Join} run=${accept} />`
        : html`<p>${t("join.signin")}</p><p><${SignIn}>${t("signin")}<//></p>`
    }`;
}

/** @param {{run: (isPublic: boolean) => Promise<unknown>, done?: string, name?: string}} props */
function Join({ run, done, name }) {
  const isPublic = useSignal(true);
  return html`<p><label class="check"><input type="checkbox" checked=${isPublic.value}
      onChange=${(event) => (isPublic.value = event.currentTarget.checked)} />
      <span>${t("memberships.public")}</span></label></p>
    <p><${Action} className="main" run=${() => run(isPublic.value)} done=${done}>
      ${t("join.accept")}${name && html`<span class="hidden"> ${name}</span>`}<//></p>`;
}

/**
 * Joins with an invitation to the person's own address.
 * @param {{invite: import("../api").Schemas["HomeInviteBody"], joined: () => Promise<unknown>}}
 *   props
 */
export function JoinInvited({ invite: { club, id }, joined }) {
  const run = async (isPublic) => {
    await post(url`/clubs/${club.code}/invites/${id}/accept/`, { public: isPublic });
    await joined();
  };
  return html`<${Join} run=${run} done=${t("join.done", { club: club.name })} name=${club.name} />`;
}
