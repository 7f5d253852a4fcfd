// Stands in the home page: asks ahead for what it shows to visitors (`pages/home.js`), while the
// modules are still on their way. Whoever is signed in sees something else.
if (!JSON.parse(localStorage.getItem("session") ?? "null")) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "anonymous" });
  link.href = new URL("api/clubs/?accepting=true&page_size=8", document.baseURI).href;
  document.head.append(link);
}
