// `/submissions/{submission}/interview/`: the applicant chooses a time, moves it, or cancels it.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { now, put, remove } from "../parts/api.js";
import { download } from "../parts/files.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { When, byDay, calendarFile, campusTime, dayName, span } from "../parts/slots.js";
import { moment, t, zone } from "../parts/texts.js";
import { Action, Chip, Empty, Icon, Mono, Title, confirmed, say, useFresh } from "../parts/ui.js";

export default function InterviewPage({ submission: id }) {
  const own = useLoad(url`/submissions/${id}/`);
  return html`<p class="flat"><a class="back" href=${link("/applications/")}><${Icon}
      name="chevron-left" /> ${t("nav.applications")}</a></p>
    ${loaded(
      own,
      (submission) => html`<${Shown} submission=${submission} reload=${own.reload} />`,
      4,
      true,
    )}`;
}

function Shown({ submission, reload }) {
  const club = useLoad(url`/clubs/${submission.club}/`);
  const moves = useSignal(false);
  const { interview } = submission;
  const name = club.data?.name ?? submission.club;
  const head = html`<div class="head"><${Mono} code=${submission.club} name=${name} />
    <${Title} name=${t("interview")}>${t("interview.with", { club: name })}<//></div>`;
  if (!interview) return html`${head}<${Empty} icon="info"><p>${t("interview.none")}</p><//>`;
  const done = async () => {
    moves.value = false;
    await reload();
  };
  return html`${head}
    ${interview.slot && html`<${Booked} ...${{ submission, name, moves, reload }} />`}
    ${(!interview.slot || moves.value) && html`<${Choose} ...${{ submission, reload, done }} />`}`;
}

/** What is booked, and what can be done with it. */
function Booked({ submission, name, moves, reload }) {
  const { slot, changes_until: until } = submission.interview;
  const isOpen = Date.parse(until) > now();
  const cancel = async () => {
    if (!confirmed(t("interview.cancel.sure"))) return false;
    await remove(url`/submissions/${submission.id}/interview/`);
    await reload();
  };
  const save = () =>
    download(
      "interview.ics",
      calendarFile(`interview-${submission.id}`, slot, t("interview.with", { club: name })),
      "text/calendar",
    );
  return html`<section class="card"><p class="flat"><${Chip} kind="good" icon="check">
      ${t("interview.booked")}<//></p>
    <${When} slot=${slot} />
    <p class="quiet small">${
      isOpen ? t("interview.until", { time: moment(until, { zoned: true }) }) : t("interview.late")
    }</p>
    <p class="row"><button onClick=${save}><${Icon} name="calendar-plus" />
        ${t("interview.calendar")}</button>
      ${
        isOpen &&
        html`<button aria-expanded=${moves.value} onClick=${() => (moves.value = !moves.value)}>
          <${Icon} name="pencil" /> ${t("interview.move")}</button>
        <${Action} className="danger" run=${cancel} done=${t("interview.cancelled")}>
          ${t("interview.cancel")}<//>`
      }</p></section>`;
}

/** The slots by day. One tap chooses, the next one books. */
function Choose({ submission, reload, done }) {
  const slots = useLoad(url`/submissions/${submission.id}/slots/`);
  const chosen = useSignal(/** @type {any} */ (null));
  const day = useSignal(0);
  const booked = submission.interview.slot?.id;
  const card = useRef(/** @type {any} */ (null));
  // The button for booking may be below the end of the screen.
  const isFresh = useFresh(chosen.value?.id);
  useEffect(() => card.current?.scrollIntoView({ block: "nearest" }), [chosen.value?.id]);
  const book = async () => {
    const wanted = chosen.value;
    const send = (overlap) =>
      put(url`/submissions/${submission.id}/interview/`, { slot: wanted.id, overlap });
    let stored;
    try {
      try {
        stored = await send(false);
      } catch (error) {
        if (error.code !== "overlap") throw error;
        if (!confirmed(t("interview.overlap"))) return false;
        stored = await send(true);
      }
    } catch (error) {
      // Somebody was faster, it is too late now, or the answer was lost and it is booked.
      chosen.value = null;
      await Promise.all([reload(), slots.reload()]);
      throw error;
    }
    await done();
    if (isSame(stored?.slot, wanted)) return true;
    say(t("interview.other"), "problem");
    // What was booked stands at the top.
    scrollTo(0, 0);
    return false;
  };
  return html`<section><h2>${t("interview.choose")}</h2>${loaded(slots, (all) => {
    const others = all.filter((one) => one.id !== booked);
    if (others.length === 0)
      return html`<${Empty} icon="calendar"><p>${t("interview.no.slots")}</p><//>`;
    const days = byDay(others);
    const [shown, times] = days.find(([one]) => one === day.value) ?? firstFree(days);
    const pick = (one) => () => {
      day.value = one;
      chosen.value = null;
    };
    return html`<div class="chips" role="group" aria-label=${t("interview.days")}>${days.map(
      ([one, its]) => html`<button key=${one} class="chip" aria-pressed=${one === shown}
        aria-label=${`${dayName(one)}, ${t("interview.free", { n: free(its) })}`}
        onClick=${pick(one)}>${dayName(one)} <span class="quiet">${free(its)}</span></button>`,
    )}</div>
      <p class="quiet small">${t("form.zone", { zone })}</p>
      <ul class="times">${times.map(
        (slot) => html`<li key=${slot.id}><button aria-pressed=${chosen.value?.id === slot.id}
          aria-disabled=${slot.free === 0 ? "true" : undefined}
          onClick=${() => slot.free > 0 && ((chosen.value = slot))}>${span(slot)}
          ${campusTime(slot) && html`<span class="small quiet"> ${campusTime(slot)}</span>`}
          ${slot.free === 0 && html`<span class="small quiet"> ${t("interview.full")}</span>`}
          </button></li>`,
      )}</ul>
      <div aria-live="polite">${
        chosen.value &&
        html`<div class="card chosen" ref=${card}><${When} slot=${chosen.value} />
        <p><${Action} className="main" run=${book} done=${t("interview.done")}
          isFresh=${isFresh}><${Icon}
          name="check" /> ${t("interview.book")}<//></p></div>`
      }</div>`;
  })}</section>`;
}

// The club may have changed the time or the place since the list was read.
const isSame = (slot, wanted) =>
  ["id", "start_time", "end_time", "location"].every((key) => slot?.[key] === wanted[key]);

const free = (slots) => slots.filter((one) => one.free > 0).length;
const firstFree = (days) => days.find(([, slots]) => free(slots) > 0) ?? days[0];
