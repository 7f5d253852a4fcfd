// `/clubs/{club}/events/{event}/showings/{showing}/`: the tickets of a showing, for officers.

import { html, useSignal } from "../parts/kit.js";
import { call, post, remove } from "../parts/api.js";
import { download } from "../parts/files.js";
import { loaded, useLoad, useParts } from "../parts/load.js";
import { Curve } from "../parts/overview.js";
import { url } from "../parts/path.js";
import { FindPeople } from "../parts/people.js";
import { link } from "../parts/router.js";
import { moment, t } from "../parts/texts.js";
import { StateOf } from "../parts/ticket.js";
import { finder } from "../parts/words.js";
import { Action, Chip, Empty, Icon, Time, Title, confirmed } from "../parts/ui.js";

/** So many rows are shown at once. */
const SHOWN = 300;

export default function ShowingPage({ club, event: id, showing }) {
  const path = url`/clubs/${club}/events/${id}/showings/${showing}/`;
  const event = useLoad(url`/clubs/${club}/events/${id}/`);
  const sale = useLoad(path);
  const back = url`/clubs/${club}/events/${id}/`;
  const door = `${url`/door/${showing}/`}?${new URLSearchParams({ club, event: id })}`;
  return html`<p class="flat"><a class="back" href=${link(back)}><${Icon} name="chevron-left" />
      ${event.data?.name ?? t("nav.events")}</a></p>
    ${loaded(
      sale,
      (found) => html`<div class="head"><${Title}
        name=${t("sale")}>${t("sale.of", { time: moment(found.start_time) })}<//>
        <a class="button main push" href=${link(door)}><${Icon} name="qr-code" />
          ${t("door")}</a></div>
      ${
        found.ticket_types.length === 0
          ? html`<${Empty} icon="ticket"><p>${t("sale.no_types")}</p>
              <p><a class="button" href=${link(back)}>${t("event.edit")}</a></p><//>`
          : html`<${Sold} club=${club} event=${id} showing=${showing} path=${path}
              sale=${found} reload=${sale.reload} />`
      }`,
      5,
      true,
    )}`;
}

