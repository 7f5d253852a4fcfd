// The tickets of a showing, for those who want some: what there is, one button, and what they have.

import { html, useEffect, useSignal } from "./kit.js";
import { now, post } from "./api.js";
import { isSignedIn } from "./auth.js";
import { Left, span, ticks, useTicks } from "./countdown.js";
import { loaded, useLoad } from "./load.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { isKept, mostOf, orderOf, phaseAt, states } from "./sale.js";
import { StateOf } from "./ticket.js";
import { t } from "./texts.js";
import { Action, Chip, Icon, SignIn, Time, say } from "./ui.js";

/** While a page is looked at, it asks again after this time, and after up to so much more, so that
 * thousands of pages do not ask together. */
const [AGAIN_MS, SPREAD_MS] = [15_000, 10_000];
/** So long after the drop a press may be too early by the clock of the service. */
const EARLY_MS = 5000;

/** Asks again, as long as it is wanted and somebody looks. */
function useAgain(reload, isWanted) {
  useEffect(() => {
    if (!isWanted) return;
    let timer;
    let isHere = true;
    const wait = () => (timer = setTimeout(ask, AGAIN_MS + SPREAD_MS * Math.random()));
    const ask = async () => {
      if (document.visibilityState === "visible") await reload();
      // Whoever left meanwhile asks no more.
      if (isHere) wait();
    };
    wait();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, [isWanted]);
}

/** @param {{event: number, showing: number}} props */
export function TicketSale({ event, showing: id }) {
  const showing = useLoad(url`/events/${event}/showings/${id}/`);
  useTicks();
  const phase = showing.data ? phaseAt(showing.data, ticks.value) : "closed";
  useAgain(showing.reload, phase === "open" || phase === "drawing");
  return loaded(
    showing,
    (found) =>
      found.ticket_types.length === 0
        ? html`<p class="sale quiet">${t("sale.elsewhere")}</p>`
        : html`<${Sale} ...${{ event, showing: found, phase, reload: showing.reload }} />`,
    3,
  );
}

function Sale({ event, showing, phase, reload }) {
  const own = useLoad(isSignedIn.value ? "/tickets/" : "");
  const kept = (own.data ?? []).filter((one) => one.showing.id === showing.id && isKept(one));
  const types = showing.ticket_types;
  const counts = useSignal(types.length === 1 ? { [types[0].id]: 1 } : {});
  // Before a draw, a person orders once.
  const isIn = phase === "draw" && kept.length > 0;
  const most = mostOf(showing, kept.length);
  const canOrder = (phase === "open" || phase === "draw") && !isIn && most > 0;
  const showsCounts = canOrder && (types.length > 1 || kept.length > 0 || most > 1);
  return html`<div class="sale"><h3>${t("sale")}</h3>
    <ul class="list">${types.map(
      (one) => html`<li class="type" key=${one.id}>
      <div><p class="flat"><b>${one.name}</b>
        ${one.price && html` <span class="quiet">${one.price}</span>`}</p>
        ${one.description && html`<p class="quiet small">${one.description}</p>`}
        <p class="line"><${Available} ...${{ one, phase, showing }} />
          ${one.audience === "members" && html`<${Chip}>${t("sale.members")}<//>`}</p></div>
      ${
        showsCounts &&
        html`<select aria-label=${t("sale.count", one)} value=${counts.value[one.id] ?? 0}
          onChange=${(change) =>
            (counts.value = { ...counts.value, [one.id]: Number(change.currentTarget.value) })}>
          ${Array.from({ length: most + 1 }, (_, n) => html`<option value=${n}>${n}</option>`)}
        </select>`
      }</li>`,
    )}</ul>
    <${When} ...${{ event, showing, phase }} />
    ${kept.length > 0 && html`<${Kept} kept=${kept} />`}
    ${
      phase !== "closed" &&
      !isIn &&
      (most > 0
        ? html`<${Order} ...${{ event, showing, phase, counts, reload, own }} />`
        : html`<p class="quiet">${t("sale.most", { n: showing.ticket_order_limit ?? 0 })}</p>`)
    }</div>`;
}

/** How many there are of a type. */
function Available({ one, phase, showing }) {
  if (phase === "closed") return null;
  if (phase === "draw" || phase === "coming")
    return html`<span class="small quiet">${
      one.available === null ? t("sale.unlimited") : t("sale.places", { n: one.available })
    }</span>`;
  const isBefore = Date.parse(showing.start_time) > ticks.value;
  if (one.sold_out)
    return showing.waiting_list && isBefore
      ? html`<${Chip} kind="warn" icon="clock">${t("sale.queue")}<//>`
      : html`<${Chip} kind="problem" icon="lock">${t("sale.sold_out")}<//>`;
  return html`<${Chip} kind="good" icon="ticket">${
    one.available === null ? t("sale.unlimited") : t("sale.left", { n: one.available })
  }<//>`;
}

/** When something happens next. */
function When({ event, showing, phase }) {
  const end = showing.ticket_end_time ?? showing.start_time;
  const draw = url`/events/${event}/showings/${showing.id}/draw/`;
  const { ticket_sale: sale, ticket_draw_time: at, ticket_drop_time: drop } = showing;
  return html`
    ${
      phase === "coming" &&
      html`<p><${Chip} kind="warn" icon="clock">${t("sale.opens", {
        span: span(Date.parse(drop) - ticks.value),
      })}<//> <span class="quiet"><${Time} at=${drop} zoned /></span></p>`
    }
    ${
      phase === "open" &&
      html`<p><${Left} until=${end} />
        ${
          showing.ticket_end_time &&
          html` <span class="quiet">${t("sale.until")} <${Time} at=${end} /></span>`
        }</p>`
    }
    ${phase === "drawing" && html`<p><${Chip} icon="clock">${t("sale.drawing")}<//></p>`}
    ${phase === "closed" && html`<p><${Chip} icon="lock">${t("sale.closed")}<//></p>`}
    ${
      sale === "draw" &&
      html`<p class="quiet small">${
        Date.parse(at) > ticks.value
          ? html`${t("sale.draw")} <${Time} at=${at} zoned />. ${t("sale.draw.about")}`
          : phase !== "drawing" && t("sale.drawn")
      } <a href=${link(draw)}>${t("draw.check")}</a></p>`
    }`;
}

/** What the person has of this showing. */
const Kept = ({ kept }) => html`<p class="line"><span>${t("sale.own")}</span>
  ${states(kept).map(
    ([state, n]) =>
      html`<span key=${state}>${n > 1 && `${n} × `}<${StateOf}
        ticket=${kept.find((one) => one.state === state)} /></span>`,
  )}
  <a class="push" href=${link("/tickets/")}>${t("sale.show")}</a></p>`;

/** A clock that is two seconds fast presses too early: then it is sent again after a second. */
async function orAtDrop(showing, order) {
  for (let tries = 0; ; tries++) {
    try {
      return await order();
    } catch (error) {
      const early = Date.parse(showing.ticket_drop_time ?? "") + EARLY_MS > now();
      if (error.code !== "not_started" || !early || tries === 3) throw error;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/** The one button. */
function Order({ event, showing, phase, counts, reload, own }) {
  const path = url`/events/${event}/showings/${showing.id}/tickets/`;
  const { tickets, n, isThere } = orderOf(showing, counts.value);
  const isBefore = Date.parse(showing.start_time) > ticks.value;
  const waits = phase === "open" && !isThere && showing.waiting_list && isBefore;
  const order = async () => {
    try {
      const got = await orAtDrop(showing, () => post(path, { tickets, wait: waits }));
      const said = states(got).map(([state, n]) => t(`sale.got.${state}`, { n }));
      say(said.join(" "));
      // Who presses once more wants more.
      counts.value = {};
    } finally {
      await Promise.all([reload(), own.reload()]);
    }
  };
  if (!isSignedIn.value) return html`<p><${SignIn}>${t("sale.sign_in")}<//></p>`;
  const isNone = phase === "open" && !isThere && !waits;
  const words = phase === "draw" ? "sale.join" : waits ? "sale.wait" : "sale.get";
  return html`<p><${Action} className="main" run=${order}
    disabled=${n === 0 || phase === "coming" || phase === "drawing" || isNone}><${Icon}
    name="ticket" /> ${t(words, { n: Math.max(n, 1) })}<//></p>
    ${waits && n > 0 && html`<p class="quiet small">${t("sale.wait.about")}</p>`}`;
}
