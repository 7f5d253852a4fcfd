// A ticket as its holder sees it, with its code.

import { html, useEffect, useSignal } from "./kit.js";
import { useAwake } from "./awake.js";
import { calendarFile } from "./slots.js";
import { post, remove } from "./api.js";
import { ticks, useTicks } from "./countdown.js";
import { download } from "./files.js";
import { url } from "./path.js";
import { link } from "./router.js";
import { t } from "./texts.js";
import { Action, Chip, Dialog, Icon, Time, confirmed } from "./ui.js";

const LOOKS = {
  valid: ["good", "circle-check"],
  waiting: ["warn", "clock"],
  requested: ["", "clock"],
  not_drawn: ["problem", "x"],
  cancelled: ["problem", "x"],
};

/** The state of a ticket in words. */
export function StateOf({ ticket }) {
  const [kind, icon] = LOOKS[ticket.state];
  const name = ticket.state === "waiting" && ticket.position ? "place" : ticket.state;
  return html`<${Chip} kind=${kind} icon=${icon}>${t(`ticket.${name}`, { n: ticket.position })}<//>`;
}

/** The code, as large as the screen allows, on white in both themes. */
function Code({ ticket, close }) {
  const image = useSignal("");
  useAwake();
  useEffect(() => {
    import("../vendor/uqr.js").then(({ renderSVG }) => {
      const svg = renderSVG(ticket.code, { ecc: "M", border: 2 });
      image.value = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    });
  }, [ticket.code]);
  return html`<${Dialog} label=${ticket.event.name} close=${close}>
    <p class="flat"><${Time} at=${ticket.showing.start_time} />
      ${ticket.showing.location && ` · ${ticket.showing.location}`}</p>
    <p class="flat"><b>${ticket.type.name}</b> ${ticket.type.price}</p>
    ${image.value && html`<img class="qr door-code" src=${image.value} alt=${t("ticket.code.about")} />`}
    <p class="small quiet">${t("ticket.bright")}</p>
    <p><button onClick=${close}>${t("close")}</button></p><//>`;
}

/** Who gets it, by user name. */
function HandOver({ ticket, reload }) {
  const isOpen = useSignal(false);
  const name = useSignal("");
  const wrong = useSignal("");
  const close = () => (isOpen.value = false);
  const give = async () => {
    wrong.value = "";
    try {
      await post(url`/tickets/${ticket.id}/transfer/`, { username: name.value.trim() });
    } catch (error) {
      wrong.value = error.fields?.username?.join(" ") ?? error.message;
      return false;
    }
    close();
    await reload();
  };
  return html`<button onClick=${() => (isOpen.value = true)}><${Icon} name="send" />
      ${t("ticket.hand_over")}</button>
    ${
      isOpen.value &&
      html`<${Dialog} label=${t("ticket.hand_over")} close=${close}>
      <p>${t("ticket.hand_over.about")}</p>
      <div class="field"><label for="receiver">${t("ticket.receiver")}</label>
        <input id="receiver" autocomplete="off" autocapitalize="none" value=${name.value}
          onInput=${(event) => (name.value = event.currentTarget.value)} /></div>
      ${wrong.value && html`<p class="problem" role="alert">${wrong.value}</p>`}
      <p class="line"><${Action} className="main" run=${give} disabled=${!name.value.trim()}
        done=${t("ticket.handed_over")}>${t("ticket.hand_over")}<//>
        <button onClick=${close}>${t("ticket.keep")}</button></p><//>`
    }`;
}

/** @param {{ticket: import("../api").Schemas["TicketBody"], reload: () => Promise<any>}} props */
export function Ticket({ ticket, reload }) {
  const { event, showing, type, club, state } = ticket;
  const isShown = useSignal(false);
  useTicks();
  const isBefore = Date.parse(showing.start_time) > ticks.value;
  const isMine = ["valid", "waiting", "requested"].includes(state);
  const canGive = isBefore && isMine && !ticket.checked_in_at;
  const giveBack = async () => {
    if (!confirmed(t(`ticket.give_back.${state}`))) return false;
    await remove(url`/tickets/${ticket.id}/`);
    await reload();
  };
  const save = () => {
    const file = calendarFile(`showing-${showing.id}`, showing, event.name);
    download("ticket.ics", file, "text/calendar");
  };
  return html`<li class="ticket">
    <h2><a href=${link(url`/events/${event.id}/`)}>${event.name}</a></h2>
    <p><b><${Time} at=${showing.start_time} zoned /></b></p>
    <p class="quiet small">${[showing.location, club.name].filter(Boolean).join(" · ")}</p>
    <p class="line"><${StateOf} ticket=${ticket} />
      <span>${[type.name, type.price].filter(Boolean).join(" · ")}</span>
      ${
        ticket.checked_in_at &&
        html`<${Chip} icon="check">${t("ticket.in")} <${Time} at=${ticket.checked_in_at} /><//>`
      }</p>
    <p class="row push-down">
      ${
        ticket.code &&
        html`<button class="main" onClick=${() => (isShown.value = true)}><${Icon} name="qr-code" />
          ${t("ticket.code")}</button>`
      }
      ${
        state === "valid" &&
        isBefore &&
        html`<button onClick=${save}><${Icon} name="calendar-plus" /> ${t("event.calendar")}
          </button>`
      }
      ${canGive && state === "valid" && html`<${HandOver} ticket=${ticket} reload=${reload} />`}
      ${
        canGive &&
        html`<${Action} className="danger" run=${giveBack} done=${t("ticket.given_back")}>
          ${t(state === "valid" ? "ticket.give_back" : "ticket.withdraw")}<//>`
      }</p>
    ${isShown.value && html`<${Code} ticket=${ticket} close=${() => (isShown.value = false)} />`}
  </li>`;
}
