// `/door/{showing}/`: lets people in, by the codes of their tickets, with a network or without.

import { html, useEffect, useMemo, useRef, useSignal } from "../parts/kit.js";
import { call, isReached, learn, now, remove } from "../parts/api.js";
import { person } from "../parts/auth.js";
import { Camera } from "../parts/camera.js";
import { makeDoor } from "../parts/door_scans.js";
import { remembered, unremember } from "../parts/offline.js";
import { url } from "../parts/path.js";
import { address, link } from "../parts/router.js";
import { typedStore } from "../parts/store.js";
import { clock, moment, t } from "../parts/texts.js";
import { finder } from "../parts/words.js";
import { Action, Empty, Icon, Problem, Skeleton, Title, say } from "../parts/ui.js";

/** `call` without types, for the parts of a list. @type {any} */
const ask = call;
/** What is not sent yet is tried again after this time; what others did is asked for after this. */
const [AGAIN_MS, OTHERS_MS] = [5000, 120_000];
/** So many people are found at once. */
const FOUND = 8;

export default function Door({ showing: id }) {
  const { query } = address.value;
  const [club, event] = [query.get("club") ?? "", query.get("event") ?? ""];
  if (!club || !event)
    return html`<${Title}>${t("door")}<//><${Empty} icon="qr-code"><p>${t("door.where")}</p>
      <p><a class="button" href=${link("/")}>${t("nav.home")}</a></p><//>`;
  return html`<${Entrance} key=${id} club=${club} event=${event} id=${id} />`;
}

/** Of a ticket, what a door needs. Who may not enter has no name here. */
const compact = (one) => ({
  id: one.id,
  state: one.state,
  type: one.type.name,
  name: (one.state !== "cancelled" && one.holder?.name) || "",
  username: (one.state !== "cancelled" && one.holder?.username) || "",
  checked_in_at: one.checked_in_at,
  code_version: one.code_version,
});

/** The list and the keys of a showing, part by part. */
async function listOf(path) {
  const [keys, sale, event] = await Promise.all([
    ask("GET", "/receipts/jwks.json"),
    ask("GET", path),
    ask("GET", path.replace(/showings\/.*/, "")),
  ]);
  const tickets = [];
  for (let next = `${path}tickets/?limit=500`; next; ) {
    const answer = await ask("GET", next);
    tickets.push(...answer.data.map(compact));
    next = answer.next;
  }
  const start = sale.data.start_time;
  return { tickets, keys: keys.data.keys, name: event.data.name, start, at: now() };
}

/**
 * The door of a showing: its list is loaded, kept, and loaded again from time to time.
 * @param {import("../api").OfShowing} path
 * @param {string} id
 */
function useDoor(path, id) {
  const place = `/door/${id}/`;
  const list = useSignal(/** @type {any} */ ({ about: null, error: null }));
  const number = useRef(0);
  const door = useMemo(
    () =>
      makeDoor({
        showing: id,
        store: typedStore(person(), `door-${id}`),
        send: async ({ key, at, ticket, text }) => {
          const body = text ? { code: text, at } : { ticket, at };
          const sent = await call("POST", `${path}checkins/`, { body, key, tries: 1, limit: 8000 });
          return sent.data;
        },
        takeBack: (ticket) => remove(`${path}checkins/${ticket}/`),
        isOnline: () => isReached.value && navigator.onLine,
        now,
        pause: (ms) => new Promise((done) => setTimeout(() => done(null), ms)),
        ring,
        alarm: (one) => say(`${one.name || one.ticket}: ${words(one)}`, "problem"),
      }),
    [],
  );
  const load = async () => {
    const own = ++number.current;
    const began = now();
    try {
      const found = await listOf(path);
      if (own !== number.current) return;
      door.take(found, began);
      list.value = { about: found, error: null };
      learn(place, { ...found, tickets: door.all() });
    } catch (error) {
      if (own !== number.current) return;
      const isGone = [403, 404].includes(error.status);
      if (isGone) void unremember(person(), place);
      list.value = { about: isGone ? null : list.value.about, error };
    }
  };
  useEffect(() => {
    let asked = now();
    // What was kept is there at once, and is all there is without a network.
    remembered(person(), place).then((old) => {
      if (old && !list.value.about) {
        door.take(old.data, now());
        list.value = { about: old.data, error: null };
      }
      return load();
    });
    const look = async () => {
      const sent = await door.flush();
      const { about } = list.value;
      if (sent > 0 && about) learn(place, { ...about, tickets: door.all() });
      const isLong = now() - asked > OTHERS_MS && document.visibilityState === "visible";
      if (!(sent > 0 || (isLong && isReached.value))) return;
      asked = now();
      await load();
    };
    const timer = setInterval(look, AGAIN_MS);
    addEventListener("online", look);
    return () => {
      clearInterval(timer);
      removeEventListener("online", look);
    };
  }, []);
  // What was answered at once is kept, too.
  const { inside } = door.state.value;
  useEffect(() => {
    const { about } = list.value;
    if (about) learn(place, { ...about, tickets: door.all() });
  }, [inside]);
  return { door, load, ...list.value };
}

