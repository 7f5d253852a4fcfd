// One recruitment through a generated TypeScript client, against the local service:
//   node build/story.js http://127.0.0.1:8000

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
type Problem = Schemas["ErrorBody"];

const origin = process.argv[2] ?? "http://127.0.0.1:8000";
const run = Date.now().toString(36);

/** A client for one person. The local service gives everybody a token. */
async function clientOf(username: string) {
  const answer = await fetch(`${origin}/local/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, name: `${username} Story`, email: `${username}@uni.example` }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return createClient<paths>({
    baseUrl: origin,
    headers: { Authorization: `Bearer ${access_token}` },
  });
}

/** The body of an answer; an error of the service ends the story. */
function taken<T>(answer: { data?: T; error?: Problem; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status}: ${answer.error?.code} ${answer.error?.detail}`);
  }
  return answer.data;
}

/** Five days from now, plus some days. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const officer = await clientOf(`officer-${run}`);
const applicant = await clientOf(`applicant-${run}`);

const created = await officer.POST("/api/clubs/", {
  body: { name: `Story ${run}`, subtitle: "Made by a TypeScript client" },
  headers: { "Idempotency-Key": `club-${run}` },
});
const { code: club } = taken(created);
assert.ok(created.response.headers.get("ETag"));

const application = taken(
  await officer.POST("/api/clubs/{club}/applications/", {
    params: { path: { club } },
    body: {
      name: "Autumn",
      application_start_time: day(-1),
      application_end_time: day(5),
      result_release_time: day(9),
      is_active: true,
      committees: [{ name: "Tech" }],
    },
  }),
);
const path = { club, application: application.id };
const question = taken(
  await officer.POST("/api/clubs/{club}/applications/{application}/questions/", {
    params: { path },
    body: { question_type: 1, prompt: "Why?", word_limit: 50 },
  }),
);

// A pixel of PNG is enough for a logo.
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const logo = taken(
  await officer.POST("/api/clubs/{club}/upload/", {
    params: { path: { club } },
    body: { file: "" },
    bodySerializer: () => {
      const form = new FormData();
      form.set("file", new Blob([Buffer.from(pixel, "base64")], { type: "image/png" }), "logo.png");
      return form;
    },
  }),
);
assert.ok(logo.image_url);

const committee = application.committees[0];
assert.ok(committee);
const submitted = taken(
  await applicant.POST("/api/clubs/{club}/applications/{application}/submissions/", {
    params: { path },
    body: {
      committee: committee.id,
      responses: [{ question: question.id, text: "Because I like stories." }],
    },
  }),
);
assert.equal(submitted.status, 1 satisfies Schemas["Status"]);

const list = taken(
  await officer.GET("/api/clubs/{club}/applications/{application}/submissions/", {
    params: { path, query: { status: 1, search: "applicant" } },
  }),
);
assert.ok(Array.isArray(list));
assert.equal(list[0]?.user?.username, `applicant-${run}`);

const one = { ...path, submission: submitted.id };
const decided = taken(
  await officer.PATCH(
    "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
    { params: { path: one }, body: { status: 4, reason: "A good story." } },
  ),
);
assert.equal(decided.status, 4);

const mails = "/api/clubs/{club}/applications/{application}/send_emails/" as const;
const preview = taken(
  await officer.POST(mails, {
    params: { path },
    body: { email_type: { id: "acceptance" }, dry_run: true },
  }),
);
assert.equal(preview.previews?.length, 1);
const digest = preview.digest ?? null;
const body = { email_type: { id: "acceptance" as const }, digest };
const sent = taken(await officer.POST(mails, { params: { path }, body }));
assert.equal(sent.recipients, 1);

/** The mail that the applicant got. The worker sends it a moment after the answer. */
async function mail(): Promise<{ to: string; subject: string; text: string }> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`${origin}/local/mail.json`);
    const all = (await answer.json()) as { to: string; subject: string; text: string }[];
    const found = all.find((one) => one.to === `applicant-${run}@uni.example`);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("no mail came");
}
assert.match((await mail()).text, /A good story\./);

const people = taken(
  await officer.GET("/api/users/", { params: { query: { search: `applicant-${run}` } } }),
);
assert.equal(people.length, 1);

const csv = taken(
  await officer.GET("/api/clubs/{club}/applications/{application}/submissions/export/", {
    params: { path },
    parseAs: "text",
  }),
);
assert.match(csv, /Because I like stories\./);

const refused = await applicant.GET(
  "/api/clubs/{club}/applications/{application}/submissions/",
  { params: { path } },
);
assert.equal(refused.error?.code, "permission_denied");

console.log(`TypeScript: the story of ${club} is complete`);
