// Who is signed in, as the API knows the person. It is loaded once a day.

import { effect, signal } from "./kit.js";
import { call } from "./api.js";
import { isSignedIn, person } from "./auth.js";
import { shared } from "./cache.js";
import { forgetOld, remembered } from "./offline.js";
import { isPassing } from "./request.js";

const PATH = "/settings/";
const DAY_MS = 86_400_000;
/** After this time it is asked for again, if there was no answer. */
const AGAIN_MS = 15_000;

/** @type {{value: null | import("../api").Schemas["SettingsBody"]}} */
export const me = signal(null);

effect(() => {
  if (!isSignedIn.value) {
    me.value = null;
    return;
  }
  void load(person());
});

/** The page works without it: what only admins can do is not shown. It is asked for again. */
async function load(owner) {
  // Not in the effect, which would follow what is read here.
  await null;
  if (person() !== owner) return;
  try {
    const { data } = await known();
    if (person() === owner) me.value = data;
  } catch (error) {
    if (isPassing(error.status ?? 0)) setTimeout(() => load(owner), AGAIN_MS);
  }
}

/** For a day what was seen last is enough, unless the person changed it or signed in again. */
async function known() {
  void forgetOld(person());
  const seen = await remembered(person(), PATH);
  if (seen && Date.now() - seen.at < DAY_MS) return seen;
  return shared(PATH, () => call("GET", PATH), false);
}

/** Officers have this role, and owners a lower one. */
export const OFFICER = 10;
/** Whether the caller manages a club, as the API shows it. */
export const manages = (club) =>
  (club.is_member !== null && club.is_member <= OFFICER) || Boolean(me.value?.is_admin);