/** The entrance: the camera, a field, what was said last, and who was let in here. */
function Entrance({ club, event, id }) {
  const path = url`/clubs/${club}/events/${event}/showings/${id}/`;
  const { door, load, about, error } = useDoor(path, id);
  const typed = useSignal("");
  const back = link(url`/clubs/${club}/events/${event}/showings/${id}/`);
  const { tickets, inside, last } = door.state.value;
  if (!about) {
    if (error) return html`<${Problem} error=${error} retry=${load} isPage />`;
    return html`<${Title}>${t("door")}<//><${Skeleton} lines=${5} />`;
  }
  const search = typed.value.trim();
  const has = finder(search);
  const isIn = (one) => has(`${one.name} ${one.username}`);
  const found = search ? tickets.filter(isIn).slice(0, FOUND) : [];
  const write = (input) => (typed.value = input.currentTarget.value);
  const isCode = search.length > 100;
  const enter = (submit) => {
    submit.preventDefault();
    if (!isCode) return;
    typed.value = "";
    void door.scan({ text: search.toUpperCase() });
  };
  const letIn = (one) => () => {
    typed.value = "";
    return door.scan({ ticket: one.id }).then(() => false);
  };
  const valid = tickets.filter((one) => one.state === "valid").length;
  return html`<div class="door"><p class="flat"><a class="back" href=${back}><${Icon}
      name="chevron-left" /> ${t("sale")}</a></p>
    <${Title} name=${t("door")}>${about.name}<//>
    <p class="quiet flat">${moment(about.start)} · ${t("door.inside", { n: inside, all: valid })}</p>
    <${Said} verdict=${last} />
    <${Camera} read=${(text) => door.scan({ text })} begin=${wake} />
    <form onSubmit=${enter}><div class="field"><label for="door-words">${t("door.words")}</label>
      <input id="door-words" autocomplete="off" autocapitalize="none" spellcheck="false"
        value=${typed.value} onInput=${write} /></div>
    </form>
    <ul class="list">${found.map(
      (one) => html`<li class="person line" key=${one.id}><span>${one.name}
        <span class="quiet small">${one.username} · ${one.type}</span></span>
      <span class="push"><${Action} run=${letIn(one)}
        label=${`${t("door.let_in")}: ${one.name}`}>${t("door.let_in")}<//></span></li>`,
    )}</ul>
    ${search && found.length === 0 && !isCode && html`<p class="quiet">${t("door.nobody")}</p>`}
    <${Log} ...${{ door, about, load }} /></div>`;
}

/** What is said of a scan, in words. */
const words = (one) => one.about ?? t(`door.${one.why}`, { time: one.at ? clock(one.at) : "" });

/** What was said last: a colour, a sign and words that one reads in the dark. */
function Said({ verdict }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [verdict?.number]);
  const signs = { in: "check", again: "history", bad: "x", asking: "clock" };
  return html`<div class=${`said ${verdict?.kind ?? ""}`} role="status" aria-live="assertive"
    ref=${place}>${
      verdict
        ? html`<${Icon} name=${signs[verdict.kind]} /><div><b>${words(verdict)}</b>
          <p class="flat">${[verdict.name, verdict.type].filter(Boolean).join(" · ")}</p></div>`
        : html`<p class="flat">${t("door.ready")}</p>`
    }</div>`;
}

/** Who was let in here, and what is not sent yet. */
function Log({ door, about, load }) {
  const { log, open } = door.state.value;
  return html`<section><h2>${t("door.log")}</h2>
    <p class="quiet" role="status">${open ? t("door.unsent", { n: open }) : t("door.sent")}
      ${" "}${t("door.list", { time: moment(new Date(about.at).toISOString()) })}
      <${Action} className="plain" run=${load}><${Icon} name="refresh-cw" /> ${t("door.reload")}<//></p>
    <ul class="list">${log.map(
      (one) => html`<li class="person line" key=${one.key}><span>${clock(one.at)} ${
        one.name || one.ticket
      }
        <span class=${`small ${one.kind === "bad" ? "problem" : "quiet"}`}> ${words(one)}</span></span>
        ${
          one.kind === "in" &&
          html`<span class="push"><${Action} className="plain" run=${() => door.undo(one.ticket)}
          label=${`${t("undo")}: ${one.name || one.ticket}`}><${Icon} name="undo-2" />
          ${t("undo")}<//></span>`
        }</li>`,
    )}</ul></section>`;
}

let sounds;
/** Sounds are allowed after a press only. */
function wake() {
  try {
    sounds ??= new AudioContext();
    void sounds.resume();
  } catch {
    // A browser without sound shows the colours.
  }
}
/** A sound and a movement for each answer: high for in, twice for again, low for bad. */
function ring({ kind }) {
  navigator.vibrate?.({ in: 80, again: [80, 80, 80], bad: 400 }[kind] ?? 0);
  const tones = {
    in: [[880, 0, 0.12]],
    again: [
      [440, 0, 0.1],
      [440, 0.16, 0.1],
    ],
    bad: [[180, 0, 0.45]],
  };
  for (const [pitch, after, length] of (sounds && tones[kind]) ?? []) {
    const tone = sounds.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(sounds.destination);
    tone.start(sounds.currentTime + after);
    tone.stop(sounds.currentTime + after + length);
  }
}
