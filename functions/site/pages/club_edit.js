// `/clubs/{club}/edit/`: what a club says about itself, and its logo.

import { html } from "../parts/kit.js";
import { call, patch, remove } from "../parts/api.js";
import { Image } from "../parts/files.js";
import { Danger } from "../parts/danger.js";
import { Form } from "../parts/form.js";
import { me } from "../parts/me.js";
import { url } from "../parts/path.js";
import { link, open } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { loaded, problems, useLoad } from "../parts/load.js";
import { Title, say } from "../parts/ui.js";

const OWNER = 0;

export default function EditClub({ club: code }) {
  const path = url`/clubs/${code}/`;
  const club = useLoad(path);
  const tags = useLoad("/tags/");
  const badges = useLoad(me.value?.is_admin ? "/badges/" : "");
  const fields = [
    { name: "name", label: t("edit.name") },
    { name: "subtitle", label: t("edit.subtitle") },
    { name: "description", label: t("edit.description"), kind: "rich" },
    {
      name: "tags",
      label: t("lists.tags"),
      kind: "many",
      options: (tags.data ?? []).map((tag) => [tag.id, tag.name]),
    },
    { name: "email", label: t("edit.email"), hint: t("edit.email.hint") },
    { name: "website", label: t("website"), empty: null },
    { name: "active", label: t("edit.active"), kind: "check" },
    ...(me.value?.is_admin
      ? [
          {
            name: "badges",
            label: t("lists.badges"),
            kind: "many",
            options: (badges.data ?? []).map((badge) => [badge.id, badge.label]),
          },
          {
            name: "approved",
            label: t("edit.approved"),
            kind: "choice",
            options: [
              [null, t("club.waiting")],
              [true, t("yes")],
              [false, t("no")],
            ],
          },
        ]
      : []),
  ];
  /** The club with ids instead of tags and badges, as it is sent. */
  const sent = (found) => ({
    ...found,
    tags: found.tags.map((tag) => tag.id),
    badges: found.badges.map((badge) => badge.id),
  });
  const save = (values) => call("PATCH", path, { body: values, etag: club.etag });
  const upload = async (file) => {
    await call("POST", `${path}upload/`, { file });
    await club.reload();
    say(t("saved"));
  };
  const close = async () => {
    await remove(path);
    open("/clubs/");
  };
  return html`
    <${Title}>${t("edit.club")}<//>
    ${loaded(
      club,
      (found) => html`
      <${Image} ratio=${1} url=${found.image_url} label=${t("edit.logo")} upload=${upload}
        name=${code} alt=${found.image_alt} describe=${save} reload=${club.reload}
        remove=${() => patch(path, { image: null }).then(club.reload)} />
      ${problems(tags, badges)}
      <${Form} name=${`club-${code}`} fields=${fields} data=${sent(found)} send=${save}
        stored=${club.reload} reload=${async () => {
          const now = await club.reload();
          return now && sent(now);
        }} />
      ${
        (found.is_member === OWNER || me.value?.is_admin) &&
        html`<section><h2>${t("webhooks")}</h2><p>${t("webhooks.short")}</p>
        <p><a class="button" href=${link(url`/clubs/${code}/webhooks/`)}>${t("webhooks")}</a></p>
          </section><section><h2>${t("edit.delete")}</h2>
        <p>${t("edit.delete.about")}</p>
        <${Danger} label=${t("edit.delete")} name=${found.name} ending=${`${path}ending/`}
          about=${t("edit.delete.what")} run=${close} done=${t("edit.deleted")} /></section>`
      }
    `,
      8,
    )}`;
}
