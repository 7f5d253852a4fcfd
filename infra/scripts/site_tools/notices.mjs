// Reminders and news: somebody chooses them, gets a reminder of a draft after the clock was moved,
// and ends these mails with its link, signed out. The last story, because the clock stays moved.

import assert from "node:assert/strict";
import { accessible, heading, origin, sessionMayEnd, signIn, windowOf } from "./lib.mjs";

const avery = await windowOf();
await avery.goto(`${origin}/settings/`);
await signIn(avery, "Avery Admin");
await avery.getByRole("heading", { name: "Reminders and news by mail" }).waitFor();
await avery.getByLabel("Weekly news of the clubs that you follow").check();
await accessible(avery, "settings-notices");
await avery
  .locator("section", { hasText: "Reminders and news by mail" })
  .getByRole("button", { name: "Save", exact: true })
  .click();
await avery.getByText("Saved").first().waitFor();
await avery.reload();
assert.ok(await avery.getByLabel("Weekly news of the clubs that you follow").isChecked());

const api = async (method, path, token, body) => {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
};
const { access_token: token } = await api("POST", "/local/token/", "", {
  username: "remi",
  email: "remi@uni.example",
});
const at = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19) + "Z";
const { access_token: officer } = await api("POST", "/local/token/", "", { username: "olivia" });
const applications = "/api/clubs/robotics/applications/";
const { id } = await api("POST", applications, officer, {
  name: "Late recruitment",
  application_start_time: at(-1),
  application_end_time: at(80),
  result_release_time: at(100),
  is_active: true,
});
const one = `${applications}${id}/`;
const question = await api("POST", `${one}questions/`, officer, {
  question_type: 1,
  prompt: "Why?",
});
await api("PATCH", `${one}draft/`, token, {
  responses: [{ question: question.id, text: "Robots", version: 0 }],
});
// The sessions of all open windows end by that.
sessionMayEnd(true);
await api("POST", "/local/clock/", "", { advance_s: 60 * 3_600 });
const mails = await (await fetch(`${origin}/local/mail.json`)).json();
const reminder = mails.find((mail) => mail.to.startsWith("remi@"));
assert.match(reminder?.headers["List-Unsubscribe"], /^<http/);
const page = reminder.text.match(/http\S+\/unsubscribe\/\S+/)[0];

const anybody = await windowOf();
await anybody.goto(page);
await heading(anybody, "Stop these mails");
await anybody.getByText("Reminders of applications that are not submitted").waitFor();
await accessible(anybody, "unsubscribe");
await anybody.getByRole("button", { name: "Stop these mails" }).click();
await anybody.getByText("You do not get these mails any more.").waitFor();
await anybody.goto(page.replace(/\/unsubscribe\/.{4}/, "/unsubscribe/AAAA"));
await heading(anybody, "Stop these mails");
await anybody.getByRole("alert").waitFor();
