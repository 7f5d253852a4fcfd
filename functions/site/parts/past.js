// What has an end: what is next, and what is over.

/**
 * What is not over, by its beginning, and what is, the last of it first.
 * @template {{start_time: string, end_time: string}} T
 * @param {T[]} all
 * @returns {{coming: T[], past: T[]}}
 */
export function split(all, now = Date.now()) {
  const isOver = (one) => Date.parse(one.end_time) <= now;
  const sorted = [...all].sort((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time));
  return {
    coming: sorted.filter((one) => !isOver(one)),
    past: sorted.filter(isOver).reverse(),
  };
}
