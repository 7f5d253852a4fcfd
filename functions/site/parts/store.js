// What somebody typed and the service does not have yet, kept in the browser for its owner until
// the service has it, also when the tab is closed or the network is gone.

const PREFIX = "typed";
/** What is kept is worthless after this time. */
const KEPT_MS = 60 * 24 * 3600 * 1000;

/** Who has no place here any more: what comes late for them is not kept. */
const gone = new Set();
/** Whose forms this page has had. */
const owners = new Set();

/** All names in the storage. */
const names = () =>
  Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? "");
const prefix = (owner, place) => `${PREFIX} ${encodeURIComponent(owner)} ${place} `;

/**
 * @typedef {object} Store
 * @property {() => Record<string, any>} all
 * @property {(name: any, value: any) => any} set
 * @property {(name: any) => any} remove
 */

/**
 * A place for what one person types into one form, by name. Full or forbidden storage is no error:
 * then the page alone has what was typed.
 * @param {string | undefined} owner
 * @param {string} place without blanks
 * @returns {Store}
 */
export function typedStore(owner, place) {
  const start = prefix(owner ?? "", place);
  owners.add(owner);
  return {
    /** @returns {Record<string, any>} */
    all() {
      const found = {};
      for (const name of names().filter((one) => one.startsWith(start))) {
        try {
          const { value, at } = JSON.parse(localStorage.getItem(name) ?? "");
          if (Date.now() - at < KEPT_MS) found[name.slice(start.length)] = value;
        } catch {
          localStorage.removeItem(name);
        }
      }
      return found;
    },
    set(name, value) {
      if (gone.has(owner)) return false;
      try {
        localStorage.setItem(start + name, JSON.stringify({ value, at: Date.now() }));
        return true;
      } catch {
        return false;
      }
    },
    remove: (name) => localStorage.removeItem(start + name),
  };
}

/** The places with this beginning into which a person typed what is still kept. */
export const placesOf = (owner, start) => {
  const own = `${PREFIX} ${encodeURIComponent(owner ?? "")} `;
  const kept = names().filter((name) => name.startsWith(own + start));
  return [...new Set(kept.map((name) => name.slice(own.length).split(" ")[0] ?? ""))];
};

/** Whether something that a person typed is not stored by the service yet. */
export const hasPending = (owner) =>
  Boolean(owner) &&
  names().some((name) => name.startsWith(`${PREFIX} ${encodeURIComponent(owner)} `));

/** Keeps nothing any more for the owners of the forms of this page, except for one person. */
export function forgetUnless(person) {
  for (const owner of owners) if (owner !== person) gone.add(owner);
}

/** Forgets everything that a person typed here, also what comes late. */
export function forgetPerson(owner) {
  if (!owner) return;
  gone.add(owner);
  const own = `${PREFIX} ${encodeURIComponent(owner)} `;
  for (const name of names().filter((one) => one.startsWith(own))) localStorage.removeItem(name);
}
