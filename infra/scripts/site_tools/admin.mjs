// An admin: the lists, a fair with a registered club, and an import of clubs.

import { accessible, call, field, heading, origin, signIn, windowOf } from "./lib.mjs";

const admin = await windowOf();
admin.on("dialog", (dialog) => dialog.accept());
await admin.goto(`${origin}/admin/lists/?kind=tags`);
await signIn(admin, "Avery Admin");
await heading(admin, "Tags");
await admin.getByLabel("Name", { exact: true }).fill("Board games");
await admin.getByRole("button", { name: "Add", exact: true }).click();
await admin.locator("summary").filter({ hasText: "Board games" }).click();
await admin
  .locator("details")
  .filter({ hasText: "Board games" })
  .getByLabel("Name", { exact: true })
  .fill("Board and card games");
await admin.getByRole("button", { name: "Save", exact: true }).click();
await admin.locator("summary").filter({ hasText: "Board and card games" }).waitFor();
await accessible(admin, "tags");
await admin.getByRole("button", { name: "Delete: Board" }).click();
await admin.getByText("It was deleted.").waitFor();
for (const [kind, title] of [
  ["badges", "Badges"],
  ["schools", "Schools"],
  ["majors", "Majors"],
  ["years", "Years"],
]) {
  await admin.getByRole("main").getByRole("link", { name: title, exact: true }).click();
  await heading(admin, title);
  await accessible(admin, kind);
}

// A fair, for which an officer registers a club.
await admin.goto(`${origin}/admin/fairs/`);
await heading(admin, "Fairs");
await admin.getByLabel("Name", { exact: true }).first().fill("Winter fair");
await field(admin, "Begins").first().fill("2031-01-10T10:00");
await field(admin, "Ends").first().fill("2031-01-10T16:00");
await admin.getByRole("button", { name: "Add", exact: true }).click();
await admin.locator("summary").filter({ hasText: "Winter fair" }).waitFor();
await accessible(admin, "admin-fairs");
const officer = await windowOf();
await officer.goto(`${origin}/fairs/`);
await signIn(officer, "Olivia Marsh");
const fair = officer.getByRole("article").filter({ hasText: "Winter fair" });
await fair.getByLabel("Your club").selectOption("Debating Union");
await fair.getByRole("button", { name: "Register it" }).click();
await fair.getByRole("link", { name: "Debating Union" }).waitFor();
await accessible(officer, "fairs");

// Clubs from a list.
await admin.goto(`${origin}/admin/import/`);
await heading(admin, "Import clubs");
await admin.getByLabel("Rows", { exact: true }).fill("name,tags\nGo Society,Games\n");
await admin.getByRole("button", { name: "Check" }).click();
await admin.getByRole("heading", { name: "This would happen" }).waitFor();
await accessible(admin, "import-clubs");
await admin.getByRole("button", { name: "Import", exact: true }).click();
await admin.getByRole("heading", { name: "Imported." }).waitFor();
await admin.goto(`${origin}/clubs/?search=go+society`);
await admin.getByRole("link", { name: "Go Society" }).waitFor();

// A deleted club is found by a part of its name, and comes back.
await call("root", "DELETE", "/clubs/go-society/", undefined, ["clubs-admin"]);
await admin.goto(`${origin}/admin/`);
const found = admin.waitForResponse((one) => one.url().includes("search=society"));
await admin.getByLabel("Search deleted clubs").fill("society");
await found;
const restore = admin.getByRole("button", { name: "Restore: Go Society" });
await restore.waitFor();
await accessible(admin, "admin");
await restore.click();
await admin.getByText("Go Society is back.").waitFor();
await restore.waitFor({ state: "detached" });
