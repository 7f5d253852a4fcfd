// The second factor of the user pool (Amazon Cognito): an authenticator app. Its own pages offer
// none to people who may have one, so the site asks the pool, with a token that is only for this.
// Nothing here knows the page, so that it is tested without a browser.

/** The scope with which a person may change their own account in the pool. */
export const ACCOUNT = "aws.cognito.signin.user.admin";

/** An answer of the pool that is an error. `code` is the name that the pool has for it. */
export class PoolError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Errors that say that the code was not the right one. */
const WRONG_CODE = ["CodeMismatchException", "EnableSoftwareTokenMFAException"];
export const isWrongCode = (error) => WRONG_CODE.includes(error?.code);
/** Whether the token is too old, so that the person must sign in again. */
export const isTooOld = (error) => error?.code === "NotAuthorizedException";

/**
 * The account of the person whose token this is.
 * @param {string} issuer address of the pool
 * @param {string} token
 * @param {typeof fetch} fetch
 */
export function account(issuer, token, fetch) {
  const address = new URL("/", issuer).href;
  const ask = async (operation, body) => {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": `AWSCognitoIdentityProviderService.${operation}`,
      },
      body: JSON.stringify({ AccessToken: token, ...body }),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const code = String(answer.__type ?? "")
      .split("#")
      .pop();
    throw new PoolError(code ?? "", answer.message ?? answer.Message ?? String(response.status));
  };
  const prefer = (is) =>
    ask("SetUserMFAPreference", { SoftwareTokenMfaSettings: { Enabled: is, PreferredMfa: is } });
  return {
    /** Whether the account asks for a code. */
    isOn: async () =>
      ((await ask("GetUser", {})).UserMFASettingList ?? []).includes("SOFTWARE_TOKEN_MFA"),
    /** Returns a new key for an authenticator app. Until `confirm`, nothing changes. */
    newKey: async () => (await ask("AssociateSoftwareToken", {})).SecretCode,
    /** The code of the app proves that it has the key. From then on the pool asks for a code. */
    confirm: async (code) => {
      const { Status } = await ask("VerifySoftwareToken", { UserCode: code });
      if (Status !== "SUCCESS") throw new PoolError(WRONG_CODE[0], "");
      await prefer(true);
    },
    /** The pool asks for no code any more. */
    remove: () => prefer(false),
  };
}

/**
 * The address that authenticator apps read from a picture.
 * @param {string} key
 * @param {string} service
 * @param {string} name of the person
 */
export function keyAddress(key, service, name) {
  const label = encodeURIComponent(`${service}:${name}`);
  return `otpauth://totp/${label}?secret=${key}&issuer=${encodeURIComponent(service)}`;
}
