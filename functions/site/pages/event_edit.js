// `/clubs/{club}/events/{event}/`: an event for officers, with its image and its showings. The
// event
// `new` is a new one.

import { html, useMemo } from "../parts/kit.js";
import { call, patch, post, remove } from "../parts/api.js";
import { Entity } from "../parts/entity.js";
import { Image } from "../parts/files.js";
import { Danger } from "../parts/danger.js";
import { Form } from "../parts/form.js";
import { split } from "../parts/past.js";
import { url } from "../parts/path.js";
import { link, open } from "../parts/router.js";
import { moment, t } from "../parts/texts.js";
import { loaded, useLoad } from "../parts/load.js";
import { NO_SERIES, seriesFields, seriesOf } from "../parts/series_fields.js";
import { NO_TICKETS, hasTypes, sentOf, ticketFields, withTypes } from "../parts/ticket_types.js";
import { Action, Icon, Past, Title, confirmed, say } from "../parts/ui.js";

const TYPES = [0, 1, 2, 3, 4, 5, 6];
const EMPTY = { name: "", type: 0, description: "", url: null };

const fields = () => [
  { name: "name", label: t("edit.name") },
  {
    name: "type",
    label: t("event.type"),
    kind: "choice",
    options: TYPES.map((type) => [type, t(`event.type.${type}`)]),
  },
  { name: "description", label: t("edit.description"), kind: "rich" },
  { name: "url", label: t("event.url"), hint: t("event.url.hint"), empty: null },
];

const showingFields = (values) => [
  { name: "start_time", label: t("event.start"), kind: "time" },
  { name: "end_time", label: t("event.end"), kind: "time" },
  { name: "location", label: t("event.location"), empty: null },
  { name: "location_visible_to_public", label: t("event.location.public"), kind: "check" },
  ...ticketFields(values),
];

export default function EditEvent({ club: code, event: id }) {
  return html`
    <${Title}>${t(id === "new" ? "event.new" : "event.edit")}<//>
    ${
      id === "new"
        ? html`<${NewEvent} code=${code} />`
        : html`<${Present} code=${code}
      id=${id} />`
    }`;
}

function NewEvent({ code }) {
  const send = (values) => post(url`/clubs/${code}/events/`, values);
  return html`<${Form} name=${`event-new-${code}`} fields=${fields()} data=${EMPTY} whole
    send=${send} stored=${(event) => open(url`/clubs/${code}/events/${event.id}/`)}
      submit=${t("event.create")} done=${t("event.created")} />`;
}

function Present({ code, id }) {
  const path = url`/clubs/${code}/events/${id}/`;
  const event = useLoad(path);
  const save = (values) => call("PATCH", path, { body: values, etag: event.etag });
  const upload = async (file) => {
    await call("POST", `${path}upload/`, { file });
    await event.reload();
    say(t("saved"));
  };
  const close = async () => {
    try {
      await remove(path);
    } catch (error) {
      if (error.code !== "in_use" || !confirmed(t("event.cancels_tickets"))) throw error;
      await remove(`${path}?force=true`);
    }
    open(url`/clubs/${code}/events/`);
  };
  const copy = async () => {
    const made = await post(`${path}duplicate/`, {});
    open(url`/clubs/${code}/events/${made.id}/`);
  };
  const showingOf = (showing) => html`<${Entity} key=${showing.id}
    path=${`${path}showings/${showing.id}/`}
    summary=${`${moment(showing.start_time)} ${showing.location ?? ""}`}
    name=${moment(showing.start_time)} fields=${showingFields}
    shape=${withTypes} isBusy=${hasTypes} sent=${sentOf}
    inUse=${t("event.cancels_tickets")} reload=${event.reload}>
    <p><a class="button" href=${link(url`/clubs/${code}/events/${id}/showings/${showing.id}/`)}>
      <${Icon} name="ticket" /> ${t("sale.manage")}</a></p><//>`;
  return loaded(
    event,
    (found) => html`
    <p><a href=${link(url`/events/${id}/`)}>${t("event.show")}</a></p>
    <${Image} ratio=${3 / 2} url=${found.image_url} label=${t("event.image")} upload=${upload}
      name=${id} alt=${found.image_alt} describe=${save} reload=${event.reload}
      remove=${() => patch(path, { image: null }).then(event.reload)} />
    <${Form} name=${`event-${id}`} fields=${fields()} data=${found} send=${save}
      stored=${event.reload} reload=${event.reload} />
    <section><h2>${t("event.showings")}</h2>
      ${split(found.showings).coming.map(showingOf)}
      <${Past} all=${split(found.showings).past} show=${showingOf} />
      <${NewShowing} after=${found.showings.at(-1)} path=${`${path}showings/`}
        reload=${event.reload} />
    </section>
    <section><h2>${t("event.copy")}</h2><p class="quiet">${t("event.copy.about")}</p>
      <p><${Action} run=${copy} done=${t("event.copied")}>${t("event.copy")}<//></p></section>
    <section><h2>${t("event.delete")}</h2>
      <${Danger} label=${t("event.delete")} name=${found.name} about=${t("event.delete.about")}
        run=${close} done=${t("event.deleted")} /></section>`,
    8,
  );
}

/**
 * A new showing begins with the place of the last one.
 * @param {{after: any, path: `/clubs/${string}/events/${string}/showings/`, reload: any}} props
 */
function NewShowing({ after, path, reload }) {
  const isFirst = useMemo(() => !after, []);
  const data = {
    start_time: null,
    end_time: null,
    location: after?.location ?? null,
    location_visible_to_public: after?.location_visible_to_public ?? true,
    ...NO_TICKETS,
    ...NO_SERIES,
  };
  const fields = (values) => [...showingFields(values), ...seriesFields(values)];
  const send = (values) => {
    const { showing, series } = seriesOf(values);
    const sent = sentOf(showing, true);
    return series ? post(`${path}series/`, { ...sent, ...series }) : post(path, sent);
  };
  return html`<details class="card" open=${isFirst}><summary>${t("event.showing.new")}</summary>
    <${Form} name=${`new-${path}`} fields=${fields} data=${data} whole
      send=${send} stored=${reload} submit=${t("event.showing.add")} />
  </details>`;
}
