// Signing in with OpenID Connect: authorization code with PKCE, against any issuer. Tokens are in
// the session storage of this tab, and are renewed before they end.

import * as oauth from "../vendor/oauth4webapi.js";
import { computed, signal } from "./kit.js";
import { link, open, unsaved } from "./router.js";
import { t } from "./texts.js";

/** Without its settings the page can do nothing, so it says so and tries until it has them. */
async function readConfig() {
  for (;;) {
    try {
      const response = await fetch(link("/config.json"));
      if (response.ok) return await response.json();
    } catch {
      // There is no network, or the service starts just now.
    }
    const place = document.querySelector(".loading");
    if (place) place.textContent = t("error.network");
    await new Promise((done) => setTimeout(done, 2000));
  }
}

const KEY = "session";
const PENDING = "signing-in";

/** @type {{issuer: string, client_id: string, scopes: string, token: "access_token" | "id_token", university: string, is_local: boolean}} */
export const config = await readConfig();
const client = { client_id: config.client_id };
const issuer = new URL(config.issuer);
// Only the local service has an issuer without TLS.
const options = { [oauth.allowInsecureRequests]: issuer.protocol === "http:" };

const session = signal(JSON.parse(sessionStorage.getItem(KEY) ?? "null"));
/** Who is signed in, as the issuer names the person. */
export const person = () => session.value?.person;
/** Whether somebody is signed in. */
export const isSignedIn = computed(() => session.value !== null);
/** True after a session ended that could not be renewed. What is typed stays on the page. */
export const hasEnded = signal(false);

function keep(value) {
  session.value = value;
  if (value) sessionStorage.setItem(KEY, JSON.stringify(value));
  else sessionStorage.removeItem(KEY);
}

let server;
function discovered() {
  server ??= oauth
    .discoveryRequest(issuer, options)
    .then((response) => oauth.processDiscoveryResponse(issuer, response))
    .catch((error) => {
      server = undefined;
      throw error;
    });
  return server;
}

const redirect = () => location.origin + link("/callback/");

/** Leaves for the issuer, and comes back to `to`. */
export async function signIn(to = location.pathname.slice(link("").length) + location.search) {
  const as = await discovered();
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, nonce, to }));
  const at = new URL(as.authorization_endpoint);
  const values = {
    client_id: client.client_id,
    redirect_uri: redirect(),
    response_type: "code",
    scope: config.scopes,
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

/** Ends the way to the issuer and back. Returns where the person wanted to be. */
export async function finishSignIn() {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  if (!pending) throw new Error(t("signin.other"));
  sessionStorage.removeItem(PENDING);
  const as = await discovered();
  const answer = oauth.validateAuthResponse(as, client, new URL(location.href), pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    as, client, oauth.None(), answer, redirect(), pending.verifier, options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: pending.nonce,
  });
  store(tokens);
  return pending.to;
}

function store(tokens) {
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  keep({
    person: claims?.sub ?? session.value?.person,
    token: tokens[config.token],
    id: tokens.id_token ?? session.value?.id,
    refresh: tokens.refresh_token ?? session.value?.refresh,
    ends: Date.now() + (tokens.expires_in ?? 300) * 1000,
  });
  hasEnded.value = false;
}

let renewal;
async function renew() {
  const as = await discovered();
  const response = await oauth.refreshTokenGrantRequest(
    as, client, oauth.None(), session.value.refresh, options,
  );
  store(await oauth.processRefreshTokenResponse(as, client, response));
}

/** A token that is valid for at least half a minute; null if nobody is signed in. */
export async function token({ fresh = false } = {}) {
  if (!session.value) return null;
  if (!fresh && session.value.ends - Date.now() > 30_000) return session.value.token;
  try {
    if (!session.value.refresh) throw new Error("no refresh token");
    renewal ??= renew().finally(() => (renewal = undefined));
    await renewal;
    return session.value.token;
  } catch (error) {
    // Without a network the session may still be good.
    if (error instanceof TypeError) throw error;
    hasEnded.value = true;
    keep(null);
    return null;
  }
}

/** Forgets the tokens here and at the issuer, and ends the session there if the issuer has a page for it. */
export async function signOut() {
  if (unsaved.size > 0 && !window.confirm(t("signout.unsaved"))) return;
  const { refresh, id } = session.value ?? {};
  sessionStorage.clear();
  // The documentation of the API keeps its token here.
  localStorage.removeItem("authorized");
  session.value = null;
  hasEnded.value = false;
  unsaved.clear();
  open("/");
  const as = await discovered();
  if (refresh && as.revocation_endpoint) {
    await oauth.revocationRequest(as, client, oauth.None(), refresh, options).catch(() => {});
  }
  if (!as.end_session_endpoint) return;
  const at = new URL(as.end_session_endpoint);
  const home = location.origin + link("/");
  // The first three are those of OpenID Connect, the last one is Cognito's.
  const values = { client_id: client.client_id, post_logout_redirect_uri: home, id_token_hint: id, logout_uri: home };
  for (const [name, value] of Object.entries(values)) if (value) at.searchParams.set(name, value);
  location.assign(at);
}
