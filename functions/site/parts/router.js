// The address of the page. State that must survive a reload is in it, and not in the page.

import { signal } from "./kit.js";

const base = new URL(document.baseURI).pathname.replace(/\/$/, "");

/** The path below the base, always with a slash at its end, and the query. */
function read() {
  const path = location.pathname.slice(base.length) || "/";
  return { path: path.endsWith("/") ? path : `${path}/`, query: new URLSearchParams(location.search) };
}

export const address = signal(read());

/** The address of a path of the site, for `href`. */
export const link = (path) => base + path;

/** Opens a path of the site. */
export function open(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", link(path));
  else history.pushState(null, "", link(path));
  address.value = read();
}

/**
 * Changes parameters of the query and stays on the page. An empty value removes one. With `step`,
 * the browser's way back leads to the address before.
 */
export function setQuery(changes, { step = false } = {}) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || value === undefined || value === false) query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  history[step ? "pushState" : "replaceState"](null, "", location.pathname + (text ? `?${text}` : ""));
  address.value = read();
  if (step) scrollTo(0, 0);
}

/** A part of a path, decoded; null if it is no text. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Finds the first route whose pattern (such as `/clubs/:club/`) fits the path. */
export function match(routes, path) {
  for (const [pattern, page, audience, given] of routes) {
    const names = [];
    const source = pattern.replace(/:(\w+)/g, (_, name) => {
      names.push(name);
      return "([^/]+)";
    });
    const found = new RegExp(`^${source}$`).exec(path);
    const values = found?.slice(1).map(decoded);
    if (values && !values.includes(null)) {
      const params = Object.fromEntries(names.map((name, i) => [name, values[i]]));
      return { page, audience, params: { ...params, ...given }, pattern };
    }
  }
  return null;
}

/** What is typed and not stored: a name for each form. Leaving the site is then asked about. */
export const unsaved = new Set();

addEventListener("popstate", () => (address.value = read()));
addEventListener("beforeunload", (event) => unsaved.size > 0 && event.preventDefault());
document.addEventListener("click", (event) => {
  const anchor = /** @type {Element} */ (event.target).closest?.("a[href]");
  const plain = !event.defaultPrevented && event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!anchor || !plain || anchor.hasAttribute("download") || anchor.getAttribute("target")) return;
  const to = new URL(/** @type {HTMLAnchorElement} */ (anchor).href);
  const other = ["/api/", "/local/", "/media/"].some((start) => to.pathname.startsWith(base + start));
  if (to.origin !== location.origin || other || to.hash) return;
  event.preventDefault();
  history.pushState(null, "", to.pathname + to.search);
  address.value = read();
  scrollTo(0, 0);
});
