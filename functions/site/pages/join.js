// `/join/{club}/{link}/{token}/`: a join link, for example from a QR code.

import { Accept } from "../parts/accept.js";
import { html } from "../parts/kit.js";
import { url } from "../parts/path.js";

export default function Join({ club, link, token }) {
  return html`<${Accept} club=${club} path=${url`/clubs/${club}/joinlinks/${link}/join/`}
    token=${token} />`;
}
