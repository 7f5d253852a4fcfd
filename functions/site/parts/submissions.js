// The submissions to an application, for officers: all are loaded part by part, and kept while
// somebody goes from one page to another. New ones arrive by themselves.

import { useEffect } from "./kit.js";
import { call } from "./api.js";
import { isSignedIn } from "./auth.js";
import { makePartList } from "./part_list.js";
import { t } from "./texts.js";
import { url } from "./path.js";

const PART = 200;
/** How often new submissions are asked for while the page is seen. */
const POLL_MS = 45_000;
const NEWEST = 50;
/** Whoever comes back to the page after this time sees what others did meanwhile. */
const OLD_MS = 120_000;

export const STATUSES = [1, 2, 3, 4];
/** Whether the data of the applicant was erased: nothing of it changes any more. */
export const isErased = (submission) => submission.user === null;
/** The name of an applicant; nobody has one after their data was erased. */
export const nameOf = (submission) => submission.user?.name ?? t("applicant.erased");

/** What a decision changes in the list, until the list is loaded again. */
export const decided = (status) => ({ status, duties: [status === 1 ? "undecided" : "untold"] });

/** @typedef {import("../api").Schemas["SubmissionBody"]} Submission */

/** `call` without types: the service says where the next part of a list is. @type {any} */
const ask = call;

/** @param {string} base */
const listOf = (base) =>
  makePartList({
    first: `${base}?limit=${PART}`,
    newest: `${base}?limit=${NEWEST}&ordering=-created_at`,
    ask: (path) => /** @type {Promise<{data: Submission[], next: string}>} */ (ask("GET", path)),
  });

/** One application at a time is kept. */
let current = { base: "", list: listOf("") };

const baseOf = (club, application) => url`/clubs/${club}/applications/${application}/submissions/`;

/** The submissions to an application that a page has loaded; none, if it is about another one. */
export const submissionsHere = (club, application) =>
  application && current.base === baseOf(club, application) ? current.list.state.value.all : [];

/**
 * @param {string} club
 * @param {string} application
 */
export function useSubmissions(club, application) {
  const base = baseOf(club, application);
  if (current.base !== base) {
    current.list.leave();
    current = { base, list: listOf(base) };
  }
  const { list } = current;
  useEffect(() => {
    if (!isSignedIn.value) return;
    let loaded = Date.now();
    void list.load();
    const look = () => document.visibilityState === "visible" && list.arrive().catch(() => {});
    const timer = setInterval(look, POLL_MS);
    const come = async () => {
      if (document.visibilityState !== "visible" || Date.now() - loaded < OLD_MS) return;
      const before = loaded;
      loaded = Date.now();
      if (!(await list.load(false))) loaded = before;
    };
    document.addEventListener("visibilitychange", come);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", come);
    };
  }, [base]);
  return { base, ...list };
}
