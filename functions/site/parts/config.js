// What the page has to know about the deployment. It is in the page itself (`index.html`).

/**
 * @typedef {object} Config
 * @property {string} issuer of the tokens
 * @property {string} client_id of the page at the issuer
 * @property {string} scopes that the page asks for
 * @property {"access_token" | "id_token"} token that the page sends to the API
 * @property {string} university its name
 * @property {string} time_zone of the campus, as an IANA name
 * @property {boolean} second_factor whether the page can add one to the account at the issuer
 * @property {boolean} is_local whether it runs on a developer's machine
 */

/** @type {Config} */
export const config = JSON.parse(document.getElementById("config")?.textContent ?? "{}");
