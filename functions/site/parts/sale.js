// What can be done about the tickets of a showing. Nothing here knows the page, so that it is
// tested without a browser.

/** A draw begins half a minute after its time, and takes some seconds. */
const DRAWING_MS = 60_000;

/**
 * What can be done at a moment: nothing yet, take part in a draw, wait while it is held, order, or
 * nothing any more.
 * @returns {"coming" | "draw" | "drawing" | "open" | "closed"}
 */
export function phaseAt(showing, now) {
  const time = (name) => Date.parse(showing[name] ?? "");
  if (now < time("ticket_drop_time")) return "coming";
  if (now > Date.parse(showing.ticket_end_time ?? showing.start_time)) return "closed";
  if (showing.ticket_sale !== "draw") return "open";
  const since = now - time("ticket_draw_time");
  return since < 0 ? "draw" : since < DRAWING_MS ? "drawing" : "open";
}

/** Tickets that a person has or may still get. */
export const isKept = (ticket) => ["valid", "waiting", "requested"].includes(ticket.state);

/** How many of a type somebody may choose, who has so many tickets of the showing. */
export const mostOf = (showing, kept) => Math.max(0, (showing.ticket_order_limit ?? 20) - kept);

/**
 * The lines of an order, and whether all of it can be had at once as far as the page knows.
 * @param {any} showing
 * @param {Record<string, number>} counts by the id of the type
 */
export function orderOf(showing, counts) {
  const chosen = showing.ticket_types.filter((one) => counts[one.id] > 0);
  const isThere = (one) =>
    !one.sold_out && (one.available === null || one.available >= counts[one.id]);
  return {
    tickets: chosen.map((one) => ({ type: one.id, count: counts[one.id] })),
    n: chosen.reduce((sum, one) => sum + counts[one.id], 0),
    isThere: chosen.every(isThere),
  };
}

/** How many tickets of an order are in each state, in the order of what is best. */
export const states = (tickets) =>
  ["valid", "waiting", "requested", "not_drawn", "cancelled"]
    .map((state) => [state, tickets.filter((one) => one.state === state).length])
    .filter(([, n]) => n);
