// `/clubs/{club}/poster/`: a page to print, with a QR code: for the club, for an application, or
// for a link with which people join.

import { html, useEffect, useSignal } from "../parts/kit.js";
import { get } from "../parts/api.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { address, link } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Icon, Mono, Problem, Time, Title } from "../parts/ui.js";

export default function Poster({ club: code }) {
  const { query } = address.value;
  const application = query.get("application");
  const join = query.get("link");
  const club = useLoad(url`/clubs/${code}/`);
  const about = useLoad(application ? url`/clubs/${code}/applications/${application}/` : "");
  const way = useLoad(join ? url`/clubs/${code}/joinlinks/${join}/` : "");
  return loaded(
    club,
    (found) => {
      if (application) {
        return loaded(about, (one) => {
          const path = url`/clubs/${code}/apply/${application}/`;
          return html`<${Sheet} club=${found} call=${one.name} path=${path}
            more=${html`${t("poster.until")} <${Time} at=${one.application_end_time} />`} />`;
        });
      }
      if (join) {
        return loaded(
          way,
          (one) => html`<${Sheet} club=${found} call=${t("poster.join")} address=${one.url}
          code=${url`/clubs/${code}/joinlinks/${join}/qr.svg`} />`,
        );
      }
      return html`<${Sheet} club=${found} call=${found.subtitle} path=${url`/clubs/${code}/`} />`;
    },
    8,
    true,
  );
}

/**
 * What is printed. The code is that of a path of the site; for a secret address, it comes from a
 * path of the API, because an image cannot send a token.
 * @param {object} props
 * @param {any} props.club
 * @param {any} props.call
 * @param {any} [props.more]
 * @param {string} [props.path]
 * @param {string} [props.address]
 * @param {`/clubs/${string}/joinlinks/${string}/qr.svg` | ""} [props.code]
 */
function Sheet({ club, call, more = null, path = "", address = "", code = "" }) {
  const drawn = useSignal("");
  const failed = useSignal(/** @type {any} */ (null));
  useEffect(() => {
    if (!code) return;
    get(code).then(
      (svg) => (drawn.value = `data:image/svg+xml,${encodeURIComponent(svg)}`),
      (error) => (failed.value = error),
    );
  }, [code]);
  const image = code ? drawn.value : link(`/qr.svg?${new URLSearchParams({ to: path })}`);
  const shown = address || new URL(link(path), location.href).href;
  return html`<p class="row noprint"><button class="main" onClick=${() => print()}><${Icon}
      name="file-text" /> ${t("poster.print")}</button></p>
    ${failed.value && html`<${Problem} error=${failed.value} />`}
    <article class="poster card">
      <${Mono} code=${club.code} name=${club.name} image=${club.image_url} size="big" />
      <${Title}>${club.name}<//>
      ${call && html`<p class="call">${call}</p>`}
      ${
        image &&
        html`<img class="code" src=${image}
        alt=${t("poster.code", { address: shown })} />`
      }
      ${more && html`<p>${more}</p>`}
      <p class="small quiet">${shown}</p></article>`;
}
