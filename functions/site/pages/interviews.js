// `/clubs/{club}/applications/{application}/interviews/`: the slots of a week, who has booked them,
// and who came. Officers draw slots into the week, or type them.

import { html, useRef, useSignal } from "../parts/kit.js";
import { call, now } from "../parts/api.js";
import { Booking } from "../parts/booked.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { address, link, setQuery } from "../parts/router.js";
import { SlotForm } from "../parts/slot_form.js";
import { Place, byDay, campusTime, dayName, dayStart, span } from "../parts/slots.js";
import { interviewsAt } from "../parts/states.js";
import { useSubmissions } from "../parts/submissions.js";
import { WeekGrid } from "../parts/week_grid.js";
import { dated, t, zone } from "../parts/texts.js";
import { Chip, Empty, Icon, Title, confirmed, say } from "../parts/ui.js";

const WEEK = 7;

/** The Monday of a week, so many weeks later. A day without a time is one of this time zone. */
function monday(text, weeks = 0) {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text ?? "");
  const day = new Date(isDay ? `${text}T00:00` : (text ?? dayStart(Date.now())));
  const from = Number.isNaN(day.getTime()) ? new Date() : day;
  const back = (from.getDay() + 6) % 7;
  return new Date(from.getFullYear(), from.getMonth(), from.getDate() - back + weeks * WEEK);
}

export default function Interviews({ club, application: id }) {
  const base = url`/clubs/${club}/applications/${id}/`;
  const of = useLoad(url`/clubs/${club}/`);
  const application = useLoad(base);
  const slots = useLoad(`${base}slots/`);
  const members = useLoad(url`/clubs/${club}/members/`);
  /** What the form begins with: a slot that is changed, or the times that were drawn. */
  const edited = useSignal(/** @type {any} */ (null));
  const all = slots.data ?? [];
  const first = useRef(/** @type {string | undefined} */ (undefined));
  first.current ??= firstWeek(all);
  const week = address.value.query.get("week") ?? first.current;
  const from = monday(week);
  const until = monday(week, 1);
  const go = (weeks) => () => setQuery({ week: isoDay(monday(week, weeks)) });
  const shown = all.filter((one) => {
    const start = Date.parse(one.start_time);
    return start >= from.getTime() && start < until.getTime();
  });
  const committees = application.data?.committees ?? [];
  const close = async (made) => {
    edited.value = null;
    await slots.reload();
    // New times of another week are shown.
    const start = [made?.data].flat()[0]?.start_time;
    if (start) setQuery({ week: isoDay(monday(start)) });
  };
  const style = /** @type {const} */ ({ day: "numeric", month: "short" });
  const end = new Date(until.getTime() - 1);
  return html`<p class="flat noprint"><a class="back" href=${link(base)}><${Icon}
      name="chevron-left" /> ${application.data?.name ?? t("submissions")}</a></p>
    <div class="head"><${Title}>${t("interviews")}<//>
      <span class="push noprint"><a class="button" href=${link(`${base}mails/?type=interview`)}>
          <${Icon} name="mail" /> ${t("interviews.invite")}</a>
        <button class="main" onClick=${() => (edited.value = {})}><${Icon} name="plus" />
          ${t("slots.new")}</button></span></div>
    ${
      edited.value &&
      html`<${SlotForm} key=${JSON.stringify(edited.value)} path=${`${base}slots/`}
        begun=${edited.value} members=${members.data ?? []} committees=${committees}
        reload=${slots.reload} close=${close} />`
    }
    <${Count} club=${club} application=${id} slots=${all} />
    <p class="row middle noprint">
      <button onClick=${go(-1)}><${Icon} name="chevron-left" /> ${t("previous")}</button>
      <b role="status">${dated(from, style)} – ${dated(end, { ...style, year: "numeric" })}</b>
      <button onClick=${go(1)}>${t("next")} <${Icon} name="chevron-right" /></button>
      <span class="quiet small">${t("form.zone", { zone })}</span></p>
    ${loaded(
      slots,
      () => html`<${WeekGrid} from=${from} slots=${shown} draw=${(times) => (edited.value = times)}
        open=${(slot) => (edited.value = slot)} move=${moveIn(`${base}slots/`, slots.reload)} />
      ${
        shown.length === 0
          ? html`<${Empty} icon="calendar"><p>${t("slots.none")}</p><//>`
          : byDay(shown).map(
              ([day, its]) => html`<${Day} key=${day} ...${{ day, slots: its, all, base }}
            of=${[of.data?.name ?? club, application.data?.name].join(" · ")}
            committees=${committees} reload=${slots.reload}
            edit=${(slot) => (edited.value = slot)} />`,
            )
      }`,
      6,
    )}`;
}

