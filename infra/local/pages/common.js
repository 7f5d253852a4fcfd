/** What the pages of the local service share. */

/** Calls the service. An error of the service is thrown with its sentence. */
export async function ask(path, { method = "GET", body, token } = {}) {
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.status === 204) return null;
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.detail);
  return value;
}

/** The people of the demo campus with a token of their own: role and subject. */
export const people = () => ask("/local/people.json");

/** A token for a person. */
export async function tokenOf(subject) {
  const { access_token } = await ask("/local/token", { method: "POST", body: subject });
  return access_token;
}

/** A new element. */
export function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
