// `/clubs/{club}/webhooks/` and `/admin/webhooks/`: addresses that are called when something changes.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { patch, post, remove } from "../parts/api.js";
import { Form } from "../parts/form.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Chip, Icon, Time, Title, confirmed } from "../parts/ui.js";

const TYPES = [
  "submission.created",
  "submission.updated",
  "submission.withdrawn",
  "submission.decided",
  "submission.deleted",
  "interview.booked",
  "interview.moved",
  "interview.cancelled",
  "request.created",
  "request.deleted",
  "member.added",
  "member.updated",
  "member.removed",
  "application.created",
  "application.updated",
  "application.deleted",
  "event.created",
  "event.updated",
  "event.deleted",
  "ticket.taken",
  "ticket.cancelled",
  "ticket.checked_in",
  "ticket.transferred",
  "club.updated",
];
const nameOf = (type) => t(`webhooks.${type}`);
const hostOf = (address) => address.split("/")[2] ?? address;

export default function Webhooks({ club }) {
  const base = club ? url`/clubs/${club}/webhooks/` : "/webhooks/";
  const all = useLoad(base);
  /** The webhook whose secret was just made. It is in memory only, and gone with the page. */
  const made = useSignal(/** @type {any} */ (null));
  /** After a request that makes a secret. If its answer was lost, a repeat does not have it. */
  const madeOne = (webhook) => {
    made.value = webhook;
    return all.reload();
  };
  const ended = (webhook) => {
    if (made.value?.id === webhook.id) made.value = null;
    return all.reload();
  };
  const back = club ? url`/clubs/${club}/edit/` : "/admin/";
  return html`
    <p><a href=${link(back)}>${t(club ? "edit.club" : "admin")}</a></p>
    <${Title}>${t("webhooks")}<//>
    <p class="prose">${t("webhooks.about")} <a href=${link("/api/docs/")}>${t("footer.api")}</a></p>
    ${made.value && html`<${Made} webhook=${made.value} close=${() => (made.value = null)} />`}
    ${loaded(
      all,
      (found) => html`
      ${
        found.length === 0
          ? html`<p class="quiet">${t("webhooks.none")}</p>`
          : html`<ul class="cards">${found.map(
              (webhook) => html`<${One} key=${webhook.id} base=${base} webhook=${webhook}
              made=${madeOne} ended=${ended} reload=${all.reload} />`,
            )}</ul>`
      }
      <section class="card"><h2>${t("webhooks.new")}</h2>
        <${Form} name=${`webhook-${club ?? "all"}`} whole fields=${fields()} stored=${madeOne}
          submit=${t("webhooks.make")} data=${{ url: "", description: "", types: [] }}
          send=${(values) => post(base, values)} /></section>`,
    )}`;
}

const fields = () => [
  { name: "url", label: t("webhooks.url"), hint: t("webhooks.url.hint") },
  { name: "description", label: t("webhooks.description"), hint: t("webhooks.description.hint") },
  {
    name: "types",
    label: t("webhooks.types"),
    kind: /** @type {const} */ ("many"),
    options: /** @type {[any, string][]} */ (TYPES.map((type) => [type, nameOf(type)])),
  },
];

/** Shows a new secret, once. */
function Made({ webhook, close }) {
  /** @type {{current: HTMLElement | null}} */
  const heading = useRef(null);
  // It stands above the list, and must be seen.
  useEffect(() => heading.current?.focus(), [webhook.secret]);
  if (!webhook.secret) {
    return html`<section class="card"><h2 tabindex="-1" ref=${heading}>${t("webhooks.secret")}</h2>
      <p>${t("webhooks.lost", { host: hostOf(webhook.url) })}</p>
      <p><button onClick=${close}>${t("close")}</button></p></section>`;
  }
  return html`<section class="card"><h2 tabindex="-1" ref=${heading}>${t("webhooks.secret")}</h2>
    <p>${t("webhooks.once", { host: hostOf(webhook.url) })}</p>
    <p><code class="answer">${webhook.secret}</code></p>
    <p class="row"><${Action} className="main" done=${t("copied")}
      run=${() => navigator.clipboard.writeText(webhook.secret)}><${Icon} name="link" />
        ${t("webhooks.copy")}<//>
      <button onClick=${close}>${t("tokens.hide")}</button></p></section>`;
}

function State({ webhook }) {
  if (!webhook.active) return html`<${Chip} kind="warn">${t("webhooks.off")}<//>`;
  if (webhook.failing_since) return html`<${Chip} kind="warn">${t("webhooks.failing")}<//>`;
  return html`<${Chip} kind="good">${t("webhooks.on")}<//>`;
}

