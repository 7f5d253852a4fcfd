// The clubs that somebody looked at last, in this browser only.

const PLACE = "seen";
const MOST = 8;

/** Forgets them: whoever comes next to this browser need not know. */
export const forgetClubs = () => localStorage.removeItem(PLACE);

/** @returns {{code: string, name: string}[]} */
export function seen() {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "[]");
  } catch {
    return [];
  }
}

/** Notes that a club was looked at. */
export function saw(club) {
  const others = seen().filter((one) => one.code !== club.code);
  try {
    localStorage.setItem(PLACE, JSON.stringify([club, ...others].slice(0, MOST)));
  } catch {
    // A full storage is no error.
  }
}
