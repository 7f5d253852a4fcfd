// The submissions to an application, for officers: all are loaded once, part by part, and kept
// while
// somebody goes from one page to another. New ones arrive by themselves.

import { signal, useEffect } from "./kit.js";
import { call, get } from "./api.js";
import { isSignedIn } from "./auth.js";
import { t } from "./texts.js";
import { url } from "./path.js";

const PART = 200;
/** How often new submissions are asked for while the page is seen. */
const POLL_MS = 45_000;
const NEWEST = 50;

export const STATUSES = [1, 2, 3, 4];
/** The name of an applicant; nobody has one after their data was erased. */
export const nameOf = (submission) => submission.user?.name ?? t("applicant.erased");

/** @typedef {import("../api").Schemas["SubmissionBody"]} Submission */
/** @typedef {{all: Submission[], isComplete: boolean, error: any}} Loaded */

/** One application at a time is kept. */
let current = {
  base: "",
  state: signal(/** @type {Loaded} */ ({ all: [], isComplete: false, error: null })),
};

async function load(base, state) {
  let path = `${base}?limit=${PART}`;
  const all = [];
  try {
    while (path) {
      const { data, next } = await call("GET", path);
      all.push(...data);
      path = next;
      if (current.base !== base) return;
      state.value = { all: [...all], isComplete: !path, error: null };
    }
  } catch (error) {
    state.value = { ...state.value, error };
  }
}

/** Takes over what is newer than what is shown. */
async function arrive(base, state) {
  if (document.visibilityState !== "visible" || !state.value.isComplete) return;
  const path = /** @type {string} */ (`${base}?limit=${NEWEST}&ordering=-created_at`);
  const newest = await get(path);
  const known = new Map(state.value.all.map((one) => [one.id, one]));
  const isNew = (one) => known.get(one.id)?.updated_at !== one.updated_at;
  if (!newest.some(isNew)) return;
  for (const one of newest) known.set(one.id, { ...known.get(one.id), ...one });
  state.value = { ...state.value, all: [...known.values()] };
}

/**
 * @param {string} club
 * @param {string} application
 */
export function useSubmissions(club, application) {
  const base = url`/clubs/${club}/applications/${application}/submissions/`;
  if (current.base !== base) {
    current = {
      base,
      state: signal(/** @type {Loaded} */ ({ all: [], isComplete: false, error: null })),
    };
  }
  const { state } = current;
  useEffect(() => {
    if (!isSignedIn.value) return;
    void load(base, state);
    const timer = setInterval(() => arrive(base, state).catch(() => {}), POLL_MS);
    return () => clearInterval(timer);
  }, [base]);
  return {
    state,
    base,
    load: () => load(base, state),
    /** Takes over what a decision or a review answered. */
    change(ids, values) {
      const all = state.value.all.map((one) => (ids.has(one.id) ? { ...one, ...values } : one));
      state.value = { ...state.value, all };
    },
  };
}
