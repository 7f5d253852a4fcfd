// Paths of the API and of the site. Every value is encoded where a path is made.

/**
 * A path with encoded values: ``url`/clubs/${code}/` ``. A value that would lead to another path is
 * refused. Types are checked as if there were no tag (`infra/scripts/site`).
 */
export function url(strings, ...values) {
  const part = (value) => {
    const text = String(value ?? "");
    if (text === "" || text === "." || text === "..") throw new TypeError("a path without a value");
    return encodeURIComponent(text);
  };
  return strings.reduce((path, text, i) => path + part(values[i - 1]) + text);
}

/** The form of each part of an address, by its name in the pattern of the page. */
const FORMS = {
  club: /^[a-z0-9-]{1,64}$/i,
  application: /^(\d{1,20}|new)$/,
  event: /^(\d{1,20}|new)$/,
  showing: /^\d{1,20}$/,
  invite: /^[\w-]{1,64}$/,
  link: /^\d{1,20}$/,
  submission: /^\d{1,20}$/,
  token: /^[\w-]{1,200}$/,
};

/** A part of a path, decoded; null if it is no text. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * The first route whose pattern (such as `/clubs/:club/`) fits the path, and whose parts have their
 * forms.
 */
export function match(routes, path) {
  for (const route of routes) {
    const names = [];
    const source = route.path.replace(/:(\w+)/g, (_, name) => {
      names.push(name);
      return "([^/]+)";
    });
    const found = new RegExp(`^${source}$`).exec(path);
    if (!found) continue;
    const values = found.slice(1).map(decoded);
    if (!values.every((value, i) => value !== null && FORMS[names[i]]?.test(value))) continue;
    const params = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    return { ...route, params: { ...params, ...route.given } };
  }
  return null;
}
