// How somebody stands with an application: not started, draft, sent, changed but not sent,
// decided, withdrawn, closed.

import { html } from "./kit.js";
import { person } from "./auth.js";
import { ticks, useTicks } from "./countdown.js";
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

/** The committees for which something is typed and nothing was sent; null stands for none. */
export const unsentOf = (entry) =>
  entry.drafts.filter((id) => !entry.submissions.some((sent) => (sent.committee ?? null) === id));

/** Whether the tab was closed while something was sent to this application. */
export const isBroken = (id) =>
  placesOf(person(), `sending/${id}/`).some(
    (place) => typedStore(person(), place).all().last?.until < Date.now(),
  );

const isDecided = (sent) => sent?.status > 1;

/** The state of an entry of `/applications/open/`, or of none. */
export function standingOf(entry, end) {
  if (entry?.submissions.length) {
    const sent = entry.submissions;
    // What was typed after sending can no longer be sent when that is decided.
    const typed = entry.drafts.filter(
      (id) => !isDecided(sent.find((one) => (one.committee ?? null) === id)),
    );
    if (typed.length) return unsentOf(entry).length < typed.length ? "changed" : "draft";
    return sent.every(isDecided) ? "decided" : "sent";
  }
  if (Date.parse(end) < ticks.value) return "closed";
  if (entry?.draft) return "draft";
  return entry?.withdrawn ? "withdrawn" : "new";
}

/** What an entry says of one committee. */
export const ofCommittee = (entry, id) => {
  const submissions = entry.submissions.filter((sent) => (sent.committee ?? null) === id);
  const drafts = entry.drafts.filter((one) => one === id);
  return { ...entry, submissions, drafts, draft: drafts.length > 0 };
};

export function Standing({ entry, end }) {
  useTicks();
  const state = standingOf(entry, end);
  const [kind, icon] = LOOKS[state];
  return html`<${Chip} kind=${kind} icon=${icon}>${t(`state.${state}`)}<//>`;
}
