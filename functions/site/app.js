// The shell of the page: header, navigation, and the page that belongs to the address.

import { html, render, useEffect, useSignal } from "./parts/kit.js";
import { address, link, match } from "./parts/router.js";
import { config, hasEnded, isSignedIn, signIn, signOut } from "./parts/auth.js";
import { manages, me } from "./parts/me.js";
import { language, languages, speak, t } from "./parts/texts.js";
import { Action, Problem, Skeleton, Title, Warnings, say, useLoad } from "./parts/ui.js";

/**
 * Every page: its path, its file in `pages/`, and who may see it: everybody, if nothing is said. The
 * first that fits is shown.
 * @type {[string, string, ("people" | "officers" | "admins")?, Record<string, string>?][]}
 */
const PAGES = [
  ["/", "clubs"],
  ["/clubs/", "clubs"],
  ["/clubs/:club/", "club"],
  ["/clubs/:club/apply/:application/", "apply", "people"],
  ["/clubs/:club/edit/", "club_edit", "officers"],
  ["/clubs/:club/events/:event/", "event_edit", "officers"],
  ["/clubs/:club/import/", "import_members", "officers"],
  ["/clubs/:club/members/", "members", "people"],
  ["/clubs/:club/manage/", "manage", "officers"],
  ["/clubs/:club/applications/new/", "builder", "officers", { application: "new" }],
  ["/clubs/:club/applications/:application/edit/", "builder", "officers"],
  ["/clubs/:club/applications/:application/", "submissions", "officers"],
  ["/clubs/:club/applications/:application/mails/", "mails", "officers"],
  ["/events/", "events"],
  ["/events/:event/", "event"],
  ["/fairs/", "fairs"],
  ["/new-club/", "club_new", "people"],
  ["/applications/", "applications", "people"],
  ["/memberships/", "memberships", "people"],
  ["/settings/", "settings", "people"],
  ["/invite/:club/:invite/:token/", "invite"],
  ["/join/:club/:link/:token/", "join"],
  ["/admin/", "admin", "admins"],
  ["/admin/fairs/", "admin_fairs", "admins"],
  ["/admin/import/", "admin_import", "admins"],
  ["/admin/lists/", "admin_lists", "admins"],
  ["/callback/", "callback"],
];

const everybody = () => true;
const signedIn = () => isSignedIn.value;
const admins = () => Boolean(me.value?.is_admin);
/**
 * The main navigation: path, text, and who sees it.
 * @type {[string, string, () => boolean][]}
 */
const NAVIGATION = [
  ["/clubs/", "nav.clubs", everybody],
  ["/events/", "nav.events", everybody],
  ["/fairs/", "fairs", everybody],
  ["/applications/", "nav.applications", signedIn],
  ["/memberships/", "nav.memberships", signedIn],
  ["/settings/", "nav.settings", signedIn],
  ["/admin/", "admin", admins],
];

function Header() {
  const here = address.value.path;
  const current = (path) => (here.startsWith(path) || (path === "/clubs/" && here === "/") ? "page" : undefined);
  return html`<header>
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus();
    }}>${t("skip")}</a>
    <a class="brand" href=${link("/")}>${t("app")} <span>${config.university}</span></a>
    <nav aria-label=${t("nav")}>
      <ul>${NAVIGATION.filter(([, , sees]) => sees()).map(
        ([path, name]) => html`<li><a href=${link(path)} aria-current=${current(path)}>${t(name)}</a></li>`,
      )}</ul>
    </nav>
    ${isSignedIn.value
      ? html`<${Action} run=${signOut}>${t("signout")}<//>`
      : html`<${Action} className="main" run=${() => signIn()}>${t("signin")}<//>`}
  </header>`;
}

function Footer() {
  return html`<footer>
    <label>${t("language")}
      <select value=${language.value} onChange=${(event) => speak(event.currentTarget.value)}>
        ${Object.entries(languages).map(([tag, name]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}
      </select>
    </label>
    <a href=${link("/api/docs/")}>${t("footer.api")}</a>
    ${config.is_local && html`<a href=${link("/local/")}>${t("footer.local")}</a>`}
  </footer>`;
}

function NotFound() {
  return html`<${Title}>${t("error.notfound")}<//><p><a href=${link("/clubs/")}>${t("nav.clubs")}</a></p>`;
}

/** Shows a page to those whom it is for, so that nobody fills a form that they may not send. */
function Allowed({ audience, club: code, children }) {
  const ofOfficers = audience === "officers" && isSignedIn.value;
  const club = useLoad(ofOfficers ? `/clubs/${code}/` : "");
  if (!isSignedIn.value && !hasEnded.value) return html`<${Problem} error=${{ status: 401 }} isPage />`;
  if (audience === "people" || hasEnded.value) return children;
  if (ofOfficers && club.error && !club.data) return html`<${Problem} error=${club.error} retry=${club.reload} isPage />`;
  if (!me.value || (ofOfficers && !club.data)) return html`<${Skeleton} lines=${5} />`;
  const may = me.value.is_admin || (ofOfficers && manages(club.data));
  return may ? children : html`<${Problem} error=${{ status: 403 }} isPage />`;
}

/** Loads the file of a page when it is first needed. */
function Page() {
  const found = match(PAGES, address.value.path);
  const loaded = useSignal({ name: "", view: null, error: null });
  const name = found?.page ?? "";
  useEffect(() => {
    if (!name) return;
    import(`./pages/${name}.js`)
      .then((file) => (loaded.value = { name, view: file.default, error: null }))
      .catch((error) => (loaded.value = { name, view: null, error }));
  }, [name]);
  if (!found) return html`<${NotFound} />`;
  if (loaded.value.error) return html`<${Problem} error=${loaded.value.error} retry=${() => location.reload()} />`;
  if (loaded.value.name !== name) return html`<${Skeleton} lines=${5} />`;
  const View = loaded.value.view;
  const view = html`<${View} key=${address.value.path} ...${found.params} />`;
  return found.audience ? html`<${Allowed} audience=${found.audience} club=${found.params.club} key=${found.params.club}>${view}<//>` : view;
}

function App() {
  language.value;
  // A message is about the page on which it was told.
  useEffect(() => say("", ""), [address.value.path]);
  return html`<${Header} /><${Warnings} /><main id="main"><${Page} /></main><${Footer} />`;
}

const place = /** @type {HTMLElement} */ (document.getElementById("app"));
place.textContent = "";
render(html`<${App} />`, place);
document.body.dataset.ready = "true";
