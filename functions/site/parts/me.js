// Who is signed in, as the API knows the person. It is loaded once.

import { effect, signal } from "./kit.js";
import { call } from "./api.js";
import { isSignedIn } from "./auth.js";
import { shared } from "./cache.js";

/** @type {{value: null | import("../api").Schemas["SettingsBody"]}} */
export const me = signal(null);

effect(() => {
  if (!isSignedIn.value) {
    me.value = null;
    return;
  }
  // The page works without it: what only admins can do is not shown.
  Promise.resolve()
    .then(() => shared("/settings/", () => call("GET", "/settings/"), false))
    .then(
      ({ data }) => (me.value = data),
      () => {},
    );
});

/** Officers have this role, and owners a lower one. */
export const OFFICER = 10;
/** Whether the caller manages a club, as the API shows it. */
export const manages = (club) =>
  (club.is_member !== null && club.is_member <= OFFICER) || Boolean(me.value?.is_admin);
