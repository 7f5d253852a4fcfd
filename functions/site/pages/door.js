// `/door/{showing}/`: lets people in, by the codes of their tickets, with a network or without.

import { html, useEffect, useMemo, useRef, useSignal } from "../parts/kit.js";
import { call, isReached, learn, now, remove } from "../parts/api.js";
import { person } from "../parts/auth.js";
import { Camera } from "../parts/camera.js";
import { answered, decide, readCode } from "../parts/door.js";
import { remembered } from "../parts/offline.js";
import { url } from "../parts/path.js";
import { isFinal } from "../parts/request.js";
import { address, link } from "../parts/router.js";
import { typedStore } from "../parts/store.js";
import { clock, moment, t } from "../parts/texts.js";
import { finder } from "../parts/words.js";
import { Action, Empty, Icon, Problem, Skeleton, Title } from "../parts/ui.js";

/** `call` without types, for the parts of a list. @type {any} */
const ask = call;
/** What is not sent yet is tried again after this time. */
const AGAIN_MS = 5000;
/** An answer that takes longer is not waited for. */
const PATIENCE_MS = 2500;
/** So many people are found at once, and so many that were let in are listed. */
const [FOUND, LISTED] = [8, 20];

export default function Door({ showing: id }) {
  const { query } = address.value;
  const [club, event] = [query.get("club") ?? "", query.get("event") ?? ""];
  if (!club || !event)
    return html`<${Title}>${t("door")}<//><${Empty} icon="qr-code"><p>${t("door.where")}</p>
      <p><a class="button" href=${link("/")}>${t("nav.home")}</a></p><//>`;
  return html`<${Entrance} key=${id} club=${club} event=${event} id=${id} />`;
}

/** Of a ticket, what a door needs. It is kept in the browser of the officer. */
const compact = (one) => ({
  id: one.id,
  state: one.state,
  type: one.type.name,
  name: one.holder?.name ?? "",
  username: one.holder?.username ?? "",
  checked_in_at: one.checked_in_at,
  code_version: one.code_version,
});

/** The tickets of a showing and the keys of the service: loaded once, and kept for later. */
function useTickets(path, id) {
  const place = `/door/${id}/`;
  const state = useSignal(/** @type {any} */ ({ tickets: null, error: null }));
  const load = async () => {
    try {
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
      const { start_time: start } = sale.data;
      const kept = { tickets, keys: keys.data.keys, name: event.data.name, start, at: now() };
      learn(place, kept);
      state.value = { ...kept, error: null };
    } catch (error) {
      state.value = { ...state.value, error };
    }
  };
  useEffect(() => {
    // What was kept is there at once, and is all there is without a network.
    remembered(person(), place).then((old) => {
      if (old && !state.value.tickets) state.value = { ...old.data, error: null };
      return load();
    });
  }, []);
  return { ...state.value, load };
}

