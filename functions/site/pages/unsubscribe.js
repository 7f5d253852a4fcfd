// `/unsubscribe/{token}/`: the link at the end of reminders and news. It works signed out.

import { html } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { isSignedIn } from "../parts/auth.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded, useLoad } from "../parts/load.js";
import { Action, Title } from "../parts/ui.js";

export default function Unsubscribe({ token }) {
  const found = useLoad(url`/unsubscribe/${token}/`);
  const end = async () => {
    await post(url`/unsubscribe/${token}/`);
    await found.reload();
  };
  return html`<${Title}>${t("unsubscribe")}<//>
    ${loaded(
      found,
      ({ kind, name, active }) => html`${active && html`<p>${t("unsubscribe.about", { name })}</p>`}
        <p><strong>${t(`notices.${kind}`)}</strong></p>
        ${
          active
            ? html`<p><${Action} className="main" run=${end}>${t("unsubscribe.end")}<//></p>`
            : html`<p role="status">${t("unsubscribe.done")}</p>`
        }`,
    )}
    ${
      isSignedIn.value &&
      html`<p><a class="button" href=${link("/settings/")}>${t("nav.settings")}</a></p>`
    }`;
}