/** How many are invited, have booked, and how many places are left. */
function Count({ club, application, slots }) {
  const { state } = useSubmissions(club, application);
  const { all, isComplete, error } = state.value;
  // What comes later moves nothing below it.
  if (!isComplete) return html`<p class="line">${error ? error.message : `${t("loading")} …`}</p>`;
  const counts = interviewsAt(all, slots, now());
  return html`<p class="line" role="status"><b>${t("interviews.count", counts)}</b>
    ${counts.isShort && html`<${Chip} kind="warn" icon="circle-alert">${t("interviews.few")}<//>`}
      </p>`;
}

/** Whether what was refused is another interview of an interviewer at that time (K13). */
const isOverlap = (error) =>
  (error.body?.reasons?.interviewers ?? []).some((one) => one.code === "overlap");

/**
 * Moves a slot to other times, if that is how it is stored.
 * @param {`/clubs/${string}/applications/${string}/slots/`} path
 * @param {() => Promise<any>} reload
 */
const moveIn = (path, reload) => async (slot, times) => {
  const one = /** @type {const} */ (`${path}${slot.id}/`);
  try {
    const { data: stored, etag } = await call("GET", one);
    const isSame = ["start_time", "end_time", "booked"].every(
      (name) => stored[name] === slot[name],
    );
    if (!isSame) throw new Error(t("slots.changed"));
    if (stored.booked && !confirmed(t("slots.move.sure", { n: stored.booked }))) return;
    const send = (overlap) =>
      call("PATCH", one, { body: overlap ? { ...times, overlap } : times, etag });
    try {
      await send(false);
    } catch (error) {
      if (!isOverlap(error)) throw error;
      if (!confirmed(t("slots.move.overlap"))) return;
      await send(true);
    }
    await reload();
    say(t("slots.moved"));
  } catch (error) {
    say(error.message, "problem");
    await reload();
  }
};

const two = (number) => String(number).padStart(2, "0");
const isoDay = (day) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

/** The present week if it has slots, or that with the next one. */
function firstWeek(slots) {
  const [from, until] = [monday(undefined).getTime(), monday(undefined, 1).getTime()];
  const starts = slots.map((one) => Date.parse(one.start_time));
  if (starts.some((start) => start >= from && start < until)) return isoDay(new Date());
  const next = slots.find((one) => Date.parse(one.end_time) > Date.now()) ?? slots.at(-1);
  return next?.start_time;
}

/** The slots of a day, as a list that can be printed. */
function Day({ day, slots, all, base, of, committees, reload, edit }) {
  const print = (event) => {
    const section = event.currentTarget.closest("section");
    const mark = (isOn) => {
      section.classList.toggle("printed", isOn);
      document.body.classList.toggle("one-printed", isOn);
    };
    mark(true);
    // On a phone, `print` returns before the page is printed.
    window.addEventListener("afterprint", () => mark(false), { once: true });
    window.print();
  };
  const committeeOf = (slot) => committees.find((one) => one.id === slot.committee)?.name;
  return html`<section><p class="printed-only">${of} · ${zone}</p>
    <div class="section"><h2>${dayName(day)}</h2>
      <button class="push noprint" onClick=${print}>${t("slots.print")}</button></div>
    <ul class="list card">${slots.map(
      (slot) => html`<li key=${slot.id} class="person">
      <div class="line"><b>${span(slot)}</b>
        ${campusTime(slot) && html`<span class="quiet small">${campusTime(slot)}</span>`}
        <${Place} at=${slot.location} />
        <${Chip} kind=${slot.booked === slot.capacity ? "good" : ""}>
          ${t("slots.booked", { n: slot.booked, of: slot.capacity })}<//>
        ${committeeOf(slot) && html`<${Chip}>${committeeOf(slot)}<//>`}
        <span class="quiet small">${slot.interviewers.map((one) => one.name).join(", ")}</span>
        <span class="push noprint"><button onClick=${() => edit(slot)}
          aria-label=${`${t("builder.edit")}: ${span(slot)}`}><${Icon} name="pencil" />
          ${t("builder.edit")}</button></span></div>
      ${slot.note && html`<p class="small">${slot.note}</p>`}
      ${slot.bookings.map(
        (one) => html`<${Booking} key=${one.submission} ...${{ one, slot, all, base, reload }} />`,
      )}</li>`,
    )}</ul></section>`;
}
