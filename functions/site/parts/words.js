// What people type or paste. Nothing here knows the page.

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Tells whether a text has every word of a search. Upper and lower case, accents and other marks
 * make no difference, as in the service (H27).
 * @param {string} search
 */
export function finder(search) {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return (/** @type {string} */ text) => {
    const all = folded(text);
    return words.every((word) => all.includes(word));
  };
}

/**
 * The addresses in what was pasted, perhaps from a mail program: names beside an address in angle
 * brackets are left out. What is no address stays, so that the service names it.
 * @param {string} text
 */
export function addresses(text) {
  const plain = text.replace(/[\u200b-\u200f\u2060\ufeff]/g, "");
  const entries = plain.replace(/>/g, ">\n").split(/[;\n\r]+/);
  const found = entries.flatMap((entry) => {
    const words = entry
      .split(/[\s,]+/)
      .map((word) => word.replace(/^["'(<]+|["')>]+$/g, "").replace(/^mailto:/i, ""))
      .filter(Boolean);
    const hasName = /<[^<>\s]+@[^<>\s]+>/.test(entry);
    return hasName ? words.filter((word) => word.includes("@")) : words;
  });
  return found.join(", ");
}
