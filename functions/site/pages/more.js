// `/more/`: on a phone, the places that are not in its bar.

import { html } from "../parts/kit.js";
import { isSignedIn, signOut } from "../parts/auth.js";
import { PLACES } from "../parts/frame.js";
import { me } from "../parts/me.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Icon, Title } from "../parts/ui.js";

export default function More() {
  return html`<${Title}>${t("nav.more")}<//>
    ${me.value && html`<p class="quiet">${me.value.name}</p>`}
    <ul class="places card">${PLACES.filter(([, , , sees]) => sees()).map(
      ([path, name, icon]) => html`<li key=${path}><a href=${link(path)}>
        <${Icon} name=${icon} />${t(name)}</a></li>`,
    )}</ul>
    ${
      isSignedIn.value &&
      html`<p><${Action} run=${signOut}><${Icon} name="log-out" />
      ${t("signout")}<//></p>`
    }`;
}
