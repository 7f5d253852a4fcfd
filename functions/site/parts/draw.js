// Recomputes a draw from its public list. Nothing here knows the page, so that it is tested without
// a browser.

/** The SHA-256 of a text, as 64 hexadecimal digits. */
export async function sha256(text) {
  const bytes = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
  );
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What is not as it has to be, by the rules of a draw: nothing if it was held right. The commitment
 * is that of the seed, the entries stand by the hash of the seed and their text, and each gets all
 * its tickets if so many are left of its type.
 * @param {{commitment: string, seed: string | null, places: any[], entries: any[]}} draw
 * @returns {Promise<string[]>}
 */
export async function problemsOf({ commitment, seed, places, entries }) {
  if (!seed) return ["seed"];
  const problems = [];
  if ((await sha256(seed)) !== commitment) problems.push("commitment");
  const hashes = await Promise.all(entries.map(({ entry }) => sha256(`${seed}:${entry}`)));
  if (hashes.some((hash, n) => n > 0 && hash < hashes[n - 1])) problems.push("order");
  if (new Set(entries.map(({ entry }) => entry)).size !== entries.length) problems.push("twice");
  const left = new Map(
    places.map(({ type, capacity, issued }) => [
      type,
      capacity === null ? Number.POSITIVE_INFINITY : capacity - issued,
    ]),
  );
  for (const { type, count, drawn } of entries) {
    const rest = left.get(type) ?? 0;
    if (drawn !== count <= rest) return [...problems, "drawn"];
    if (drawn) left.set(type, rest - count);
  }
  return problems;
}
