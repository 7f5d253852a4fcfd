// An officer: requests, join links, submissions with reviews and decisions, and mails.

import assert from "node:assert/strict";
import { accessible, call, heading, origin, signIn, windowOf } from "./lib.mjs";

// An officer: a request, a join link, submissions with a review and a decision, and the mails.
const olivia = await windowOf();
olivia.on("dialog", (dialog) => dialog.accept());
await olivia.goto(`${origin}/clubs/robotics/`);
await signIn(olivia, "Olivia Marsh");
await olivia.getByRole("link", { name: "Manage the club" }).click();
await heading(olivia, "Manage the club");
await olivia.getByRole("button", { name: "Accept: Wendy Zhao" }).click();
await olivia.getByText("Wendy Zhao is a member now.").waitFor();
await olivia.getByLabel("Where the link is shown").fill("Door");
await olivia.getByRole("button", { name: "Create a join link" }).click();
await olivia.getByRole("img", { name: "QR code of the join link Door" }).waitFor();
await accessible(olivia, "manage");
await olivia.getByRole("link", { name: "Submissions" }).first().click();
await heading(olivia, "Autumn recruitment");
await olivia.getByText("Overview").click();
await olivia.getByRole("table", { name: "By status" }).waitFor();
await accessible(olivia, "submissions");
await olivia.getByRole("button", { name: "Fatima Zahra" }).click();
await olivia.getByRole("heading", { name: "Fatima Zahra" }).waitFor();
await olivia.getByLabel("Score from 1 to 5").selectOption("5");
await olivia.getByLabel("Comment, for officers only").fill("Builds things");
await olivia.getByRole("button", { name: "Save my review" }).click();
await olivia.getByText("Builds things", { exact: false }).last().waitFor();
await accessible(olivia, "applicant");
// Whoever comes back finds the own review, to change it.
await olivia.reload();
await olivia.waitForFunction(() => document.querySelector('[id^="review-"][id$="-comment"]')?.value === "Builds things" && document.querySelector('[id^="review-"][id$="-score"]').value === "5");

// Another officer is faster: their decision is shown, and what was typed stays.
const robotics = (await call("olivia", "GET", "/clubs/robotics/applications/"))[0];
const of = `/clubs/robotics/applications/${robotics.id}`;
const [fatima] = await call("olivia", "GET", `${of}/submissions/?search=fatima`);
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { reason: "Seen by another officer" });
await olivia.getByLabel("Reason").fill("Two years of experience");
await olivia.getByRole("button", { name: "Save the decision" }).click();
await olivia.getByRole("alert").getByText("Seen by another officer").waitFor();
await accessible(olivia, "decision-conflict");
await olivia.getByRole("button", { name: "Keep mine" }).click();
await olivia.getByRole("button", { name: "Save the decision" }).click();
await olivia.getByText("Saved.").waitFor();
// What is typed about one applicant is there again after a look at the next one.
await olivia.getByLabel("Comment, for officers only").fill("Builds things, and teaches");
await olivia.getByRole("button", { name: "Next", exact: true }).click();
await olivia.getByRole("button", { name: "Previous", exact: true }).click();
await olivia.waitForFunction(() => document.querySelector('[id^="review-"][id$="-comment"]')?.value === "Builds things, and teaches");
await olivia.getByRole("button", { name: "Next", exact: true }).click();
await olivia.getByRole("button", { name: "Close", exact: true }).last().click();
await olivia.getByLabel(/^Choose: /).first().check();
await olivia.getByRole("button", { name: "Accepted", exact: true }).click();
await olivia.getByText("1 submission was changed.").waitFor();
await olivia.getByRole("link", { name: "Decision mails" }).click();
await heading(olivia, "Decision mails");
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByText(/mails? would be sent/).waitFor();
await olivia.locator("details").first().click();
await accessible(olivia, "mails");
// What changed after the preview is not sent.
await call("olivia", "PATCH", `${of}/submissions/${fatima.id}/`, { reason: "Changed after the preview" });
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia.getByRole("status").filter({ hasText: /preview/ }).waitFor();
await olivia.getByRole("button", { name: "Preview", exact: true }).click();
await olivia.getByRole("button", { name: "Send these mails" }).click();
await olivia.getByText(/mails? (is|are) on/).waitFor();

// Two thousand submissions: only the rows that can be seen are in the document.
const [debate] = await call("olivia", "GET", "/clubs/debate/applications/");
const path = `/clubs/debate/applications/${debate.id}`;
const many = 2000;
let made = 0;
await Promise.all(Array.from({ length: 16 }, async () => {
  while (made < many) {
    const name = `many${made++}`;
    await call(name, "POST", `${path}/submissions/`, { committee: null, responses: [] });
  }
}));
// Of somebody who was decided about and then erased, the submission is there without a name.
const [gone] = await call("olivia", "GET", `${path}/submissions/?search=many7&limit=1`);
await call("olivia", "PATCH", `${path}/submissions/${gone.id}/`, { status: 2 });
await call(gone.user.username, "DELETE", "/settings/");
await olivia.goto(`${origin}${path}/?search=erased`);
await olivia.getByText(/^1 submission$/).waitFor({ timeout: 60_000 });
await olivia.getByRole("button", { name: "Erased person" }).click();
await olivia.getByRole("heading", { name: "Erased person" }).waitFor();
await olivia.goto(`${origin}${path}/`);
await olivia.getByText(/^20\d\d submissions$/).waitFor({ timeout: 60_000 });
const region = olivia.getByRole("region", { name: "Submissions" });
for (const share of [0, 0.5, 1]) {
  await region.evaluate((box, share) => (box.scrollTop = share * box.scrollHeight), share);
  await olivia.waitForTimeout(50);
  const count = await region.locator("tbody tr:not([aria-hidden])").count();
  assert.ok(count > 10 && count < 60, `${count} rows`);
}
await accessible(olivia, "submissions-2000");
