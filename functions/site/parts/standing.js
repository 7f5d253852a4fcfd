// How somebody stands with an application: not started, draft, sent, changed but not sent,
// decided, withdrawn, closed.

import { html } from "./kit.js";
import { person } from "./auth.js";
import { ticks, useTicks } from "./countdown.js";
import { standingAt } from "./states.js";
import { placesOf, typedStore } from "./store.js";
import { t } from "./texts.js";
import { Chip } from "./ui.js";

/** What each state looks like: kind of chip and icon. */
const LOOKS = {
  new: ["", "circle-dot"],
  draft: ["warn", "pencil"],
  changed: ["warn", "pencil"],
  sent: ["good", "check"],
  decided: ["", "check"],
  withdrawn: ["", "x"],
  closed: ["", "lock"],
};

/** Whether the tab was closed while something was sent to this application. */
export const isBroken = (id) =>
  placesOf(person(), `sending/${id}/`).some(
    (place) => typedStore(person(), place).all().last?.until < Date.now(),
  );

/** The state of an entry of `/applications/open/`, or of none, now. */
export const standingOf = (entry, end) => standingAt(entry, end, ticks.value);

export function Standing({ entry, end }) {
  useTicks();
  const state = standingOf(entry, end);
  const [kind, icon] = LOOKS[state];
  return html`<${Chip} kind=${kind} icon=${icon}>${t(`state.${state}`)}<//>`;
}
