// The session that all tabs share: one renewal, and an end for all of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSession } from "../parts/session.js";

/** A browser with an issuer whose refresh tokens count once. */
function browser({ ends = 0 } = {}) {
  const kept = new Map();
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  let turn = Promise.resolve();
  const alone = (run) => (turn = turn.then(run, run));
  const issuer = { renewals: 0, valid: "r0", error: /** @type {any} */ (null) };
  const renew = async (old) => {
    await new Promise((done) => setTimeout(done, 5));
    if (issuer.error) throw issuer.error;
    if (old.refresh !== issuer.valid) throw new Error("invalid_grant");
    issuer.valid = `r${++issuer.renewals}`;
    return {
      ...old,
      token: `t${issuer.renewals}`,
      refresh: issuer.valid,
      ends: Date.now() + 300_000,
    };
  };
  const told = [];
  const tab = () =>
    makeSession({
      storage,
      alone,
      renew,
      changed: (now, isEnded) => told.push([now?.token ?? null, isEnded]),
    });
  tab().keep({ person: "sam", token: "t0", refresh: "r0", ends });
  told.length = 0;
  return { tab, issuer, told, kept };
}

test("two tabs renew once", async () => {
  const { tab, issuer } = browser();
  const [first, second] = [tab(), tab()];
  assert.deepEqual(await Promise.all([first.token(), second.token(), first.token()]), [
    "t1",
    "t1",
    "t1",
  ]);
  assert.equal(issuer.renewals, 1);
});

test("a token that is good is not renewed, unless the service refused it", async () => {
  const { tab, issuer } = browser({ ends: Date.now() + 300_000 });
  assert.equal(await tab().token(), "t0");
  assert.equal(issuer.renewals, 0);
  assert.equal(await tab().token({ fresh: true }), "t1");
});

test("signing out in one tab ends the others", async () => {
  const { tab } = browser({ ends: Date.now() + 300_000 });
  const [first, second] = [tab(), tab()];
  first.keep(null);
  assert.equal(await second.token(), null);
});

test("who signs out while another tab renews stays signed out", async () => {
  const { tab, kept } = browser();
  const [first, second] = [tab(), tab()];
  const going = first.token();
  await new Promise((done) => setTimeout(done, 1));
  second.keep(null);
  assert.equal(await going, null);
  assert.equal(kept.size, 0);
});

test("an issuer without an answer does not end the session, a refusal does", async () => {
  const { tab, issuer, told } = browser();
  issuer.error = new TypeError("offline");
  await assert.rejects(tab().token(), TypeError);
  assert.notEqual(tab().read(), null);
  issuer.error = new Error("invalid_grant");
  assert.equal(await tab().token(), null);
  assert.deepEqual(told.at(-1), [null, true]);
});

test("a damaged storage is nobody", () => {
  const { tab, kept } = browser();
  kept.set("session", "{");
  assert.equal(tab().read(), null);
});

test("other tabs learn whether a session ended by itself or somebody signed out", async () => {
  const { tab, issuer } = browser();
  issuer.error = new Error("invalid_grant");
  const [first, second] = [tab(), tab()];
  assert.equal(await first.token(), null);
  assert.deepEqual([second.read(), second.hasEnded()], [null, true]);
  first.keep(null);
  assert.deepEqual([second.read(), second.hasEnded()], [null, false]);
});
