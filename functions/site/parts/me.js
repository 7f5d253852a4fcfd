// Who is signed in, as the API knows the person. It is loaded once.

import { effect, signal } from "./kit.js";
import { get } from "./api.js";
import { isSignedIn } from "./auth.js";

/** @type {{value: null | {id: number, username: string, name: string, is_admin: boolean}}} */
export const me = signal(null);

effect(() => {
  if (!isSignedIn.value) {
    me.value = null;
    return;
  }
  // The page works without it: what only admins can do is not shown.
  Promise.resolve().then(() => get("/settings/")).then((found) => (me.value = found), () => {});
});

/** Officers have this role, and owners a lower one. */
export const OFFICER = 10;
/** Whether the caller manages a club, as the API shows it. */
export const manages = (club) => (club.is_member !== null && club.is_member <= OFFICER) || Boolean(me.value?.is_admin);
