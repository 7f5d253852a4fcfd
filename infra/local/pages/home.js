import { ask, element, people, tokenOf } from "/local/pages/common.js";

/** Swagger UI reads this key when it starts. */
function signInToDocs(token) {
  const scheme = { type: "http", scheme: "bearer", bearerFormat: "JWT" };
  const bearer = { name: "bearer", schema: scheme, value: token };
  localStorage.setItem("authorized", JSON.stringify({ bearer }));
}

async function showPeople() {
  const place = document.getElementById("people");
  for (const { role, subject } of await people()) {
    const token = await tokenOf(subject);
    const open = element("button", { className: "main", textContent: `Open the docs as ${role}` });
    open.dataset.role = role;
    open.onclick = () => {
      signInToDocs(token);
      location.href = "/api/docs/";
    };
    const copy = element("button", { textContent: "Copy token" });
    copy.onclick = async () => {
      await navigator.clipboard.writeText(token);
      copy.textContent = "Copied";
    };
    place.append(
      element("div", {}, [
        element("b", { textContent: subject.name }),
        element("p", { className: "quiet", textContent: `${role}, user name ${subject.username}` }),
        element("p", { className: "row" }, [open, copy]),
        element("code", { className: "token", textContent: token, title: token }),
      ]),
    );
  }
}

async function showClock() {
  const { now } = await ask("/local/clock");
  document.getElementById("now").textContent = now;
}

function offerSteps() {
  const steps = [["1 hour", 3600], ["1 day", 86400], ["1 week", 604800]];
  for (const [name, seconds] of steps) {
    const step = element("button", { textContent: `+ ${name}` });
    step.onclick = async () => {
      await ask("/local/clock", { method: "POST", body: { advance_s: seconds } });
      await showClock();
    };
    document.getElementById("steps").append(step);
  }
}

async function showCounts() {
  const [clubs, events, mails] = await Promise.all([
    ask("/api/clubs/?ordering=alphabetical&page_size=5"),
    ask("/api/events/?page_size=1"),
    ask("/local/mail.json"),
  ]);
  // A name may be written from right to left; the marks keep it apart from the rest.
  const names = clubs.results.map((club) => `\u2068${club.name}\u2069`).join(", ");
  document.getElementById("there").textContent = clubs.count
    ? `${clubs.count} clubs (${names} …) and ${events.count} events that have not ended.`
    : "No clubs yet. Start without --empty to get the demo campus.";
  document.getElementById("mail-count").textContent = `(${mails.length} mails)`;
}

document.querySelectorAll(".origin").forEach((place) => (place.textContent = location.origin));
offerSteps();
await Promise.all([showPeople(), showClock(), showCounts()]);
document.body.dataset.ready = "true";
