// The page that belongs to the address, and what is around it.

import { html, render, signal, useEffect, useSignal } from "./parts/kit.js";
import { hasEnded, isSignedIn } from "./parts/auth.js";
import { Foot, Narrow, Side, WorkspaceTabs } from "./parts/frame.js";
import { useLoad } from "./parts/load.js";
import { manages, me } from "./parts/me.js";
import { PAGES } from "./parts/pages.js";
import { match, url } from "./parts/path.js";
import { address, link } from "./parts/router.js";
import { language, loadTexts, t } from "./parts/texts.js";
import {
  Boundary,
  Problem,
  Skeleton,
  Title,
  Warnings,
  focusTitle,
  leaveNotices,
} from "./parts/ui.js";

function NotFound() {
  return html`<${Title}>${t("error.notfound.title")}<//>
    <p>${t("error.notfound")}</p>
    <p><a class="button" href=${link("/clubs/")}>${t("nav.clubs")}</a></p>`;
}

/** Shows a page to those whom it is for, so that nobody fills a form that they may not send. */
function Allowed({ audience, club: code, children }) {
  const ofOfficers = audience === "officers" && isSignedIn.value;
  const club = useLoad(ofOfficers ? url`/clubs/${code}/` : "");
  if (!isSignedIn.value && !hasEnded.value)
    return html`<${Problem} error=${{ status: 401 }} isPage />`;
  // A page stays where it is when the session ends, with what was typed.
  if (audience === "people" || hasEnded.value) return children;
  if (ofOfficers && club.error && (!club.data || club.error.status === 404)) {
    return html`<${Problem} error=${club.error} retry=${club.reload} isPage />`;
  }
  if (ofOfficers && club.data && manages(club.data)) return children;
  if (!me.value || (ofOfficers && !club.data)) return html`<${Skeleton} lines=${5} />`;
  return me.value.is_admin ? children : html`<${Problem} error=${{ status: 403 }} isPage />`;
}

/** Loads the file of a page when it is first needed. */
function Page({ found }) {
  const loaded = useSignal({ name: "", view: null, error: null });
  const name = found?.page ?? "";
  useEffect(() => {
    if (!name) return;
    const isWork = found?.work || ["officers", "admins"].includes(found?.audience ?? "");
    const texts = isWork
      ? ["work", "interviews", "programs", "forms"]
      : found?.asks
        ? ["forms"]
        : [];
    if (found?.tickets) texts.push("tickets");
    Promise.all([import(`./pages/${name}.js`), loadTexts(...texts)])
      .then(([file]) => (loaded.value = { name, view: file.default, error: null }))
      .catch((error) => (loaded.value = { name, view: null, error }));
  }, [name]);
  if (!found) return html`<${NotFound} />`;
  if (loaded.value.error) {
    const error = { status: 0, message: t("error.network") };
    return html`<${Problem} error=${error} retry=${() => location.reload()} isPage />`;
  }
  if (loaded.value.name !== name) return html`<${Skeleton} lines=${5} />`;
  const View = loaded.value.view;
  const view = html`<${View} key=${address.value.path} ...${found.params} />`;
  if (!found.audience) return view;
  const { audience, params } = found;
  return html`<${Allowed} audience=${audience} club=${params.club} key=${params.club}>${view}<//>`;
}

/** The list of all places, when it is open. It is loaded when somebody first wants it. */
const palette = signal(/** @type {any} */ (null));
const find = () =>
  import("./parts/palette.js").then(
    (file) => (palette.value = file.default),
    () => {},
  );
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (palette.value) palette.value = null;
  else void find();
});

function App() {
  language.value;
  const path = address.value.path;
  useEffect(leaveNotices, [path]);
  const found = match(PAGES, path);
  const isInside = found?.place && isSignedIn.value;
  const club = useLoad(isInside ? url`/clubs/${found.params.club}/` : "").data;
  const isOfficer = isInside && club && manages(club);
  const workspace = isOfficer ? { club: found.params.club, place: found.place } : null;
  return html`<a class="skip" href="#main" onClick=${(event) => {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus();
  }}>${t("skip")}</a>
  <div class="frame"><${Side} workspace=${workspace} find=${find} /><div>
    <${Narrow} /><${Warnings} />
    <main id="main">${workspace && html`<${WorkspaceTabs} ...${workspace} />`}
      <${Boundary} key=${path}><${Page} found=${found} /><//></main>
    <${Foot} /></div></div>
  ${palette.value && html`<${palette.value} close=${() => (palette.value = null)} />`}`;
}

const place = /** @type {HTMLElement} */ (document.getElementById("app"));
place.textContent = "";
render(html`<${App} />`, place);
document.body.dataset.ready = "true";
// Whoever pressed a button that is gone afterwards goes on at the heading of the page.
document.addEventListener("click", ({ target }) => {
  const pressed = target instanceof Element && target.closest("button");
  const look = () => {
    if (pressed && !pressed.isConnected && document.activeElement === document.body) focusTitle();
  };
  setTimeout(look, 50);
});
// Without a network the site opens from what its worker keeps.
const register = () => void navigator.serviceWorker?.register(link("/sw.js")).catch(() => {});
if (document.readyState === "complete") register();
else addEventListener("load", register);
