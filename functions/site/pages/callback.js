// `/callback/`: where the issuer leads back to.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { finishSignIn, signIn } from "../parts/auth.js";
import { carryOut } from "../parts/club_card.js";
import { open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Skeleton, Title } from "../parts/ui.js";

export default function Callback() {
  const problem = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    finishSignIn()
      .then(async (to) => {
        await carryOut();
        open(to || "/", { replace: true });
      })
      .catch((error) => (problem.value = error));
  }, []);
  const { message, to, scope } = problem.value ?? {};
  if (!problem.value) return html`<${Skeleton} lines=${2} />`;
  return html`<${Title}>${t("signin.failed")}<//>
    <p class="problem">${message}</p>
    <p><${Action} className="main" run=${() => signIn(to ?? "/", scope)}>${t("retry")}<//></p>`;
}
