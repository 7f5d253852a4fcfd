// `/callback/`: where the issuer leads back to.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { finishSignIn, signIn } from "../parts/auth.js";
import { carryOut } from "../parts/club_card.js";
import { open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Skeleton, Title } from "../parts/ui.js";

export default function Callback() {
  const problem = useSignal("");
  useEffect(() => {
    finishSignIn()
      .then(async (to) => {
        await carryOut();
        open(to || "/", { replace: true });
      })
      .catch((error) => (problem.value = error.message));
  }, []);
  if (!problem.value) return html`<${Skeleton} lines=${2} />`;
  return html`<${Title}>${t("signin.failed")}<//>
    <p class="problem">${problem.value}</p>
    <p><button class="main" onClick=${() => signIn("/")}>${t("retry")}</button></p>`;
}
