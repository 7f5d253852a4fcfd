// Somebody who has booked a slot: whether they came, another slot, and the notes, which are a
// review.

import { html, useSignal } from "./kit.js";
import { get, now, patch, put, remove } from "./api.js";
import { link } from "./router.js";
import { campusTime, dayName, span } from "./slots.js";
import { t } from "./texts.js";
import { Action, Icon, confirmed } from "./ui.js";

/**
 * @param {object} props
 * @param {any} props.one the booking
 * @param {any} props.slot
 * @param {any[]} props.all the slots of the application
 * @param {import("../api").OfApplication} props.base the path of the application
 * @param {() => Promise<any>} props.reload
 */
export function Booking({ one, slot, all, base, reload }) {
  const path = /** @type {const} */ (`${base}submissions/${one.submission}/interview/`);
  const { name } = one.user;
  const target = useSignal(0);
  /** Does something with the booking as it is shown here, and shows what is stored afterwards. */
  const act = (work) => async () => {
    try {
      // The applicant may have moved or cancelled it meanwhile.
      const stored = await get(path).catch((error) => {
        if (error.status !== 404) throw error;
      });
      if (stored?.slot?.id !== slot.id) throw new Error(t("interviews.gone", { name }));
      return await work();
    } finally {
      await reload();
    }
  };
  const note = (attended) =>
    act(() => patch(path, { attended: one.attended === attended ? null : attended }));
  const move = act(async () => {
    const send = (overlap) => put(path, { slot: target.value, overlap });
    try {
      await send(false);
    } catch (error) {
      if (error.code !== "overlap") throw error;
      if (!confirmed(t("interviews.overlap", { name }))) return false;
      await send(true);
    }
    target.value = 0;
  });
  const cancel = act(() =>
    confirmed(t("interviews.cancel.sure", { name })) ? remove(path) : false,
  );
  const free = all.filter((other) => other.id !== slot.id && other.booked < other.capacity);
  return html`<div class="line booking"><span class="strong">${name}</span>
    <span class="printed-only">☐</span>
    <span class="line noprint" role="group" aria-label=${name}>
      ${
        Date.parse(slot.start_time) <= now() &&
        html`<${Action} run=${note(true)} pressed=${one.attended === true}>${t("interviews.yes")}<//>
      <${Action} run=${note(false)} pressed=${one.attended === false}>${t("interviews.no")}<//>`
      }
      <a class="button" href=${link(`${base}review/?only=all&open=${one.submission}`)}><${Icon}
        name="star" /> ${t("interviews.notes")}</a>
      <select aria-label=${`${t("interviews.move")}: ${name}`}
        onChange=${(event) => (target.value = Number(event.currentTarget.value))}>
        <option value="" selected=${target.value === 0}>${t("interviews.move.to")}</option>${free.map(
          (other) => html`<option value=${other.id} selected=${target.value === other.id}>
          ${dayName(other.start_time)}, ${span(other)} ${campusTime(other)}</option>`,
        )}</select>
      ${
        free.some((other) => other.id === target.value) &&
        html`<${Action} run=${move} done=${t("interviews.moved", { name })}>
        ${t("interviews.move")}<//>`
      }
      <${Action} className="danger" run=${cancel} done=${t("interviews.cancelled", { name })}>
        ${t("interview.cancel")}<//></span></div>`;
}
