// A table in parts that one call handles. Nothing here knows the page.

/** The records of a table as they are written. A line break between quotes ends no record. */
export function records(table) {
  // Old spreadsheets end lines with a carriage return alone.
  const text = table.includes("\n") ? table : table.replaceAll("\r", "\n");
  const found = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    const isEnd = at === text.length || (text[at] === "\n" && !isQuoted);
    if (!isEnd) continue;
    const record = text.slice(start, at).replace(/\r$/, "");
    if (record.trim()) found.push(record);
    start = at + 1;
  }
  return found;
}

/**
 * @typedef {{row: number, field: string, message: string,
 *   reason: {code: string}}} Wrong
 * @typedef {{created: number, updated: number, invited: number, skipped: number, errors: Wrong[],
 *   dry_run: boolean, ignored_columns?: string[]}} Imported
 */

const COUNTS = /** @type {const} */ (["created", "updated", "invited", "skipped"]);
/** What the service says about a row that it had no time for. */
const LATE = "no_time_left";
/** A part that makes no progress is sent this often. */
const TRIES = 5;

/** Bytes of one call, which has at most 1 MiB. */
const MOST_BYTES = 900_000;

/** How many of these rows one call takes: at least one. */
function fitting(header, rows, size) {
  const bytes = (text) => new TextEncoder().encode(text).length + 1;
  let [n, used] = [0, bytes(header)];
  while (n < Math.min(rows.length, size)) {
    used += bytes(rows[n].row);
    if (n > 0 && used > MOST_BYTES) break;
    n += 1;
  }
  return n;
}

/**
 * Divides objects into lists that one call takes each: not too large, and at most `size` objects.
 * @template T
 * @param {T[]} all
 * @param {number} size
 * @returns {T[][]}
 */
export function inParts(all, size) {
  const rows = all.map((one) => ({ row: JSON.stringify(one) }));
  const parts = [];
  for (let at = 0; at < all.length; at += parts.at(-1)?.length ?? 0)
    parts.push(all.slice(at, at + fitting("", rows.slice(at), size)));
  return parts;
}

/**
 * Imports a table part by part. Rows for which a call had no time are sent again.
 * @param {string} text the table with its header
 * @param {number} size rows of one call
 * @param {(text: string, before: Imported) => Promise<Imported>} send knows what came of the parts
 *   before
 * @param {(done: number, all: number) => void} [progress]
 * @returns {Promise<Imported>} If some rows were imported, an error has `done`, what came of them,
 *   and `left`, the table of the rows with errors, which come first, and of all others.
 */
export async function importAll(text, size, send, progress) {
  const rows = records(text);
  // Some spreadsheets tell their delimiter in a line of its own.
  const header = rows.splice(0, /^\ufeff?sep=/i.test(rows[0] ?? "") ? 2 : 1).join("\n");
  const result = {
    created: 0,
    updated: 0,
    invited: 0,
    skipped: 0,
    errors: /** @type {Imported["errors"]} */ ([]),
    dry_run: false,
    ignored_columns: /** @type {string[] | undefined} */ (undefined),
  };
  if (!header) return result;
  let waiting = rows.map((row, i) => ({ row, number: i + 1 }));
  let tries = 0;
  while (waiting.length) {
    const part = waiting.slice(0, fitting(header, waiting, size));
    const table = (those) => [header, ...those.map((one) => one.row)].join("\n");
    const answer = await send(table(part), result).catch((error) => {
      if (waiting.length === rows.length) throw error;
      const wrong = [...new Set(result.errors.map((one) => one.row))].sort((a, b) => a - b);
      const errors = result.errors.map((one) => ({ ...one, row: wrong.indexOf(one.row) + 1 }));
      const left = [...wrong.map((number) => ({ row: rows[number - 1] })), ...waiting];
      throw Object.assign(error, { done: { ...result, errors }, left: table(left) });
    });
    result.dry_run = answer.dry_run;
    result.ignored_columns = answer.ignored_columns;
    for (const name of COUNTS) result[name] += answer[name];
    const late = answer.errors
      .filter((error) => error.reason?.code === LATE)
      .map((error) => part[error.row - 1]);
    tries = late.length === part.length ? tries + 1 : 0;
    const isStuck = tries >= TRIES;
    const isTold = (error) => isStuck || error.reason?.code !== LATE;
    for (const error of answer.errors.filter(isTold)) {
      result.errors.push({ ...error, row: part[error.row - 1]?.number ?? error.row });
    }
    waiting = [...(isStuck ? [] : late.filter(Boolean)), ...waiting.slice(part.length)];
    progress?.(rows.length - waiting.length, rows.length);
  }
  result.errors.sort((a, b) => a.row - b.row);
  return result;
}
