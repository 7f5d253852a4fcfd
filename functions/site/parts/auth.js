// Signing in with OpenID Connect: authorization code with PKCE, against any issuer. All tabs of a
// browser share one session (docs/security.md).

import { computed, signal } from "./kit.js";
import { forgetAll } from "./cache.js";
import { config } from "./config.js";
import { forgetOthersSeen, forgetSeen, unremember } from "./offline.js";
import { link, open, unsaved } from "./router.js";
import { forgetClubs } from "./seen.js";
import { makeSession } from "./session.js";
import { forgetPerson, forgetUnless, hasPending } from "./store.js";
import { t } from "./texts.js";

const PENDING = "signing-in";
/** How long the issuer may take for an answer. */
const LONGEST_MS = 15_000;
const issuer = new URL(config.issuer);

const tokens = signal(/** @type {import("./session.js").Tokens | null} */ (null));
/** Who is signed in, as the issuer names the person. */
export const person = () => tokens.value?.person;
/** Whether somebody is signed in. */
export const isSignedIn = computed(() => tokens.value !== null);
/** True after a session ended that could not be renewed. What is typed stays on the page. */
export const hasEnded = signal(false);

/** The library is large, and needed for signing in and renewing only. */
const library = () => import("../vendor/oauth4webapi.js");
// Only the local service has an issuer without TLS. An issuer that does not answer must not hold
// up the requests of all tabs.
const optionsOf = (oauth) => ({
  [oauth.allowInsecureRequests]: issuer.protocol === "http:",
  signal: AbortSignal.timeout(LONGEST_MS),
});
/** An answer that did not come in time is told as none. */
const inTime = (options, answer) =>
  answer.catch((error) => {
    throw options.signal.aborted ? new TypeError("no answer in time") : error;
  });
/** A token comes straight from the issuer, so it is a good one, and the clock here may be wrong. */
const clientOf = (oauth) => ({ client_id: config.client_id, [oauth.clockTolerance]: 86_400 });

let server;
async function discovered(oauth) {
  const options = optionsOf(oauth);
  const asked = () => oauth.discoveryRequest(issuer, options);
  server ??= inTime(
    options,
    asked().then((response) => oauth.processDiscoveryResponse(issuer, response)),
  ).catch((error) => {
    server = undefined;
    throw error;
  });
  return server;
}

/** What is told if the issuer gave no answer. */
const told = (error) => (error instanceof TypeError ? new Error(t("error.network")) : error);

/** What is stored for an answer of the issuer. */
function stored(oauth, answer, before) {
  const claims = oauth.getValidatedIdTokenClaims(answer);
  return {
    person: claims?.sub ?? before?.person,
    token: answer[config.token],
    id: answer.id_token ?? before?.id,
    refresh: answer.refresh_token ?? before?.refresh,
    ends: Date.now() + (answer.expires_in ?? 300) * 1000,
  };
}

const session = makeSession({
  storage: localStorage,
  // A browser without locks renews in each tab for itself.
  alone: (run) =>
    navigator.locks ? /** @type {any} */ (navigator.locks.request("session", run)) : run(),
  renew: async (old) => {
    const oauth = await library();
    const as = await discovered(oauth);
    const options = optionsOf(oauth);
    const client = clientOf(oauth);
    const asked = oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      old.refresh ?? "",
      options,
    );
    const given = await inTime(options, asked);
    // The issuer is out of order or too busy, which says nothing about the session.
    if (given.status >= 500 || given.status === 429)
      throw new TypeError("the issuer is out of order");
    const answer = oauth.processRefreshTokenResponse(as, client, given);
    return stored(oauth, await inTime(options, answer), old);
  },
  changed: (now, isEnded) => show(now, isEnded),
});

/** Shows who is signed in now. */
function show(now, isEnded = false) {
  if (now?.person !== tokens.value?.person) forgetAll();
  if (now) hasEnded.value = false;
  else if (isEnded) hasEnded.value = true;
  tokens.value = now;
}
show(session.read());
// Another tab signed in or out, or renewed the session. If the person is another one, the page
// begins anew, so that nothing in its memory goes from one person to another.
addEventListener("storage", (event) => {
  if (event.key !== "session" && event.key !== null) return;
  const now = session.read();
  if (now?.person === person()) return show(now);
  // It ended by itself: what is typed stays on this page, too.
  if (!now && session.hasEnded()) return show(null, true);
  startOver(now);
});
// A page that the browser kept while it was away knows nothing of what happened meanwhile.
addEventListener("pageshow", (event) => {
  const now = session.read();
  if (event.persisted && now?.person !== person()) startOver(now);
});
/** Begins the page anew for another person. */
function startOver(now) {
  // A save that failed here while the person signed out may have kept something again.
  if (!now) forgetPerson(person());
  forgetUnless(now?.person);
  unsaved.clear();
  location.reload();
}

