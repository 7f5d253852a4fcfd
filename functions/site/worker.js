// The service worker: it keeps the files of the site, so that a page opens without a network. It
// keeps no answer of the API; `parts/offline.js` does that, for each person.

const [version, base, files] = [self.SHELL.version, self.SHELL.base, self.SHELL.files];
const NAME = `files ${version}`;
/** A page that takes longer than this is shown from what is kept. */
const PATIENCE_MS = 4000;

self.addEventListener("install", (event) => {
  const all = files.map((file) => `${base}assets/${version}/${file}`);
  event.waitUntil(
    caches.open(NAME).then(async (cache) => {
      // The distribution may still have the page of the release before, at the address itself.
      const page = await fetch(`${base}?release=${version}`, { cache: "no-store" });
      if (!page.ok) throw new Error(`the page is ${page.status}`);
      await cache.put(base, page);
      await cache.addAll(all);
    }),
  );
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("files ") && name !== NAME;
  const names = caches.keys();
  event.waitUntil(
    names
      .then((all) => Promise.all(all.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

/**
 * A page from the network; without an answer, or with one that is an error, the page that is kept,
 * which knows all addresses.
 */
async function page(request) {
  const kept = async () => (await caches.open(NAME)).match(base, { ignoreVary: true });
  const late = new Promise((done) => setTimeout(done, PATIENCE_MS)).then(kept);
  const good = async (answer) => (answer.status >= 500 && (await kept())) || answer;
  const fresh = fetch(request).then(good).catch(kept);
  const answer = (await Promise.race([fresh, late])) ?? (await fresh);
  return answer ?? Response.error();
}

/** A file from what is kept, or from the network. */
async function file(request) {
  const kept = await (await caches.open(NAME)).match(request);
  return kept ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const isOther = ["api/", "local/", "media/"].some((one) => pathname.startsWith(base + one));
  if (pathname.startsWith(`${base}assets/`)) event.respondWith(file(request));
  else if (request.mode === "navigate" && !isOther) event.respondWith(page(request));
});
