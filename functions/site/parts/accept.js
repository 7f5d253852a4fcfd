// The page behind the links with which people join a club.

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
  const isPublic = useSignal(true);
  const member = useSignal(/** @type {any} */ (null));
  const name = club.data?.name ?? code;
  const accept = async () => {
    try {
      member.value = await post(path, { token, public: isPublic.value });
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
        ? html`<p><label class="check"><input type="checkbox" checked=${isPublic.value}
          onChange=${(event) => (isPublic.value = event.currentTarget.checked)} />
          <span>${t("memberships.public")}</span></label></p>
        <p><${Action} className="main" run=${accept}>${t("join.accept")}<//></p>`
        : html`<p>${t("join.signin")}</p><p><${SignIn}>${t("signin")}<//></p>`
    }`;
}
