// `/invite/{club}/{invite}/{token}/`: the link of an invitation.

import { Accept } from "../parts/accept.js";
import { html } from "../parts/kit.js";
import { url } from "../parts/path.js";

export default function Invite({ club, invite, token }) {
  return html`<${Accept} club=${club} path=${url`/clubs/${club}/invites/${invite}/accept/`}
    token=${token} />`;
}
