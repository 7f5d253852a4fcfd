// What pages are made of.

import { Fragment, html, signal, useEffect, useMemo, useRef, useSignal } from "./kit.js";
import { call } from "./api.js";
import { hasEnded, isSignedIn, signIn } from "./auth.js";
import { unsaved } from "./router.js";
import { t, away, moment } from "./texts.js";

/** What was done or went wrong, for eyes and for screen readers. */
export const notice = signal({ text: "", kind: "" });
let fading;
/** Tells a message until it is closed; what was done, for some seconds. */
export function say(text, kind = "done") {
  notice.value = { text, kind };
  clearTimeout(fading);
  if (kind === "done") fading = setTimeout(() => (notice.value = { text: "", kind: "" }), 6000);
}

/** Moves the focus to the heading of the page, unless somebody is in a field already. */
export function focusTitle() {
  const here = document.activeElement;
  const isTyping = here instanceof HTMLElement && here.closest("main")?.contains(here) && here.matches("input, textarea, select, [contenteditable]");
  if (!isTyping) /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus({ preventScroll: true });
}

/** Keeps the site from being left without a question while something is not stored. */
export function useUnsaved(isOpen) {
  const name = useMemo(() => ({}), []);
  useEffect(() => {
    if (isOpen) unsaved.add(name);
    return () => void unsaved.delete(name);
  }, [isOpen]);
}

/** Sets the title of the page, and moves the focus to its heading after a change of page. */
export function Title({ children, name }) {
  /** @type {{current: HTMLElement | null}} */
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${name ?? children} – ${t("app")}`;
  }, [name ?? children]);
  // Once: a title that comes late must not take the focus from a field.
  useEffect(() => focusTitle(), []);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

/**
 * @template D
 * @typedef {{data: D | undefined, error: any, etag: string, next: string, isStale: boolean, reload: () => Promise<D | undefined>}} Load
 */

/**
 * Loads data for a page: `{ data, error, reload, etag, next }`. What was loaded stays while it is
 * loaded again. Nothing is loaded for an empty path.
 * @template {string} P
 * @param {P} path
 * @returns {Load<P extends "" ? never : import("../api").Reply<"GET", P>>}
 */
export function useLoad(path) {
  const state = useSignal(/** @type {any} */ ({ data: undefined, error: null, path: "", etag: "", next: "" }));
  /** The number of the last request: an earlier one that answers later is not shown. */
  const last = useRef(0);
  const reload = async () => {
    if (!path) return;
    const number = ++last.current;
    try {
      const { data, etag, next } = await call("GET", path);
      if (number !== last.current) return data;
      state.value = { data, error: null, path, etag, next };
      return data;
    } catch (error) {
      if (number === last.current) state.value = { ...state.value, error, path };
    }
  };
  useEffect(() => {
    state.value = { ...state.value, error: null };
    reload();
  }, [path, isSignedIn.value]);
  const fresh = state.value.path === path || !path;
  return /** @type {any} */ ({ ...state.value, isStale: !fresh, reload });
}

/**
 * Shows what was loaded, a skeleton before that, or the error with a way to try again.
 * @template D
 * @param {{data?: D, error: any, isStale?: boolean, reload: () => any}} from
 * @param {(data: D) => any} show
 * @param {number} [lines] of the skeleton
 * @param {boolean} [isPage] whether this is the whole page, so that an error has its title
 */
export function loaded(from, show, lines = 4, isPage = false) {
  if (from.error && from.data === undefined) return html`<${Problem} error=${from.error} retry=${from.reload} isPage=${isPage} />`;
  if (from.data === undefined) return html`<${Skeleton} lines=${lines} />`;
  return html`<div class=${from.isStale ? "stale" : ""}>
    ${from.error && html`<${Problem} error=${from.error} retry=${from.reload} />`} ${show(from.data)}
  </div>`;
}

export function Skeleton({ lines }) {
  return html`<div class="skeleton" role="status" aria-label=${t("loading")}>
    ${Array.from({ length: lines }, () => html`<span></span>`)}
  </div>`;
}

/** @param {{error: any, retry?: () => any, isPage?: boolean}} props */
export function Problem({ error, retry, isPage }) {
  const title = isPage && html`<${Title}>${t(error.status === 401 ? "signin" : "error.title")}<//>`;
  if (error.status === 401) {
    return html`${title}<div class="card"><p>${t("signin.needed")}</p>
      <p><${Action} className="main" run=${() => signIn()}>${t("signin")}<//></p></div>`;
  }
  const text = error.status === 404 ? t("error.notfound") : error.status === 403 ? t("error.forbidden") : error.message;
  return html`${title}<div class="card problem" role="alert"><p>${text}</p>
    ${retry && html`<p><button onClick=${retry}>${t("retry")}</button></p>`}</div>`;
}