/** The entrance: the camera, a field, what was said last, and who was let in here. */
function Entrance({ club, event, id }) {
  const path = url`/clubs/${club}/events/${event}/showings/${id}/`;
  const list = useTickets(path, id);
  const store = useMemo(() => typedStore(person(), `door-${id}`), []);
  const scans = useScans({ path, id, list, store });
  const words = useSignal("");
  const back = link(url`/clubs/${club}/events/${event}/showings/${id}/`);
  if (!list.tickets) {
    if (list.error) return html`<${Problem} error=${list.error} retry=${list.load} isPage />`;
    return html`<${Title}>${t("door")}<//><${Skeleton} lines=${5} />`;
  }
  const typed = words.value.trim();
  const has = finder(typed);
  const found = typed
    ? list.tickets.filter((one) => has(`${one.name} ${one.username}`)).slice(0, FOUND)
    : [];
  const write = (input) => (words.value = input.currentTarget.value);
  const enter = (submit) => {
    submit.preventDefault();
    if (typed.length < 100) return;
    words.value = "";
    void scans.scan({ text: typed.toUpperCase() });
  };
  const inside = list.tickets.filter((one) => scans.since(one.id)).length;
  const valid = list.tickets.filter((one) => one.state === "valid").length;
  return html`<div class="door"><p class="flat"><a class="back" href=${back}><${Icon}
      name="chevron-left" /> ${t("sale")}</a></p>
    <${Title} name=${t("door")}>${list.name}<//>
    <p class="quiet flat">${moment(list.start)} · ${t("door.inside", { n: inside, all: valid })}</p>
    <${Said} verdict=${scans.last} />
    <${Camera} read=${(text) => scans.scan({ text })} />
    <form onSubmit=${enter}><div class="field"><label for="door-words">${t("door.words")}</label>
      <input id="door-words" autocomplete="off" autocapitalize="none" spellcheck="false"
        value=${words.value} onInput=${write} /></div>
    </form>
    <ul class="list">${found.map(
      (one) => html`<li class="person line" key=${one.id}><span>${one.name}
        <span class="quiet small">${one.username} · ${one.type}</span></span>
      <span class="push"><${Action} run=${() => {
        words.value = "";
        return scans.scan({ ticket: one.id }).then(() => false);
      }} label=${`${t("door.let_in")}: ${one.name}`}>${t("door.let_in")}<//></span></li>`,
    )}</ul>
    ${typed && found.length === 0 && typed.length < 100 && html`<p class="quiet">${t("door.nobody")}</p>`}
    <${Log} ...${{ scans, list }} /></div>`;
}

/**
 * What was scanned here: said at once, kept until it is sent, and sent.
 * @param {{path: import("../api").OfShowing, id: string, list: any, store: import("../parts/store.js").Store}} props
 */
function useScans({ path, id, list, store }) {
  const log = useSignal(/** @type {any[]} */ ([]));
  const last = useSignal(/** @type {any} */ (null));
  const open = useSignal(Object.keys(store.all()).length);
  const sending = useRef(new Map());
  const own = (ticket) => log.value.find((one) => one.ticket === ticket && one.kind === "in");
  const pending = (ticket) => Object.values(store.all()).find((one) => one.ticket === ticket);
  const of = (ticket) => list.tickets?.find((one) => one.id === ticket);
  const since = (ticket) =>
    of(ticket)?.checked_in_at ?? own(ticket)?.at ?? pending(ticket)?.at ?? undefined;
  const forget = (key) => {
    store.remove(key);
    open.value = Object.keys(store.all()).length;
  };
  const note = (key, values) =>
    (log.value = log.value.map((one) => (one.key === key ? { ...one, ...values } : one)));
  /** Sends a scan. Returns what the service says; null if there was no answer. */
  const send = (scan) => {
    const running = sending.current.get(scan.key);
    if (running) return running;
    const { key, at, ticket, text } = scan;
    const body = text ? { code: text, at } : { ticket, at };
    const sent = ask("POST", `${path}checkins/`, { body, key, tries: 1, limit: 8000 })
      .then(({ data }) => {
        forget(key);
        const verdict = { ...answered(data), name: data.holder?.name ?? "" };
        note(key, verdict);
        return verdict;
      })
      .catch((error) => {
        if (!isFinal(error.status)) return null;
        forget(key);
        const verdict = { kind: "bad", why: "refused", about: error.message };
        note(key, verdict);
        return verdict;
      })
      .finally(() => sending.current.delete(key));
    sending.current.set(key, sent);
    return sent;
  };
  // What is not sent yet is sent in the order of the scans. Then the others' are asked for.
  useEffect(() => {
    const flush = async () => {
      const waiting = Object.values(store.all()).sort((a, b) => a.at.localeCompare(b.at));
      for (const scan of waiting) if ((await send(scan)) === null) return;
      if (waiting.length) await list.load();
    };
    const timer = setInterval(flush, AGAIN_MS);
    addEventListener("online", flush);
    void flush();
    return () => {
      clearInterval(timer);
      removeEventListener("online", flush);
    };
  }, []);
  const say = (verdict) => {
    last.value = { ...verdict, number: (last.value?.number ?? 0) + 1 };
    ring(verdict.kind);
  };
  const scan = async ({ text = "", ticket: chosen = "" }) => {
    const code = text ? await readCode(text, list.keys) : null;
    const ticket = code?.ticket ?? chosen;
    const known = of(ticket);
    const verdict = decide({
      code,
      isTyped: Boolean(chosen),
      showing: String(id),
      ticket: known,
      since: since(ticket),
    });
    const at = `${new Date(now()).toISOString().slice(0, 19)}Z`;
    const key = crypto.randomUUID();
    // Somebody else has it by now, whose name is not in the list.
    const isNew = verdict.why === "newer";
    const name = isNew ? "" : (known?.name ?? "");
    const entry = { ...verdict, key, ticket, at: verdict.at ?? at, type: known?.type ?? "", name };
    const isOnline = isReached.value && navigator.onLine;
    // Only who comes in is told to the service, and who may have left meanwhile.
    if (verdict.kind === "bad" || (verdict.kind === "again" && !isOnline)) {
      say(entry);
      return;
    }
    log.value = [entry, ...log.value].slice(0, LISTED);
    const kept = { key, at, ticket, text };
    store.set(key, kept);
    open.value = Object.keys(store.all()).length;
    const late = new Promise((done) => setTimeout(() => done(null), PATIENCE_MS));
    const told = isOnline ? await Promise.race([send(kept), late]) : null;
    // Without an answer, what the device knows is what counts.
    say(told ? { ...entry, ...told, at: told.at ?? entry.at } : entry);
  };
  const undo = (one) => async () => {
    await remove(`${path}checkins/${one.ticket}/`);
    log.value = log.value.filter((other) => other.ticket !== one.ticket);
    last.value = null;
    await list.load();
  };
  return { scan, since, undo, log: log.value, last: last.value, open: open.value };
}

/** What was said last: a colour, a sign and words that one reads in the dark. */
function Said({ verdict }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [verdict?.number]);
  const signs = { in: "check", again: "history", bad: "x" };
  return html`<div class=${`said ${verdict?.kind ?? ""}`} role="status" aria-live="assertive"
    ref=${place}>${
      verdict
        ? html`<${Icon} name=${signs[verdict.kind]} /><div><b>${t(`door.${verdict.why}`, {
            time: verdict.at ? clock(verdict.at) : "",
          })}</b>
          <p class="flat">${[verdict.name, verdict.type].filter(Boolean).join(" · ")}</p>
          ${verdict.about && html`<p class="flat">${verdict.about}</p>`}</div>`
        : html`<p class="flat">${t("door.ready")}</p>`
    }</div>`;
}

/** Who was let in here, and what is not sent yet. */
function Log({ scans, list }) {
  return html`<section><h2>${t("door.log")}</h2>
    <p class="quiet" role="status">${
      scans.open ? t("door.unsent", { n: scans.open }) : t("door.sent")
    } ${t("door.list", { time: clock(new Date(list.at).toISOString()) })}
      <${Action} className="plain" run=${list.load}><${Icon} name="refresh-cw" /> ${t("door.reload")}<//></p>
    <ul class="list">${scans.log.map(
      (
        one,
      ) => html`<li class="person line" key=${one.key}><span>${clock(one.at)} ${one.name || one.ticket}
        <span class=${`small ${one.kind === "bad" ? "problem" : "quiet"}`}> ${t(`door.${one.why}`, {
          time: clock(one.at),
        })}</span></span>
        ${
          one.kind === "in" &&
          html`<span class="push"><${Action} className="plain" run=${scans.undo(one)}
          label=${`${t("undo")}: ${one.name || one.ticket}`}><${Icon} name="undo-2" /> ${t("undo")}<//></span>`
        }</li>`,
    )}</ul></section>`;
}

let sounds;
/** A sound and a movement for each answer: high for in, twice for again, low for bad. */
function ring(kind) {
  navigator.vibrate?.({ in: 80, again: [80, 80, 80], bad: 400 }[kind]);
  try {
    sounds ??= new AudioContext();
    const tones = {
      in: [[880, 0, 0.12]],
      again: [
        [440, 0, 0.1],
        [440, 0.16, 0.1],
      ],
      bad: [[180, 0, 0.45]],
    };
    for (const [pitch, after, length] of tones[kind]) {
      const tone = sounds.createOscillator();
      tone.frequency.value = pitch;
      tone.connect(sounds.destination);
      tone.start(sounds.currentTime + after);
      tone.stop(sounds.currentTime + after + length);
    }
  } catch {
    // A browser without sound shows the colours.
  }
}
