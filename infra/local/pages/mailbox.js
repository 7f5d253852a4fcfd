import { ask, element } from "/local/pages/common.js";

const POLL_MS = 1500;
const at = (id) => document.getElementById(id);
const parts = ["html", "text", "headers"];

/** All mails, the oldest first, and the position of the one that is shown. */
let mails = [];
let shown = null;

function matches(mail) {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [mail.to, mail.from, mail.subject, mail.text].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function showList() {
  const found = mails.map((mail, n) => [mail, n]).filter(([mail]) => matches(mail)).reverse();
  at("list").replaceChildren(
    ...found.map(([mail, n]) => {
      const open = element("button", { title: mail.subject }, [
        element("b", { textContent: mail.subject }),
        element("br"),
        element("span", { className: "quiet", textContent: `${mail.to}, ${mail.sent_at}` }),
      ]);
      open.setAttribute("aria-current", String(n === shown));
      open.onclick = () => show(n);
      return element("li", {}, [open]);
    }),
  );
  const all = `${mails.length} ${mails.length === 1 ? "mail" : "mails"}`;
  at("count").textContent = found.length === mails.length ? all : `${found.length} of ${all}`;
}

function show(n) {
  shown = n;
  const mail = mails[n];
  at("mail").hidden = !mail;
  if (mail) {
    at("subject").textContent = mail.subject;
    at("about").textContent = `to ${mail.to}, ${mail.sent_at}`;
    // Links open in a tab of their own. Scripts do not run.
    at("part-html").firstElementChild.srcdoc = `<base target="_blank">${mail.html}`;
    at("part-text").firstElementChild.textContent = mail.text;
    const headers = { From: mail.from, To: mail.to, "Reply-To": mail.reply_to, Subject: mail.subject, Date: mail.sent_at };
    at("part-headers").querySelector("tbody").replaceChildren(
      ...Object.entries(headers).map(([name, value]) =>
        element("tr", {}, [
          element("th", { scope: "row", textContent: name }),
          element("td", { textContent: value ?? "(none)" }),
        ]),
      ),
    );
  }
  showList();
}

function showPart(name) {
  for (const part of parts) {
    const tab = at(`tab-${part}`);
    tab.setAttribute("aria-selected", String(part === name));
    tab.tabIndex = part === name ? 0 : -1;
    at(`part-${part}`).hidden = part !== name;
  }
}

async function look() {
  const now = await ask("/local/mail.json");
  if (now.length !== mails.length) {
    if (now.length < mails.length) shown = null;
    mails = now;
    if (shown === null && mails.length) show(mails.length - 1);
    else if (mails.length) showList();
    else show(null);
  }
}

for (const [n, part] of parts.entries()) {
  const tab = at(`tab-${part}`);
  tab.onclick = () => showPart(part);
  tab.onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) {
      const next = parts[(n + step + parts.length) % parts.length];
      showPart(next);
      at(`tab-${next}`).focus();
    }
  };
}
at("search").oninput = showList;
at("clear").onclick = async () => {
  await ask("/local/mail.json", { method: "DELETE" });
  await look();
};
showPart("html");
showList();
await look();
document.body.dataset.ready = "true";
setInterval(() => document.hidden || look().catch(() => {}), POLL_MS);
