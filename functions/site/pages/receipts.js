// `/receipts/`: what a receipt proves. Anybody can verify one, by its text or its file.

import { html, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { Drop, textOf } from "../parts/files.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Chip, Icon, Time, Title } from "../parts/ui.js";

export default function Receipts() {
  const text = useSignal("");
  const found = useSignal(/** @type {import("../api").Schemas["VerifyBody"] | null} */ (null));
  const change = (value) => {
    text.value = value.trim();
    found.value = null;
  };
  const verify = async () => {
    const receipt = text.value;
    const verdict = await post("/receipts/verify/", { receipt });
    if (receipt === text.value) found.value = verdict;
  };
  return html`<div class="head"><${Title}>${t("receipts")}<//></div>
    <p class="prose">${t("receipts.about")}</p>
    <div class="field"><label for="receipt">${t("receipts.text")}</label>
      <textarea id="receipt" rows="5" maxlength="10000" spellcheck="false" value=${text.value}
        onInput=${(event) => change(event.currentTarget.value)}></textarea></div>
    <${Drop} label=${t("receipts.file")} accept=".txt,text/plain"
      take=${async (file) => change(await textOf(file))} />
    <p><${Action} className="main" run=${verify} disabled=${!text.value}>
      <${Icon} name="shield-check" /> ${t("receipts.verify")}<//></p>
    <div aria-live="polite">${found.value && html`<${Verdict} found=${found.value} />`}</div>`;
}

/** @param {{found: import("../api").Schemas["VerifyBody"]}} props */
function Verdict({ found }) {
  const { claims, stored } = found;
  if (!found.valid || !claims) {
    return html`<section class="card"><p><${Chip} kind="problem" icon="circle-alert">
      ${t("receipts.wrong")}<//></p><p>${t("receipts.wrong.about")}</p></section>`;
  }
  const club = url`/clubs/${claims.club}/`;
  return html`<section class="card"><p><${Chip} kind="good" icon="shield-check">
      ${t("receipts.good")}<//></p>
    <dl><dt>${t("receipts.club")}</dt><dd><a href=${link(club)}>${claims.club}</a></dd>
      <dt>${t("receipts.received")}</dt><dd><${Time} at=${claims.received_at} zoned /></dd>
      <dt>${t("receipts.revision")}</dt><dd>${claims.revision}</dd>
      ${stored && html`<dt>${t("receipts.now")}</dt><dd>${t(`receipts.${stored}`)}</dd>`}</dl>
    <p class="quiet small">${t("receipts.hash", { hash: claims.answers })}</p></section>`;
}
