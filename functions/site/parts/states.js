// The states that the site shows: of a person with an application, of an application, and what is
// missing somewhere. Nothing here knows the page, so that it is tested without a browser.

/** The committees for which something is typed and nothing was sent; null stands for none. */
export const unsentOf = (entry) =>
  entry.drafts.filter((id) => !entry.submissions.some((sent) => (sent.committee ?? null) === id));

const isDecided = (sent) => sent?.status > 1;

/** The state of an entry of `/applications/open/`, or of none, at a moment. */
export function standingAt(entry, end, now) {
  if (entry?.submissions.length) {
    const sent = entry.submissions;
    // What was typed after sending can no longer be sent when that is decided.
    const typed = entry.drafts.filter(
      (id) => !isDecided(sent.find((one) => (one.committee ?? null) === id)),
    );
    if (typed.length) return unsentOf(entry).length < typed.length ? "changed" : "draft";
    return sent.every(isDecided) ? "decided" : "sent";
  }
  if (Date.parse(end) < now) return "closed";
  if (entry?.draft) return "draft";
  return entry?.withdrawn ? "withdrawn" : "new";
}

/** What an entry says of one committee. */
export const ofCommittee = (entry, id) => {
  const submissions = entry.submissions.filter((sent) => (sent.committee ?? null) === id);
  const drafts = entry.drafts.filter((one) => one === id);
  return { ...entry, submissions, drafts, draft: drafts.length > 0 };
};

/** Whether an application takes submissions at a moment, and if not, why. */
export function stateAt(application, now) {
  if (!application.is_active) return "inactive";
  if (Date.parse(application.application_start_time) > now) return "coming";
  return Date.parse(application.application_end_time) < now ? "closed" : "open";
}

const ORDER = ["open", "coming", "closed", "inactive"];
/** Applications by what can be done now: open ones, those to come, then the last that closed. */
export const inOrderAt = (all, now) => {
  const place = (one) => ORDER.indexOf(stateAt(one, now));
  const end = (one) => Date.parse(one.application_end_time);
  return [...all].sort((a, b) => place(a) - place(b) || end(b) - end(a));
};

const named = (names) => names.filter((one) => typeof one === "string");

/** What keeps people from applying, or will surprise them. */
export const problemsAt = (
  { questions, application_end_time: end, external_url: elsewhere },
  now,
) =>
  named([questions.length === 0 && !elsewhere && "questions", !(Date.parse(end) > now) && "end"]);

/** What a visitor would look for on the page of a club, and would not find. */
export const missingOf = (club) =>
  named([
    !club.description && "description",
    !club.image_url && "image",
    club.tags.length === 0 && "tags",
    !(club.email || club.website) && "contact",
  ]);

/** How often each name occurs, in the order of the first. */
export function counted(all, name) {
  const counts = new Map();
  for (const one of all) counts.set(name(one), (counts.get(name(one)) ?? 0) + 1);
  return [...counts];
}

/** How many are invited to an interview, have booked one, and how many places are left. */
export function interviewsAt(submissions, slots, now) {
  const booked = submissions.filter((one) => one.interview?.state === "booked").length;
  const waiting = submissions.filter((one) => one.interview?.state === "invited").length;
  const coming = slots.filter((one) => Date.parse(one.start_time) > now);
  const free = coming.reduce((sum, one) => sum + one.capacity - one.booked, 0);
  return { invited: waiting + booked, booked, free, isShort: waiting > free };
}
