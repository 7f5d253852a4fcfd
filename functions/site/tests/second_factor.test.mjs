// The calls of the user pool that give an account a second factor.

import assert from "node:assert/strict";
import { test } from "node:test";
import { account, isTooOld, isWrongCode, keyAddress } from "../parts/second_factor.js";

const ISSUER = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc";

/** A pool that answers these, and notes what it was asked. */
function pool(...answers) {
  const asked = [];
  const fetch = async (address, { headers, body }) => {
    const target = headers["X-Amz-Target"].replace("AWSCognitoIdentityProviderService.", "");
    assert.equal(address, "https://cognito-idp.eu-central-1.amazonaws.com/");
    assert.equal(headers["Content-Type"], "application/x-amz-json-1.1");
    const { AccessToken, ...rest } = JSON.parse(body);
    assert.equal(AccessToken, "token");
    asked.push([target, rest]);
    const [status, answer] = answers.shift();
    return new Response(JSON.stringify(answer), { status });
  };
  return { asked, account: account(ISSUER, "token", /** @type {any} */ (fetch)) };
}

test("an app is added only after its code was right", async () => {
  const one = pool([200, { SecretCode: "ABCD" }], [200, { Status: "SUCCESS" }], [200, {}]);
  assert.equal(await one.account.newKey(), "ABCD");
  await one.account.confirm("123456");
  assert.deepEqual(one.asked, [
    ["AssociateSoftwareToken", {}],
    ["VerifySoftwareToken", { UserCode: "123456" }],
    ["SetUserMFAPreference", { SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true } }],
  ]);
});

test("a wrong code changes nothing, and an old token is told apart", async () => {
  for (const [answer, is] of [
    [[400, { __type: "EnableSoftwareTokenMFAException", message: "Code mismatch" }], isWrongCode],
    [[400, { __type: "com.x#CodeMismatchException", message: "Code mismatch" }], isWrongCode],
    [[200, { Status: "ERROR" }], isWrongCode],
    [[400, { __type: "NotAuthorizedException", message: "Expired" }], isTooOld],
  ]) {
    const one = pool(answer);
    await assert.rejects(one.account.confirm("000000"), (error) => is(error));
    assert.equal(one.asked.length, 1, "the pool was asked to ask for a code");
  }
});

test("whether there is one, and its removal", async () => {
  for (const [list, is] of [
    [["SOFTWARE_TOKEN_MFA"], true],
    [["SMS_MFA"], false],
    [undefined, false],
  ]) {
    assert.equal(await pool([200, { UserMFASettingList: list }]).account.isOn(), is);
  }
  const one = pool([200, {}]);
  await one.account.remove();
  const off = { SoftwareTokenMfaSettings: { Enabled: false, PreferredMfa: false } };
  assert.deepEqual(one.asked, [["SetUserMFAPreference", off]]);
});

test("the address for apps names the service and the person", () => {
  assert.equal(
    keyAddress("ABCD", "Clubs", "ada l"),
    "otpauth://totp/Clubs%3Aada%20l?secret=ABCD&issuer=Clubs",
  );
});
