import { ask, element, people, tokenOf } from "/local/pages/common.js";

const at = (id) => document.getElementById(id);
const [club, invite, token] = location.pathname.split("/").filter(Boolean).slice(1);
const known = await people();

at("known").append(
  ...known.map(({ subject }) => element("option", { value: subject.username })),
);
at("form").onsubmit = async (event) => {
  event.preventDefault();
  const username = at("username").value.trim();
  const subject = known.find((person) => person.subject.username === username)?.subject ?? {
    username,
    name: username,
    email: `${username}@uni.example`,
  };
  try {
    const member = await ask(`/api/clubs/${club}/invites/${invite}/accept/`, {
      method: "POST",
      token: await tokenOf(subject),
      body: { token, public: at("public").checked },
    });
    at("result").textContent = `${member.name} is a member of ${at("club").textContent} now.`;
    at("form").hidden = true;
  } catch (problem) {
    at("result").textContent = problem.message;
  }
};

// The mail tells for whom the invitation is.
const mails = await ask("/local/mail.json");
const mail = mails.findLast(({ text }) => text.includes(location.pathname.replace(/\/$/, "")));
at("username").value = mail?.to.split("@")[0] ?? "";
const found = await ask(`/api/clubs/${club}/`).catch(() => null);
at("club").textContent = found?.name ?? club;
document.body.dataset.ready = "true";
