// One request: its time limit, its repeats, and the paths that can be asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cached, forgetAll, keep, shared, written } from "../parts/cache.js";
import { match, url } from "../parts/path.js";
import { holds, pauseBefore, send } from "../parts/request.js";

const GET = { method: "GET", address: "/api/", headers: new Headers() };

/** A wire on which answers come in this order; a function is run. */
function wire(...answers) {
  const [pauses, seen] = [[], []];
  return {
    pauses,
    seen,
    token: async () => "token",
    pause: async (ms) => void pauses.push(ms),
    fetch: async (address, options) => {
      seen.push({ address, ...options, bearer: options.headers.get("Authorization") });
      const answer = answers.shift();
      if (typeof answer === "function") return answer(options);
      if (answer instanceof Error) throw answer;
      return new Response(answer < 300 ? "{}" : "", {
        status: answer,
        headers: answer === 429 ? { "Retry-After": "3" } : {},
      });
    },
  };
}

test("no answer, too busy and broken are tried again, with pauses", async () => {
  const line = wire(new TypeError("offline"), 503, 429, 200);
  assert.equal((await send(line, GET))?.status, 200);
  assert.deepEqual(line.pauses, [1000, 2000, 4000]);
  assert.deepEqual(
    [1, 2, 3, 6, 9].map((n) => pauseBefore(n)),
    [1000, 2000, 4000, 30_000, 30_000],
  );
  assert.equal(pauseBefore(1, 8), 8000);
});

test("nobody waits for a limit that lasts longer than a pause", async () => {
  const line = wire(
    () => new Response("", { status: 429, headers: { "Retry-After": "598" } }),
    200,
  );
  assert.equal((await send(line, GET))?.status, 429);
  assert.deepEqual([line.pauses, line.seen.length], [[], 1]);
});

test("a request that hangs ends at its limit, and an answer that hangs as well", async () => {
  const hangs = ({ signal }) =>
    new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
  const halfway = () =>
    new Response(new ReadableStream({ start: (all) => all.enqueue(new Uint8Array(1)) }));
  const line = wire(hangs, halfway, 200);
  assert.equal((await send(line, { ...GET, limit: 20 }))?.status, 200);
  assert.equal(line.seen.length, 3);
});

test("a long answer on a slow network goes on as long as something arrives", async () => {
  const slow = () =>
    new Response(
      new ReadableStream({
        async start(all) {
          for (const part of ["a", "b", "c", "d"]) {
            await new Promise((done) => setTimeout(done, 30));
            all.enqueue(new TextEncoder().encode(part));
          }
          all.close();
        },
      }),
    );
  const answer = await send(wire(slow), { ...GET, limit: 60 });
  assert.equal(await answer?.text(), "abcd");
  // Browsers give a body to an answer that has none.
  const same = Object.defineProperty(new Response(null, { status: 304 }), "body", {
    value: new Response("").body,
  });
  assert.equal(
    (
      await send(
        wire(() => same),
        GET,
      )
    )?.status,
    304,
  );
});

test("an answer holds what was sent, whatever the service added", () => {
  const there = { id: 1, name: "Fall", committees: [{ id: 7, name: "Tech" }], note: null };
  assert.ok(holds(there, { name: "Fall", committees: [{ name: "Tech" }], note: null }));
  assert.ok(!holds(there, { name: "Spring" }));
  assert.ok(!holds(there, { committees: [] }));
  assert.ok(!holds(there, { committees: [{ name: "Art" }] }));
  assert.ok(!holds({ note: null }, { note: { a: 1 } }));
});

test("a hanging sign-in does not hold the request for ever", async () => {
  const line = { ...wire(), token: () => new Promise(() => {}) };
  assert.equal(await send(line, { ...GET, limit: 20, tries: 1 }), null);
});

test("what was refused is not sent again", async () => {
  const line = wire(400, 200);
  assert.equal((await send(line, GET))?.status, 400);
  assert.equal(line.seen.length, 1);
});

