// A club in a list: its cover, its name, and what can be done now.

import { html } from "./kit.js";
import { call, post, remove } from "./api.js";
import { isSignedIn, signIn } from "./auth.js";
import { Left } from "./countdown.js";
import { url } from "./path.js";
import { orReload } from "./load.js";
import { link } from "./router.js";
import { dated, t } from "./texts.js";
import { Action, Chip, Icon, Sign, hueOf, initials } from "./ui.js";

/** The cover of a club: its picture, or its letters, on its own colour. */
export function Cover({ club, size = "" }) {
  // In a list, the name stands beside it.
  const alt = (size && club.image_alt) || "";
  return html`<div class=${`cover ${size}`} style=${{ "--hue": hueOf(club.code) }}
    aria-hidden=${alt ? undefined : "true"}>
    ${
      club.image_url
        ? html`<${Sign} image=${club.image_url} side=${52} alt=${alt} />`
        : initials(club.name)
    }</div>`;
}

/** The day of the next event. */
const day = (time) => dated(new Date(time), { weekday: "short", day: "numeric", month: "short" });

/** Marks a club as a favorite. Who is not signed in does it after signing in. */
export function Star({ club, changed, className = "star" }) {
  const toggle = async () => {
    if (!isSignedIn.value) {
      sessionStorage.setItem("then", JSON.stringify({ favorite: club.code }));
      return signIn();
    }
    if (club.is_favorite) await remove(url`/favorites/${club.code}/`);
    else await post("/favorites/", { club: club.code });
    await changed();
  };
  // It is pressed or not; the words stay the same.
  const label = t("club.favorite", { club: club.name });
  return html`<${Action} className=${className} run=${orReload(toggle, changed)} pressed=${Boolean(club.is_favorite)}
    label=${`${club.favorite_count} ${label}`}><${Icon} name="star" /> ${club.favorite_count}<//>`;
}

/** What a person wanted to do before signing in is done now. */
export async function carryOut() {
  const wanted = JSON.parse(sessionStorage.getItem("then") ?? "null");
  sessionStorage.removeItem("then");
  if (!wanted?.favorite) return;
  // On a bad network, nobody waits for it.
  const options = { body: { club: wanted.favorite }, tries: 1, limit: 5_000 };
  await call("POST", "/favorites/", options).catch(() => {});
}

/** @param {{club: any, changed: () => any}} props */
export function ClubCard({ club, changed }) {
  return html`<li class="club">
    <${Cover} club=${club} /><${Star} club=${club} changed=${changed} />
    <div class="in"><h2><a href=${link(url`/clubs/${club.code}/`)}>${club.name}</a></h2>
      <p class="quiet small two-lines">${club.subtitle}</p>
      <p class="tags push-down">
        ${
          club.accepting_members &&
          html`<${Chip} kind="good" icon="circle-dot">${t("club.open")}
          <//>`
        }
        ${
          club.open_applications?.[0] &&
          html`<${Left} until=${club.open_applications[0].application_end_time} />`
        }
        ${
          club.next_event &&
          html`<${Chip} icon="calendar">${day(club.next_event.start_time)} ·
            <span class="cut">${club.next_event.name}</span><//>`
        }
        ${!club.active && html`<${Chip} icon="lock">${t("state.inactive")}<//>`}
        ${club.badges?.map(
          (one) => html`<span class="badge" key=${one.id}
          style=${{ "--badge": one.color || "#777" }}>${one.label}</span>`,
        )}
      </p></div>
  </li>`;
}
