// Who is signed in, as the API knows the person. It is loaded once a day.

import { effect, signal } from "./kit.js";
import { call } from "./api.js";
import { isSignedIn, person } from "./auth.js";
import { shared } from "./cache.js";
import { remembered } from "./offline.js";

const PATH = "/settings/";
const DAY_MS = 86_400_000;

/** @type {{value: null | import("../api").Schemas["SettingsBody"]}} */
export const me = signal(null);

effect(() => {
  if (!isSignedIn.value) {
    me.value = null;
    return;
  }
  // The page works without it: what only admins can do is not shown.
  Promise.resolve()
    .then(known)
    .then(
      ({ data }) => (me.value = data),
      () => {},
    );
});

/** For a day what was seen last is enough, unless the person changed it or signed in again. */
async function known() {
  const seen = await remembered(person(), PATH);
  if (seen && Date.now() - seen.at < DAY_MS) return seen;
  return shared(PATH, () => call("GET", PATH), false);
}

/** Officers have this role, and owners a lower one. */
export const OFFICER = 10;
/** Whether the caller manages a club, as the API shows it. */
export const manages = (club) =>
  (club.is_member !== null && club.is_member <= OFFICER) || Boolean(me.value?.is_admin);