test("what an attempt without an answer deleted is deleted", async () => {
  const once = { ...GET, method: "DELETE" };
  assert.equal((await send(wire(new TypeError("offline"), 404), once))?.status, 204);
  assert.equal((await send(wire(404), once))?.status, 404);
});

test("a token that was refused is renewed once", async () => {
  const asked = [];
  const line = { ...wire(401, 401), token: async ({ fresh }) => (asked.push(fresh), "token") };
  assert.equal((await send(line, GET))?.status, 401);
  assert.deepEqual(asked, [false, true]);
});

test("the repeats end when somebody says so, and a last request has none", async () => {
  const ends = new AbortController();
  const line = wire(500, 500, 500);
  await send(line, { ...GET, until: ends.signal, again: () => ends.abort() });
  assert.equal(line.seen.length, 1);
  const last = wire(500, 500);
  await send(last, { ...GET, keepalive: true });
  assert.deepEqual([last.seen.length, last.seen[0].keepalive], [1, true]);
});

test("a value stays one part of a path", () => {
  assert.equal(url`/clubs/${"a/../b?x#y"}/`, "/clubs/a%2F..%2Fb%3Fx%23y/");
  for (const bad of ["", ".", "..", null, undefined]) assert.throws(() => url`/clubs/${bad}/`);
  const routes = [
    { path: "/join/:club/:link/:token/", page: "join" },
    { path: "/clubs/:club/", page: "club" },
  ];
  assert.deepEqual(match(routes, "/clubs/chess/")?.params, { club: "chess" });
  assert.deepEqual(match(routes, "/join/chess/7/a-b_c/")?.params, {
    club: "chess",
    link: "7",
    token: "a-b_c",
  });
  for (const path of [
    "/join/debate/..%2Fapplications%2F497%2Fduplicate%2F%3F/x/",
    "/clubs/%2e%2e/",
    "/clubs/a%2Fb/",
    "/clubs/%E0%A4%A/",
    "/join/chess/x/y/",
  ])
    assert.equal(match(routes, path), null, path);
});

test("answers are kept by address, and a write changes or forgets them", () => {
  keep("/a/", { data: { id: 1, n: 1 }, etag: "1", next: "" });
  written("PATCH", "/a/", { data: { id: 1, n: 2 }, etag: "2", next: "" });
  assert.equal(cached("/a/")?.data.n, 2);
  written("PATCH", "/a/", { data: { detail: "done" }, etag: "", next: "" });
  assert.equal(cached("/a/"), undefined);
  for (let n = 0; n < 100; n++) keep(`/${n}/`, { data: n, etag: "", next: "" });
  assert.deepEqual([cached("/0/"), cached("/99/")?.data], [undefined, 99]);
  forgetAll();
  assert.equal(cached("/99/"), undefined);
});

test("parts of a page that want the same ask once, and again after a write", async () => {
  let calls = 0;
  const ask = async () => {
    calls++;
    const answer = { data: calls, etag: "", next: "" };
    keep("/x/", answer);
    return answer;
  };
  await Promise.all([shared("/x/", ask, false), shared("/x/", ask, false)]);
  await shared("/x/", ask, false);
  assert.equal(calls, 1);
  await shared("/x/", ask, true);
  assert.equal(calls, 2);
  written("POST", "/y/", { data: null, etag: "", next: "" });
  await shared("/x/", ask, false);
  assert.equal(calls, 3);
  forgetAll();
});

test("whoever ends the repeats need not wait for the pause", async () => {
  const line = wire(new TypeError("offline"), 200);
  const ends = new AbortController();
  line.pause = () => new Promise(() => setTimeout(() => ends.abort(), 1));
  assert.equal(await send(line, { ...GET, until: ends.signal }), null);
  assert.equal(line.seen.length, 1);
});
