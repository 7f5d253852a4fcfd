// What somebody saw last, kept in the browser for that person alone, so that a form that was opened
// can be filled without a network. It goes when the person signs out, when somebody else signs in,
// and after 30 days.

/** Answers about the person, and those that everybody may see. About others nothing is kept but the
 * names of those who may enter, at a door that works without a network. */
const KEPT = [
  /^\/settings\/$/,
  /^\/submissions\/$/,
  /^\/memberships\/$/,
  /^\/home\/$/,
  /^\/tickets\/$/,
  /^\/door\/\d+\/$/,
  /^\/applications\/(open|unsent)\//,
  /^\/clubs\/[\w-]+\/$/,
  /^\/clubs\/[\w-]+\/applications\/(current|\d+)\/(\?own=true)?$/,
  /^\/clubs\/[\w-]+\/applications\/\d+\/draft\//,
];

const isThere = "caches" in globalThis;
const SEEN = "seen ";
const nameOf = (person) => SEEN + encodeURIComponent(person);
/** How long an answer is kept, and the list of a door. */
const [KEPT_MS, DOOR_MS] = [30 * 86_400_000, 2 * 86_400_000];
const isKept = (path) => KEPT.some((form) => form.test(path));
const key = (path) => new URL(`/seen${path}`, location.origin).href;

/** Keeps an answer for a person. A browser that keeps nothing is no error. */
export async function remember(person, path, answer) {
  if (!isThere || !person || !isKept(path)) return;
  const { data, etag, next } = answer;
  const text = JSON.stringify({ data, etag, next, at: Date.now() });
  await caches.open(nameOf(person)).then(
    (all) => all.put(key(path), new Response(text)),
    () => {},
  );
}

/** Forgets an answer that is not true any more, such as a draft that was submitted. */
export async function unremember(person, path) {
  if (!isThere || !person || !isKept(path)) return;
  await caches.open(nameOf(person)).then(
    (all) => all.delete(key(path)),
    () => {},
  );
}

/** What a person saw last at an address. */
export async function remembered(person, path) {
  if (!isThere || !person || !isKept(path)) return undefined;
  try {
    const all = await caches.open(nameOf(person));
    const found = await (await all.match(key(path)))?.json();
    const most = path.startsWith("/door/") ? DOOR_MS : KEPT_MS;
    if (!found || Date.now() - found.at < most) return found;
    await all.delete(key(path));
    return undefined;
  } catch {
    return undefined;
  }
}

/** Forgets what a person saw too long ago. */
export async function forgetOld(person) {
  if (!isThere || !person) return;
  try {
    const all = await caches.open(nameOf(person));
    for (const { url } of await all.keys())
      await remembered(person, new URL(url).pathname.replace(/^\/seen/, "") + new URL(url).search);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** Forgets what a person saw. */
export async function forgetSeen(person) {
  if (isThere && person) await caches.delete(nameOf(person)).catch(() => {});
}

/** Forgets what everybody but this person saw. */
export async function forgetOthersSeen(person) {
  if (!isThere) return;
  const names = await caches.keys().catch(() => []);
  const others = names.filter((name) => name.startsWith(SEEN) && name !== nameOf(person));
  await Promise.all(others.map((name) => caches.delete(name).catch(() => false)));
}