function Sold({ club, event, showing, path, sale, reload }) {
  const list = useParts(
    `${url`/clubs/${club}/events/${event}/showings/${showing}/tickets/`}?limit=500`,
  );
  const again = () => Promise.all([list.reload(), reload()]);
  const end = sale.ticket_end_time ?? sale.start_time;
  return html`<${Types} sale=${sale} />
    <${Issue} ...${{ path, sale, again }} />
    ${loaded(list, (all) =>
      all.length === 0
        ? html`<${Empty} icon="ticket"><p>${t("sale.nobody")}</p><//>`
        : html`<${List} ...${{ all, path, sale, again }} />
          <${Curve} all=${all} end=${end} texts="sale.curve" />`,
    )}`;
}

/** How many of each type are taken, and who waits. */
const Types = ({ sale }) =>
  html`<ul class="facts">${sale.ticket_types.map(
    (one) => html`<li class="fact" key=${one.id}><span class="small quiet">${one.name}</span>
    <b>${one.taken}${
      one.capacity !== null && html`<span class="quiet"> / ${one.capacity}</span>`
    }</b>
    <span class="small quiet">${
      one.waiting ? t("sale.waiting", { n: one.waiting }) : (one.price ?? "")
    }</span></li>`,
  )}</ul>`;

/**
 * Gives tickets to people who did not order.
 * @param {{path: import("../api").OfShowing, sale: any, again: () => any}} props
 */
function Issue({ path, sale, again }) {
  const type = useSignal(sale.ticket_types[0].id);
  const over = useSignal(false);
  const give = (person, clear) => async () => {
    await post(`${path}tickets/`, { people: [person.id], type: type.value, over: over.value });
    clear();
    await again();
  };
  return html`<details class="card"><summary>${t("sale.issue")}</summary>
    <p class="quiet">${t("sale.issue.about")}</p>
    <div class="field"><label for="issued-type">${t("sale.type")}</label>
      <select id="issued-type" value=${type.value}
        onChange=${(event) => (type.value = Number(event.currentTarget.value))}>
        ${sale.ticket_types.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
      </select></div>
    <p><label class="check"><input type="checkbox" checked=${over.value}
      onChange=${(event) => (over.value = event.currentTarget.checked)} /> ${t("sale.issue.over")}
      </label></p>
    <${FindPeople} id="issued" label=${t("sale.issue.who")} show=${(
      person,
      clear,
    ) => html`<${Action}
      run=${give(person, clear)} done=${t("sale.issued", person)}
      label=${`${t("sale.issue.one")}: ${person.name}`}>${t("sale.issue.one")}<//>`} /></details>`;
}

const STATES = ["valid", "waiting", "requested", "not_drawn", "cancelled"];

/** The tickets that fit, with what can be done. */
function List({ all, path, sale, again }) {
  const words = useSignal("");
  const state = useSignal("");
  const type = useSignal(0);
  const has = finder(words.value);
  const fits = (one) =>
    (!state.value ||
      (state.value === "in" ? one.checked_in_at !== null : one.state === state.value)) &&
    (!type.value || one.type.id === type.value) &&
    has(`${one.holder?.name ?? ""} ${one.holder?.username ?? ""} ${one.holder?.email ?? ""}`);
  const rows = all.filter(fits);
  const save = async () => {
    /** `call` without types, for the parts of a list. @type {any} */
    const ask = call;
    const parts = [];
    for (let next = `${path}tickets/?format=csv&limit=500`; next; ) {
      const answer = await ask("GET", next, { accept: "text/csv" });
      // Only the first part has the names of the columns.
      parts.push(parts.length ? answer.data.replace(/^[^\n]*\n/, "") : answer.data);
      next = answer.next;
    }
    download("tickets.csv", `\ufeff${parts.join("")}`, "text/csv");
  };
  const letIn = all.filter((one) => one.checked_in_at).length;
  return html`<div class="chips">
      <input type="search" aria-label=${t("search")} placeholder=${t("search")} value=${words.value}
        onInput=${(event) => (words.value = event.currentTarget.value)} />
      <select aria-label=${t("sale.state")} value=${state.value}
        onChange=${(event) => (state.value = event.currentTarget.value)}>
        <option value="">${t("all")}</option>
        ${STATES.map((one) => html`<option value=${one}>${t(`ticket.${one}`)}</option>`)}
        <option value="in">${t("ticket.in")}</option></select>
      ${
        sale.ticket_types.length > 1 &&
        html`<select aria-label=${t("sale.type")} value=${type.value}
        onChange=${(event) => (type.value = Number(event.currentTarget.value))}>
        <option value="0">${t("all")}</option>
        ${sale.ticket_types.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
        </select>`
      }
      <${Action} run=${save}><${Icon} name="download" /> ${t("submissions.csv")}<//></div>
    <p role="status" class="quiet">${[
      t("sale.shown", { n: rows.length }),
      t("door.count", { n: letIn }),
    ].join(" · ")}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("sale")}><table class="card">
      <thead><tr><th scope="col">${t("edit.name")}</th><th scope="col">${t("sale.type")}</th>
        <th scope="col">${t("sale.state")}</th><th scope="col">${t("sale.ordered")}</th>
        <td></td></tr></thead>
      <tbody>${rows
        .slice(0, SHOWN)
        .map(
          (one) => html`<${Row} key=${one.id} ...${{ one, path, again }} />`,
        )}</tbody></table></div>
    ${rows.length > SHOWN && html`<p class="quiet">${t("sale.more", { n: SHOWN })}</p>`}`;
}

/** @param {{one: any, path: import("../api").OfShowing, again: () => any}} props */
function Row({ one, path, again }) {
  const name = one.holder?.name ?? t("applicant.erased");
  const cancel = async () => {
    if (!confirmed(t("sale.cancel.sure", { name }))) return false;
    await remove(`${path}tickets/${one.id}/`);
    await again();
  };
  const counts = ["valid", "waiting", "requested"].includes(one.state);
  return html`<tr><th scope="row">${name} <span class="quiet">${one.holder?.username}</span>
      ${
        one.holder?.email &&
        html`<br /><a href=${`mailto:${one.holder.email}`}>${one.holder.email}</a>`
      }</th>
    <td>${one.type.name}</td>
    <td>${
      one.checked_in_at
        ? html`<${Chip} kind="good" icon="check">${t("ticket.in")}
            ${" "}<${Time} at=${one.checked_in_at} /><//>`
        : html`<${StateOf} ticket=${one} />`
    }</td>
    <td><${Time} at=${one.created_at} /></td>
    <td>${
      counts &&
      html`<${Action} className="plain" run=${cancel} done=${t("sale.cancelled")}
      label=${`${t("sale.cancel")}: ${name}`}>${t("sale.cancel")}<//>`
    }</td></tr>`;
}
