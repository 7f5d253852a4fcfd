// Every page of the site: its path, its file in `pages/`, and who may see it. The service reads
// this list, too: other paths are 404, and the modules of a page are loaded ahead
// (`build/main.rs`).

/**
 * @typedef {object} PageOf
 * @property {string} path with `:name` for a part that varies
 * @property {string} page the file
 * @property {"people" | "officers" | "admins"} [audience] everybody, if nothing is said
 * @property {boolean} [work] whether it has texts for officers, although it is for everybody
 * @property {boolean} [asks] whether it shows the form of an application
 * @property {boolean} [tickets] whether it shows tickets
 * @property {string} [place] the place of the club's workspace that the page belongs to
 * @property {Record<string, string>} [given] parts that do not vary
 */

/** The first that fits is shown. @type {PageOf[]} */
export const PAGES = [
  { path: "/", page: "home" },
  { path: "/clubs/", page: "clubs" },
  { path: "/clubs/:club/", page: "club" },
  {
    path: "/clubs/:club/apply/:application/",
    page: "apply",
    audience: "people",
    asks: true,
  },
  { path: "/clubs/:club/poster/", page: "poster" },
  { path: "/clubs/:club/manage/", page: "workspace", audience: "officers", place: "overview" },
  {
    path: "/clubs/:club/recruitment/",
    page: "recruitment",
    audience: "officers",
    place: "recruitment",
  },
  {
    path: "/clubs/:club/members/",
    page: "members",
    audience: "people",
    place: "members",
    work: true,
  },
  { path: "/clubs/:club/import/", page: "import_members", audience: "officers", place: "members" },
  { path: "/clubs/:club/events/", page: "club_events", audience: "officers", place: "events" },
  {
    path: "/clubs/:club/events/:event/",
    page: "event_edit",
    audience: "officers",
    place: "events",
    tickets: true,
  },
  {
    path: "/clubs/:club/events/:event/showings/:showing/",
    page: "showing",
    audience: "officers",
    place: "events",
    tickets: true,
  },
  { path: "/clubs/:club/edit/", page: "club_edit", audience: "officers", place: "profile" },
  {
    path: "/clubs/:club/webhooks/",
    page: "webhooks",
    audience: "officers",
    place: "profile",
  },
  { path: "/clubs/:club/links/", page: "links", audience: "officers", place: "links" },
  {
    path: "/clubs/:club/applications/new/",
    page: "builder",
    audience: "officers",
    place: "recruitment",
    given: { application: "new" },
  },
  {
    path: "/clubs/:club/applications/:application/",
    page: "submissions",
    audience: "officers",
    place: "recruitment",
  },
  {
    path: "/clubs/:club/applications/:application/edit/",
    page: "builder",
    audience: "officers",
    place: "recruitment",
  },
  {
    path: "/clubs/:club/applications/:application/review/",
    page: "review",
    audience: "officers",
    place: "recruitment",
  },
  {
    path: "/clubs/:club/applications/:application/mails/",
    page: "mails",
    audience: "officers",
    place: "recruitment",
  },
  {
    path: "/clubs/:club/applications/:application/interviews/",
    page: "interviews",
    audience: "officers",
    place: "recruitment",
  },
  { path: "/events/", page: "events" },
  { path: "/events/:event/", page: "event", tickets: true },
  { path: "/events/:event/showings/:showing/draw/", page: "draw", tickets: true },
  { path: "/door/:showing/", page: "door", audience: "people", tickets: true },
  { path: "/tickets/", page: "tickets", audience: "people", tickets: true },
  { path: "/fairs/", page: "fairs" },
  { path: "/new-club/", page: "club_new", audience: "people", work: true },
  { path: "/applications/", page: "applications", audience: "people", asks: true },
  {
    path: "/submissions/:submission/interview/",
    page: "interview",
    audience: "people",
    work: true,
  },
  { path: "/memberships/", page: "memberships", audience: "people" },
  { path: "/settings/", page: "settings", audience: "people", work: true },
  { path: "/settings/second-factor/", page: "second_factor", audience: "people", work: true },
  { path: "/settings/tokens/", page: "tokens", audience: "people", work: true },
  { path: "/receipts/", page: "receipts", asks: true },
  { path: "/more/", page: "more" },
  { path: "/invite/:club/:invite/:token/", page: "invite" },
  { path: "/join/:club/:link/:token/", page: "join" },
  { path: "/unsubscribe/:token/", page: "unsubscribe", work: true },
  { path: "/admin/", page: "admin", audience: "admins" },
  { path: "/admin/fairs/", page: "admin_fairs", audience: "admins" },
  { path: "/admin/import/", page: "admin_import", audience: "admins" },
  { path: "/admin/webhooks/", page: "webhooks", audience: "admins" },
  { path: "/admin/lists/", page: "admin_lists", audience: "admins" },
  { path: "/callback/", page: "callback" },
];
