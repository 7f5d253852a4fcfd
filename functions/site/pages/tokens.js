// `/settings/tokens/`: tokens with which programs act for the caller.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { call, now, post } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { dated, t } from "../parts/texts.js";
import { Action, Chip, Icon, Time, Title, confirmed } from "../parts/ui.js";

const SCOPES = [
  "clubs:read",
  "clubs:write",
  "members:read",
  "members:write",
  "recruitment:read",
  "recruitment:write",
  "events:write",
  "mail:send",
];
const DAY = 86_400_000;
const DAYS = [30, 90, 180, 360];
const nameOf = (scope) => t(`tokens.${scope.replace(":", ".")}`);

export default function Tokens() {
  const tokens = useLoad("/settings/tokens/");
  /** The token that was just made. It is in memory only, and gone with the page. */
  const made = useSignal(/** @type {null | {name: string, token?: string}} */ (null));
  return html`
    <p><a href=${link("/settings/")}>${t("nav.settings")}</a></p>
    <${Title}>${t("tokens")}<//>
    <p class="prose">${t("tokens.about")} <a href=${link("/api/docs/")}>${t("footer.api")}</a></p>
    ${made.value && html`<${Made} ...${made.value} close=${() => (made.value = null)} />`}
    ${loaded(tokens, (all) => html`<${List} all=${all} reload=${tokens.reload} />`)}
    <${New} stored=${(token) => {
      made.value = token;
      return tokens.reload();
    }} />`;
}

/** Shows a new token, once. */
function Made({ name, token, close }) {
  /** @type {{current: HTMLElement | null}} */
  const heading = useRef(null);
  // It stands above the form, and must be seen.
  useEffect(() => heading.current?.focus(), [name, token]);
  // The answer was lost, and a repeat does not have the text.
  if (!token) {
    return html`<section class="card"><h2 tabindex="-1" ref=${heading}>${name}</h2>
      <p>${t("tokens.lost", { name })}</p>
      <p><button onClick=${close}>${t("tokens.hide")}</button></p></section>`;
  }
  return html`<section class="card"><h2 tabindex="-1" ref=${heading}>${name}</h2>
    <p>${t("tokens.once")}</p>
    <p><code class="answer">${token}</code></p>
    <p class="row"><${Action} className="main" run=${() => navigator.clipboard.writeText(token)}
      done=${t("copied")}><${Icon} name="link" /> ${t("tokens.copy")}<//>
      <button onClick=${close}>${t("tokens.hide")}</button></p></section>`;
}

/** When a token was used last. */
const used = ({ last_used_on: day }) =>
  day
    ? t("tokens.used", { day: dated(new Date(`${day}T12:00:00Z`), { dateStyle: "medium" }) })
    : t("tokens.unused");

function List({ all, reload }) {
  if (all.length === 0) return html`<p class="quiet">${t("tokens.none")}</p>`;
  const end = (token) => async () => {
    if (!confirmed(t("tokens.end.sure", { name: token.name }))) return false;
    await call("DELETE", url`/settings/tokens/${token.id}/`);
    await reload();
  };
  return html`<ul class="cards">${all.map((token) => {
    const isExpired = Date.parse(token.expires_at) <= now();
    return html`<li key=${token.id}><h2 class="line">${token.name}
      ${isExpired && html`<${Chip} kind="warn">${t("tokens.expired")}<//>`}</h2>
      <p>${token.scopes.map(nameOf).join(" · ")}</p>
      <p class="quiet small">${token.club ?? t("tokens.everywhere")}
        ${" · "}${t("manage.until")} <${Time} at=${token.expires_at} />${" · "}${used(token)}</p>
      <p><${Action} className="danger" run=${end(token)} done=${t("tokens.ended")}
        label=${`${t("tokens.end")}: ${token.name}`}>${t("tokens.end")}<//></p></li>`;
  })}</ul>`;
}

function New({ stored }) {
  const clubs = useLoad("/memberships/").data ?? [];
  const fields = [
    { name: "name", label: t("tokens.name"), hint: t("tokens.name.hint") },
    {
      name: "scopes",
      label: t("tokens.scopes"),
      kind: /** @type {const} */ ("many"),
      options: /** @type {[any, string][]} */ (SCOPES.map((scope) => [scope, nameOf(scope)])),
    },
    {
      name: "club",
      label: t("tokens.club"),
      kind: /** @type {const} */ ("choice"),
      options: /** @type {[any, string][]} */ ([
        ["", t("tokens.everywhere")],
        ...clubs.map((one) => [one.club_code, one.club_name]),
      ]),
    },
    {
      name: "days",
      label: t("tokens.days"),
      kind: /** @type {const} */ ("choice"),
      options: /** @type {[any, string][]} */ (DAYS.map((n) => [n, t("tokens.days.n", { n })])),
    },
  ];
  const send = (/** @type {any} */ { days, club, name, scopes }) => {
    // Whole days: whoever presses again after a lost answer asks for the same token.
    const ends = new Date((Math.ceil(now() / DAY) + Number(days)) * DAY);
    const expires_at = ends.toISOString().replace(/\.\d+Z/, "Z");
    return post("/settings/tokens/", { name, scopes, club: club || null, expires_at });
  };
  return html`<section class="card"><h2>${t("tokens.new")}</h2>
    <${Form} name="token" fields=${fields} whole submit=${t("tokens.make")}
      data=${{ name: "", scopes: [], club: "", days: 90 }} send=${send} stored=${stored} /></section>`;
}
