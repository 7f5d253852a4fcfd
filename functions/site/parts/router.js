// The address of the page. State that must survive a reload is in it, and not in the page.

import { signal } from "./kit.js";

const base = new URL(document.baseURI).pathname.replace(/\/$/, "");

/** The path below the base, always with a slash at its end, and the query. */
function read() {
  const path = location.pathname.slice(base.length) || "/";
  return {
    path: path.endsWith("/") ? path : `${path}/`,
    query: new URLSearchParams(location.search),
  };
}

export const address = signal(read());

/** The address of a path of the site, for `href`. */
export const link = (path) => base + path;

/** Shows the present address, with a short transition where the browser has it. */
function show() {
  const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // Browsers draw no frame before this has ended, so nothing may wait for one.
  const change = () => {
    address.value = read();
    return new Promise((done) => setTimeout(() => done(undefined)));
  };
  if (isQuiet || !("startViewTransition" in document)) return void change();
  const transition = document.startViewTransition(/** @type {any} */ (change));
  // The next click may end it.
  transition.ready.catch(() => {});
}

/** Opens a path of the site. */
export function open(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", link(path));
  else leave(link(path));
  show();
  if (!replace) scrollTo(0, 0);
}

/** Goes to an address, and remembers how far this one was scrolled. */
function leave(to) {
  visit += 1;
  // A second tap on a link is no second page.
  if (to === location.pathname + location.search) return;
  keepScroll();
  history.pushState(null, "", to);
}

/** Rises with each page, so that a page that comes late is not scrolled for the one before. */
let visit = 0;
const keepScroll = () => history.replaceState({ ...history.state, scrolled: scrollY }, "");

/** Goes back to where a page was scrolled, as soon as it is long enough. */
function restoreScroll() {
  const wanted = history.state?.scrolled ?? 0;
  const [ends, own] = [Date.now() + 2000, ++visit];
  const look = () => {
    if (own !== visit) return;
    scrollTo(0, wanted);
    if (Math.abs(scrollY - wanted) > 2 && Date.now() < ends) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
history.scrollRestoration = "manual";
addEventListener("pagehide", keepScroll);
if (history.state?.scrolled) restoreScroll();

/**
 * Changes parameters of the query and stays on the page. An empty value removes one. With `step`,
 * the browser's way back leads to the address before.
 */
export function setQuery(changes, { step = false } = {}) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || value === undefined || value === false)
      query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  const to = location.pathname + (text ? `?${text}` : "");
  if (step) leave(to);
  else history.replaceState(history.state, "", to);
  address.value = read();
  if (step) scrollTo(0, 0);
}

/** What is typed and not stored: a name for each form. Leaving the site is then asked about. */
export const unsaved = new Set();

addEventListener("popstate", () => {
  address.value = read();
  restoreScroll();
});
addEventListener("beforeunload", (event) => unsaved.size > 0 && event.preventDefault());
document.addEventListener("click", (event) => {
  const anchor = /** @type {Element} */ (event.target).closest?.("a[href]");
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const plain = !event.defaultPrevented && event.button === 0 && !isModified;
  if (!anchor || !plain || anchor.hasAttribute("download") || anchor.getAttribute("target")) return;
  const to = new URL(/** @type {HTMLAnchorElement} */ (anchor).href);
  const other = ["/api/", "/local/", "/media/"].some((start) =>
    to.pathname.startsWith(base + start),
  );
  if (to.origin !== location.origin || other || to.hash) return;
  event.preventDefault();
  leave(to.pathname + to.search);
  show();
  scrollTo(0, 0);
});