/**
 * @param {object} props
 * @param {`/clubs/${string}/webhooks/` | "/webhooks/"} props.base
 * @param {any} props.webhook
 * @param {(webhook: any) => any} props.made
 * @param {(webhook: any) => any} props.ended
 * @param {() => any} props.reload
 */
function One({ base, webhook, made, ended, reload }) {
  const path = /** @type {const} */ (`${base}${webhook.id}/`);
  const shows = useSignal(false);
  const tests = useSignal(0);
  const name = webhook.description || hostOf(webhook.url);
  const renew = async () => {
    if (!confirmed(t("webhooks.renew.sure", { name }))) return false;
    await made(await post(`${path}secret/`, undefined));
  };
  const end = async () => {
    if (!confirmed(t("webhooks.delete.sure", { name }))) return false;
    await remove(path);
    await ended(webhook);
  };
  const turn = async () => {
    await patch(path, { active: !webhook.active });
    await reload();
  };
  const test = async () => {
    await post(`${path}test/`, undefined);
    shows.value = true;
    tests.value += 1;
  };
  return html`<li><h2 class="line">${name} <${State} webhook=${webhook} /></h2>
    <p><code class="long">${webhook.url}</code></p>
    <p>${webhook.types.map(nameOf).join(" · ")}</p>
    ${
      webhook.failing_since &&
      html`<p class="quiet small">${t("webhooks.failing.since")} <${Time}
      at=${webhook.failing_since} /></p>`
    }
    <p class="row">
      ${
        webhook.active &&
        html`<${Action} run=${test} done=${t("webhooks.tested")}
        label=${`${t("webhooks.test")}: ${name}`}>${t("webhooks.test")}<//>`
      }
      <button aria-expanded=${shows.value} aria-label=${`${t("webhooks.deliveries")}: ${name}`} onClick=${() => (shows.value = !shows.value)}>
        ${t("webhooks.deliveries")}</button>
      <${Action} run=${renew} label=${`${t("webhooks.renew")}: ${name}`}>${t("webhooks.renew")}<//>
      <${Action} run=${turn} done=${t("saved")}
        label=${`${t(webhook.active ? "webhooks.turn.off" : "webhooks.turn.on")}: ${name}`}>
        ${t(webhook.active ? "webhooks.turn.off" : "webhooks.turn.on")}<//>
      <${Action} className="danger" run=${end} done=${t("webhooks.deleted")}
        label=${`${t("webhooks.delete")}: ${name}`}>${t("webhooks.delete")}<//></p>
    ${
      shows.value &&
      html`<${Deliveries} path=${path} name=${name} reload=${reload} isOn=${webhook.active}
      tests=${tests.value} />`
    }</li>`;
}

/** When the list is read again after something was asked for, in milliseconds. */
const LOOKS = [2_000, 5_000, 10_000, 16_000, 30_000];

/**
 * @param {object} props
 * @param {`/clubs/${string}/webhooks/${string}/` | `/webhooks/${string}/`} props.path
 * @param {any} props.name
 * @param {any} props.isOn
 * @param {any} props.tests
 * @param {() => any} props.reload
 */
function Deliveries({ path, name, isOn, tests, reload }) {
  const all = useLoad(`${path}deliveries/`);
  const retries = useSignal(0);
  useEffect(() => {
    // An answer may also have switched the webhook off.
    const look = () => void Promise.all([all.reload(), reload()]);
    const timers = LOOKS.map((ms) => setTimeout(look, ms));
    return () => timers.forEach(clearTimeout);
  }, [tests, retries.value]);
  const retry = (one) => async () => {
    await post(`${path}deliveries/${one.id}/retry/`, undefined);
    retries.value += 1;
  };
  const answer = (one) =>
    one.attempt === 0 ? t("webhooks.waits") : (one.status ?? t("webhooks.no_answer"));
  return loaded(all, (found) =>
    found.length === 0
      ? html`<p class="quiet">${t("webhooks.deliveries.none")}</p>`
      : html`<ul class="list">${found.map(
          (one) => html`<li class="line" key=${one.id}>
        <span><b>${answer(one)}</b>${" · "}${nameOf(one.type)}${" · "}<${Time} at=${one.at} />
          ${one.attempt > 1 && html`${" · "}${t("webhooks.attempts", { n: one.attempt })}`}</span>
        ${
          isOn &&
          one.attempt > 0 &&
          html`<span class="push"><${Action} run=${retry(one)} done=${t("webhooks.tested")}
          label=${`${t("webhooks.retry")}: ${name}, ${nameOf(one.type)} ${one.id}`}>${t("webhooks.retry")}<//></span>`
        }</li>`,
        )}</ul>`,
  );
}
