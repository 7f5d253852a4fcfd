// Makes plain templates of the tagged ones in a copy of the site, so that TypeScript knows which
// operation of the API a path belongs to: it does not know what a tag does.
//   node untag.mjs FOLDER

import { readFile, readdir, writeFile } from "node:fs/promises";

const [folder] = process.argv.slice(2);
for (const part of [".", "pages", "parts"]) {
  const names = await readdir(`${folder}/${part}`);
  for (const name of names.filter((one) => one.endsWith(".js"))) {
    const file = `${folder}/${part}/${name}`;
    const text = await readFile(file, "utf8");
    const plain = text
      .replace(/(?<![\w`])url(`(?:[^`$]|\$\{[^}]*\})*`)/g, "/** @type {const} */ ($1)")
      .replace(/import \{ url \} from "[^"]*";\n/g, "")
      .replace("{ match, url }", "{ match }");
    if (plain !== text) await writeFile(file, plain);
  }
}