/** A moment with how far it is away. Deadlines name the zone. */
export function Time({ at, zoned, day }) {
  return html`<time datetime=${at} title=${away(at)}>${moment(at, { zoned, day })}</time>`;
}

/** A field with its label, and the messages of the API below it. */
export function Field({ label, errors, hint, children, id }) {
  const notes = `${id}-notes`;
  return html`<div class=${errors?.length ? "field wrong" : "field"}>
    <label for=${id}>${label}</label>
    ${children}
    <div id=${notes}>
      ${hint && html`<p class="quiet">${hint}</p>`}
      ${errors?.map((text) => html`<p class="message" role="alert">${text}</p>`)}
    </div>
  </div>`;
}

/**
 * A button that does something which takes time, and tells what went wrong. If the button is gone
 * afterwards, the focus is on the title of the page.
 */
export function Action({ run, children, className = "", done, disabled, label, type = "button" }) {
  const busy = useSignal(false);
  const click = async () => {
    if (busy.value || disabled) return;
    busy.value = true;
    try {
      const said = await run();
      if (said !== false && done) say(typeof done === "function" ? done(said) : done);
    } catch (error) {
      say(error.message, "problem");
    } finally {
      busy.value = false;
      setTimeout(() => document.activeElement === document.body && focusTitle(), 50);
    }
  };
  return html`<button
    type=${type}
    class=${className}
    aria-busy=${busy.value}
    aria-label=${label}
    aria-disabled=${disabled ? "true" : undefined}
    onClick=${click}
  >${children}</button>`;
}

/** A question before something that cannot be undone. */
export function confirmed(text) {
  return window.confirm(text);
}

export function Tags({ club }) {
  return html`<p class="tags">
    ${club.badges?.map((badge) => html`<span class="badge" style=${{ "--badge": badge.color || "#666" }}>${badge.label}</span>`)}
    ${club.tags?.map((tag) => html`<span class="tag">${tag.name}</span>`)}
  </p>`;
}

/** The API returns clean HTML: its cleaner lets no script, style or form through. */
export function Rich({ text }) {
  /** @type {{current: HTMLElement | null}} */
  const place = useRef(null);
  useEffect(() => {
    if (place.current) place.current.innerHTML = text;
  }, [text]);
  return html`<div class="rich" ref=${place}></div>`;
}

/** Tells that there is no network, or that the session ended. What is typed stays. */
export function Warnings() {
  const online = useSignal(navigator.onLine);
  useEffect(() => {
    const look = () => (online.value = navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return html`<${Fragment}>
    ${!online.value && html`<p class="bar problem" role="alert">${t("offline")}</p>`}
    ${hasEnded.value && html`<p class="bar problem" role="alert">${t("signin.ended")}
      <button onClick=${() => signIn()}>${t("signin")}</button></p>`}
    <div class=${notice.value.text ? `bar told ${notice.value.kind}` : ""} role="status" aria-live="polite">
      ${notice.value.text}
      ${notice.value.kind === "problem" && html`<button aria-label=${t("close")} onClick=${() => say("", "")}>×</button>`}
    </div>
  <//>`;
}
