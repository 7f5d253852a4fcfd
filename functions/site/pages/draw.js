// `/events/{event}/showings/{showing}/draw/`: the draw of a showing, recomputed in the browser of
// whoever wants to know.

import { html, useSignal } from "../parts/kit.js";
import { call } from "../parts/api.js";
import { isSignedIn } from "../parts/auth.js";
import { problemsOf } from "../parts/draw.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Chip, Icon, Time, Title } from "../parts/ui.js";

/** `call` without types, for the parts of a list. @type {any} */
const ask = call;
/** So many entries are shown; all are checked. */
const SHOWN = 200;

/** The whole draw, part by part. `arrived` is told how many entries there are. */
async function whole(path, arrived) {
  const entries = [];
  let draw = null;
  for (let next = path; next; ) {
    const answer = await ask("GET", next);
    draw = answer.data;
    entries.push(...draw.entries);
    arrived(entries.length);
    next = answer.next;
  }
  return { ...draw, entries };
}

export default function Draw({ event: id, showing }) {
  const path = url`/events/${id}/showings/${showing}/draw/`;
  const draw = useLoad(path);
  const event = useLoad(url`/events/${id}/`);
  const sale = useLoad(url`/events/${id}/showings/${showing}/`);
  const own = useLoad(isSignedIn.value ? "/tickets/" : "").data ?? [];
  // Who left the draw before it has no entry any more.
  const ofDraw = (one) => one.entry && String(one.showing.id) === showing;
  const mine = new Set(
    own.filter((one) => ofDraw(one) && one.state !== "cancelled").map((one) => one.entry),
  );
  return html`<p class="flat"><a class="back" href=${link(url`/events/${id}/`)}><${Icon}
      name="chevron-left" /> ${event.data?.name ?? t("nav.events")}</a></p>
    ${loaded(
      draw,
      (found) => html`<div class="head"><${Title}>${t("draw")}<//></div>
      <p class="prose">${t("draw.about")}</p>
      <${Facts} draw=${found} sale=${sale.data} />
      ${
        found.drawn_at
          ? html`<${Check} path=${path} mine=${mine} />`
          : html`<p>${t("draw.later")}</p>`
      }
      <${Entries} draw=${found} sale=${sale.data} mine=${mine} />`,
      6,
      true,
    )}`;
}

const nameOf = (sale, id) => sale?.ticket_types.find((one) => one.id === id)?.name ?? id;

const Facts = ({ draw, sale }) => html`<section class="card"><dl class="answers">
    <dt>${t("draw.commitment")}</dt><dd><code class="long">${draw.commitment}</code></dd>
    ${
      draw.seed &&
      html`<dt>${t("draw.seed")}</dt><dd><code class="long">${draw.seed}</code></dd>
      <dt>${t("draw.at")}</dt><dd><${Time} at=${draw.drawn_at} zoned /></dd>`
    }
    ${draw.places.map(
      (one) => html`<dt>${nameOf(sale, one.type)}</dt>
      <dd>${
        one.capacity === null
          ? t("draw.all", { drawn: one.drawn })
          : t("draw.places", { drawn: one.drawn, left: Math.max(0, one.capacity - one.issued) })
      }</dd>`,
    )}</dl></section>`;

/** The button that recomputes it, and what came out. */
function Check({ path, mine }) {
  const result = useSignal(/** @type {any} */ (null));
  const count = useSignal(0);
  const check = async () => {
    result.value = null;
    const draw = await whole(path, (n) => (count.value = n));
    const problems = await problemsOf(draw);
    const places = new Map(draw.entries.map(({ entry, drawn }, n) => [entry, { n: n + 1, drawn }]));
    if ([...mine].some((entry) => !places.has(entry))) problems.push("missing");
    result.value = { problems, n: draw.entries.length, places };
  };
  return html`<p><${Action} className="main" run=${check}><${Icon} name="shield-check" />
      ${t("draw.recompute")}<//> ${
        count.value > 0 &&
        !result.value &&
        html`<span
        class="quiet">${t("draw.entries", { n: count.value })}</span>`
      }</p>
    <div aria-live="polite">${
      result.value &&
      (result.value.problems.length === 0
        ? html`<div class="card"><p><${Chip} kind="good" icon="shield-check">${t("draw.right")}<//>
          ${" "}${t("draw.right.about", { n: result.value.n })}</p>
          ${[...mine].map((entry) => {
            const { n, drawn } = result.value.places.get(entry);
            return html`<p key=${entry}><code>${entry}</code> ${t("draw.rank", {
              place: n,
              all: result.value.n,
            })} ${t(drawn ? "ticket.drawn" : "ticket.not_drawn")}</p>`;
          })}</div>`
        : html`<div class="card"><p><${Chip} kind="problem" icon="circle-alert">
          ${t("draw.wrong")}<//></p><ul>${result.value.problems.map(
            (one) => html`<li key=${one}>${t(`draw.wrong.${one}`)}</li>`,
          )}</ul></div>`)
    }</div>`;
}

/** The entries in the drawn order, the own ones marked. */
function Entries({ draw, sale, mine }) {
  const shown = draw.entries.slice(0, SHOWN);
  if (shown.length === 0) return html`<p class="quiet">${t("draw.none")}</p>`;
  const result = ({ drawn }) =>
    drawn === null
      ? "–"
      : drawn
        ? html`<${Chip} kind="good" icon="check">${t("ticket.drawn")}<//>`
        : html`<span class="quiet">${t("ticket.not_drawn")}</span>`;
  return html`<section><h2>${t("draw.order")}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("draw.order")}>
      <table class="card"><thead><tr><th scope="col">#</th><th scope="col">${t("draw.entry")}</th>
        <th scope="col">${t("sale.type")}</th><th scope="col" class="count">${t("sale.count.short")}</th>
        <th scope="col">${t("draw.result")}</th></tr></thead>
      <tbody>${shown.map(
        (one, n) => html`<tr key=${one.entry}><td>${n + 1}</td>
        <td><code>${one.entry}</code> ${mine.has(one.entry) && html`<${Chip}>${t("draw.mine")}<//>`}</td>
        <td>${nameOf(sale, one.type)}</td><td class="count">${one.count}</td>
        <td>${result(one)}</td></tr>`,
      )}</tbody></table></div>
    ${draw.entries.length > SHOWN && html`<p class="quiet">${t("draw.more", { n: SHOWN })}</p>`}
  </section>`;
}
