// `/settings/second-factor/`: an authenticator app for the account in the user pool.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { accountToken, signIn } from "../parts/auth.js";
import { config } from "../parts/config.js";
import { me } from "../parts/me.js";
import { link } from "../parts/router.js";
import { ACCOUNT, account, isTooOld, isWrongCode, keyAddress } from "../parts/second_factor.js";
import { t } from "../parts/texts.js";
import { Action, Icon, Problem, Skeleton, Title, confirmed, say } from "../parts/ui.js";

/** The pool answers within this time, or not at all. */
const LONGEST_MS = 15_000;

const again = () => signIn("/settings/second-factor/", ACCOUNT);

/** The picture of an address, made here: nobody else learns the key. */
async function picture(address) {
  const { renderSVG } = await import("../vendor/uqr.js");
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`;
}

export default function SecondFactor() {
  const token = accountToken();
  return html`
    <p class="flat"><a class="back" href=${link("/settings/")}><${Icon}
      name="chevron-left" />${t("nav.settings")}</a></p>
    <${Title}>${t("factor")}<//>
    <p>${t("factor.about")}</p>
    ${
      !config.second_factor
        ? html`<p>${t("factor.elsewhere")}</p>`
        : token
          ? html`<${Account} token=${token} />`
          : html`<p>${t("factor.again")}</p>
            <p><${Action} className="main" run=${again}>${t("factor.sign_in")}<//></p>`
    }`;
}

function Account({ token }) {
  const pool = account(config.issuer, token, (address, options) =>
    fetch(address, { ...options, signal: AbortSignal.timeout(LONGEST_MS) }).catch(() => {
      // A browser says this in its own words and language.
      throw new Error(t("error.network"));
    }),
  );
  /** What is asked for long after the page was opened may need another sign-in. */
  const orAgain = (run) => async () => {
    try {
      return await run();
    } catch (error) {
      if (!isTooOld(error)) throw error;
      await again();
      return false;
    }
  };
  const isOn = useSignal(/** @type {boolean | null} */ (null));
  const key = useSignal("");
  const problem = useSignal(/** @type {any} */ (null));
  const load = () =>
    pool.isOn().then(
      (is) => {
        isOn.value = is;
        problem.value = null;
      },
      (error) => (isTooOld(error) ? again() : (problem.value = error)),
    );
  useEffect(() => void load(), []);
  const begin = orAgain(async () => {
    key.value = await pool.newKey();
  });
  const stop = orAgain(async () => {
    if (!confirmed(t("factor.remove.sure"))) return false;
    await pool.remove();
    isOn.value = false;
  });
  if (problem.value) return html`<${Problem} error=${problem.value} retry=${load} />`;
  if (isOn.value === null) return html`<${Skeleton} lines=${3} />`;
  if (key.value) {
    const stored = () => {
      key.value = "";
      isOn.value = true;
    };
    return html`<${Key} value=${key.value} pool=${pool} stored=${stored} />`;
  }
  return html`<p class="line"><${Icon} name=${isOn.value ? "circle-check" : "circle-dot"} />
      ${t(isOn.value ? "factor.on" : "factor.off")}</p>
    <p class="line"><${Action} className="main" run=${begin}>
      ${t(isOn.value ? "factor.other" : "factor.add")}<//>
    ${isOn.value && html`<${Action} run=${stop}>${t("factor.remove")}<//>`}</p>`;
}

/** The key as a picture, as a link for a phone and as text, and the code that proves it. */
function Key({ value, pool, stored }) {
  const image = useSignal("");
  const wrong = useSignal("");
  const address = keyAddress(value, t("app"), me.value?.username ?? "");
  useEffect(() => void picture(address).then((made) => (image.value = made)), [address]);
  const isSending = useRef(false);
  const send = async (event) => {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    const code = String(new FormData(event.currentTarget).get("code")).replace(/\s/g, "");
    try {
      await pool.confirm(code);
      say(t("factor.done"));
      stored();
    } catch (error) {
      if (isTooOld(error)) return again();
      wrong.value = isWrongCode(error) ? t("factor.wrong") : error.message;
      document.getElementById("code")?.focus();
    } finally {
      isSending.current = false;
    }
  };
  return html`<ol><li><p>${t("factor.scan")}</p>
      ${image.value && html`<img class="qr large" src=${image.value} alt=${t("factor.picture")} />`}
      <p><a class="button" href=${address}>${t("factor.open")}</a></p>
      <p class="small">${t("factor.key")} <code>${value.match(/.{1,4}/g)?.join(" ")}</code></p></li>
    <li><form onSubmit=${send}><div class="field">
      <label for="code">${t("factor.code")}</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required
        pattern="[0-9 ]{6,7}" aria-describedby=${wrong.value ? "code-wrong" : undefined}
        aria-invalid=${wrong.value ? "true" : undefined} />
      ${wrong.value && html`<p class="problem" id="code-wrong">${wrong.value}</p>`}</div>
      <p><button class="main" type="submit">${t("factor.confirm")}</button></p></form></li></ol>`;
}
