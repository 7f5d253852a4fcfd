// `/new-club/`: a new club. Who creates it owns it.

import { html } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { isSignedIn } from "../parts/auth.js";
import { Form } from "../parts/form.js";
import { url } from "../parts/path.js";
import { open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { SignIn, Title } from "../parts/ui.js";

const EMPTY = { name: "", code: "", subtitle: "", email: "" };

export default function NewClub() {
  if (!isSignedIn.value) {
    return html`<${Title}>${t("clubs.new")}<//><p>${t("signin.needed")}</p>
      <p><${SignIn}>${t("signin")}<//></p>`;
  }
  const fields = [
    { name: "name", label: t("edit.name") },
    { name: "code", label: t("edit.code"), hint: t("edit.code.hint") },
    { name: "subtitle", label: t("edit.subtitle") },
    { name: "email", label: t("edit.email"), hint: t("edit.email.hint") },
  ];
  /** @param {{name: string, code: string}} values */
  const send = ({ code, ...rest }) => post("/clubs/", code ? { code, ...rest } : rest);
  return html`<${Title}>${t("clubs.new")}<//>
    <${Form} name="new-club" fields=${fields} data=${EMPTY} whole send=${send}
      stored=${(club) => open(url`/clubs/${club.code}/edit/`)} submit=${t("clubs.create")}
        done=${t("clubs.created")} />`;
}