export const token = session.token;

const redirect = () => location.origin + link("/callback/");

/** A token for the account at the issuer. It is in memory only, and ends with the page. */
let elevated = "";
export const accountToken = () => elevated;

/** The library, and what the issuer says of itself. */
async function reached() {
  try {
    const oauth = await library();
    return { oauth, as: await discovered(oauth) };
  } catch (error) {
    throw told(error);
  }
}

/** Leaves for the issuer, and comes back to `to`; with a scope, also with `accountToken`. */
export async function signIn(
  to = location.pathname.slice(link("").length) + location.search,
  scope = "",
) {
  // An address with two slashes in front would lead to another host.
  const back = to.replace(/^\/+/, "/");
  const { oauth, as } = await reached();
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, nonce, to: back, scope }));
  const at = new URL(as.authorization_endpoint);
  const values = {
    client_id: config.client_id,
    redirect_uri: redirect(),
    response_type: "code",
    scope: `${config.scopes} ${scope}`.trim(),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(values)) at.searchParams.set(name, value);
  // What is typed comes back with the page, so there is nothing to ask.
  unsaved.clear();
  location.assign(at);
}

/**
 * Ends the way to the issuer and back. Returns where the person wanted to be; an error has this as
 * `to`, and the scope.
 */
export async function finishSignIn() {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  if (!pending) throw new Error(t("signin.other"));
  try {
    await exchange(pending);
    sessionStorage.removeItem(PENDING);
  } catch (error) {
    // Without an answer, this may be tried again.
    if (!(error instanceof TypeError)) sessionStorage.removeItem(PENDING);
    throw Object.assign(told(error), { to: pending.to, scope: pending.scope });
  }
  return pending.to;
}

/** Gets the tokens of a sign-in. */
async function exchange(pending) {
  const oauth = await library();
  const as = await discovered(oauth);
  const client = clientOf(oauth);
  const answer = oauth.validateAuthResponse(as, client, new URL(location.href), pending.state);
  const options = optionsOf(oauth);
  const asked = oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    answer,
    redirect(),
    pending.verifier,
    options,
  );
  const response = await inTime(options, asked);
  const read = oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: pending.nonce,
  });
  const given = await inTime(options, read);
  const now = stored(oauth, given, null);
  if (pending.scope) {
    // The refresh token of this sign-in may change the account, too, so it is not kept.
    if (now.person !== person()) throw new Error(t("signin.other"));
    elevated = given.access_token;
  } else {
    // Rights may have changed.
    await unremember(now.person, "/settings/");
    // The last session may have ended by itself.
    await forgetOthersSeen(now.person);
    session.keep(now);
  }
}

/**
 * Forgets the tokens and what the person typed here, in all tabs, and ends the session at the
 * issuer if that has an address for it.
 */
export async function signOut({ isAsked = true } = {}) {
  const owner = person();
  const isOpen = unsaved.size > 0 || hasPending(owner);
  if (isAsked && isOpen && !window.confirm(t("signout.unsaved"))) return;
  const { refresh, id } = session.read() ?? {};
  forgetPerson(owner);
  void forgetSeen(owner);
  sessionStorage.clear();
  // The documentation of the API keeps its token here.
  localStorage.removeItem("authorized");
  forgetClubs();
  hasEnded.value = false;
  elevated = "";
  session.keep(null);
  unsaved.clear();
  open("/");
  await endAtIssuer(refresh, id);
}

/** Ends the session at the issuer. Without a network it says that the session goes on there. */
async function endAtIssuer(refresh, id) {
  const oauth = await library();
  const as = await discovered(oauth).catch(() => {
    throw new Error(t("signout.open"));
  });
  if (refresh && as.revocation_endpoint) {
    const options = optionsOf(oauth);
    await oauth
      .revocationRequest(as, clientOf(oauth), oauth.None(), refresh, options)
      .catch(() => {});
  }
  if (!as.end_session_endpoint) return;
  const at = new URL(as.end_session_endpoint);
  const home = location.origin + link("/");
  // The first three are those of OpenID Connect, the last one is Cognito's.
  const values = {
    client_id: config.client_id,
    post_logout_redirect_uri: home,
    id_token_hint: id,
    logout_uri: home,
  };
  for (const [name, value] of Object.entries(values)) if (value) at.searchParams.set(name, value);
  location.assign(at);
}
