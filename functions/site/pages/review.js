// `/clubs/{club}/applications/{application}/review/`: one applicant at a time on the whole page,
// with keys for the next one, for scores and for decisions.

import { html, signal, useEffect, useMemo, useRef, useSignal } from "../parts/kit.js";
import { call, now, post } from "../parts/api.js";
import { Answers } from "../parts/apply_ends.js";
import { loaded, useLoad } from "../parts/load.js";
import { url } from "../parts/path.js";
import { Review, Unsent, scoreEarly, sendEarly, useUnsent } from "../parts/review.js";
import { address, link, setQuery } from "../parts/router.js";
import { STATUSES, isErased, nameOf, useSubmissions } from "../parts/submissions.js";
import { filesOf, openFile } from "../parts/submitted_files.js";
import { t } from "../parts/texts.js";
import { Undelivered } from "../parts/undelivered.js";
import {
  Action,
  Chip,
  Dialog,
  Empty,
  Icon,
  Problem,
  Skeleton,
  Time,
  Title,
  say,
} from "../parts/ui.js";
import { Form } from "../parts/form.js";

const REASON = () => [
  {
    name: "reason",
    label: t("applicant.reason"),
    kind: "area",
    hint: t("applicant.reason.hint"),
  },
];

/** The keys of this page, and what they do. */
const KEYS = [
  ["J", "next"],
  ["K", "previous"],
  ["1 – 5", "reviews.score"],
  ["A", "status.4"],
  ["R", "status.2"],
  ["C", "reviews.comment"],
  ["F", "file.next"],
  ["?", "review.keys"],
];

/** Whether single keys score and decide. Who speaks to the browser may switch that off. */
const hasKeys = signal(localStorage.getItem("keys") !== "off");
function useKeys(on) {
  hasKeys.value = on;
  localStorage.setItem("keys", on ? "on" : "off");
}

/** Whether the overlay with the keys is open. */
const isHelp = signal(false);

/** The keys in the head of the page, and an overlay that says what they do. */
function Keys() {
  const close = () => (isHelp.value = false);
  useEffect(() => () => void (isHelp.value = false), []);
  return html`<button class="plain push keys" onClick=${() => (isHelp.value = true)}><span
      class="hidden">${t("review.keys")}: </span>${["J", "K", "1–5", "A", "R", "?"].map(
        (key) => html`<kbd key=${key}>${key}</kbd>`,
      )}</button>
    ${
      isHelp.value &&
      html`<${Dialog} label=${t("review.keys")} close=${close}>
        <dl class="keys-list">${KEYS.map(
          ([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${t(text)}</dd>`,
        )}</dl>
        <p><label class="check"><input type="checkbox" checked=${hasKeys.value}
          onChange=${(event) => useKeys(event.currentTarget.checked)} /> ${t("review.keys.on")}
            </label></p>
        <p class="flat"><button onClick=${close}>${t("close")}</button></p>
          <//>`
    }`;
}

export default function ReviewMode({ club, application: id }) {
  const table = url`/clubs/${club}/applications/${id}/`;
  const application = useLoad(table);
  const { state, change, load } = useSubmissions(club, id);
  useUnsent((of, score) => change(new Set([of]), { my_score: score }));
  const query = address.value.query;
  const [committee, only] = [query.get("committee") ?? "", query.get("only") ?? "open"];
  const { all, isComplete, loads, error } = state.value;
  const loadsBefore = useMemo(() => loads, []);
  const open = query.get("open");
  // Who was reviewed stays in the list until somebody comes back: nothing moves under the hand.
  // Of a part of the list, nobody is shown: with the next part, it would be another person.
  const stay = useRef({ of: "", ids: new Set() });
  const queue = useMemo(() => {
    const of = `${committee} ${only}`;
    if (stay.current.of !== of) stay.current = { of, ids: new Set() };
    const fits = (one) =>
      (!committee || String(one.committee?.id ?? "none") === committee) &&
      (only === "all" ||
        (one.status === 1 && (only === "undecided" || one.my_score === null)) ||
        String(one.id) === open);
    const ids = (isComplete ? all : [])
      .filter((one) => fits(one) || stay.current.ids.has(one.id))
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
      .map((one) => one.id);
    for (const id of ids) stay.current.ids.add(id);
    return ids;
  }, [isComplete, loads, committee, only]);
  const byId = useMemo(() => new Map(all.map((one) => [one.id, one])), [all]);
  // Who is named in the address does not wait for the list.
  const named =
    open && !isComplete ? url`/clubs/${club}/applications/${id}/submissions/${open}/` : "";
  const direct = useLoad(named);
  const people = isComplete
    ? queue.map((one) => byId.get(one)).filter((one) => one !== undefined)
    : direct.data
      ? [direct.data]
      : [];
  const at = open ? people.findIndex((one) => String(one.id) === open) : 0;
  const one = people[at];
  // Who is shown stands in the address. If they withdraw, nobody takes their place unasked.
  useEffect(() => {
    if (!open && one) setQuery({ open: one.id });
  }, [open, one?.id]);
  // Keys act on the applicant that is shown, even before the effects of the last change have run.
  const press = useRef((_event) => {});
  useEffect(() => {
    const listen = (event) => press.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  if (!one) press.current = () => {};
  const go = (to) => people[to] && setQuery({ open: people[to].id });
  const reviewed = all.filter((other) => other.my_score !== null).length;
  const move = (to, icon, name) => html`<button onClick=${() => go(to)} disabled=${!people[to]}
    aria-label=${t(name)}><${Icon} name=${icon} /></button>`;
  return html`<div class="dense"><div class="head"><div aria-live="polite"><p class="flat">
    <a class="back" href=${link(table)}><${Icon} name="chevron-left" />${
      application.data?.name ?? t("submissions")
    }</a></p>
        <${Title} name=${t("review")}>${one ? nameOf(one) : t("review")}<//></div>
      <span class="push line small quiet">
        ${isComplete && t("review.count", { n: reviewed, all: all.length })}
        <span class="meter wide"><i
          style=${{ width: `${all.length ? (100 * reviewed) / all.length : 0}%` }}></i></span>
            </span></div>
    <div class="chips two-filters"><select aria-label=${t("review.show")} value=${only}
      onChange=${(event) => setQuery({ only: event.currentTarget.value, open: "" })}>
        <option value="open">${t("submissions.unreviewed")}</option>
        <option value="undecided">${t("submissions.duty.undecided")}</option>
        <option value="all">${t("all")}</option></select>
      ${
        Boolean(application.data?.committees.length) &&
        html`<select aria-label=${t("apply.committee")} value=${committee}
          onChange=${(event) => setQuery({ committee: event.currentTarget.value, open: "" })}>
        <option value="">${t("apply.committee")}: ${t("all")}</option><option value="none">
          ${t("apply.committee.none")}</option>
        ${application.data?.committees.map(
          (other) => html`<option value=${other.id}>${other.name}
          </option>`,
        )}</select>`
      }
      <span class="thumb">${move(at - 1, "chevron-left", "previous")}
        <span class="small quiet" role="status">
        ${one && isComplete && t("review.place", { n: at + 1, all: people.length })}
        ${!isComplete && `${t("loading")} …`}</span>
        ${move(at + 1, "chevron-right", "next")}</span><${Keys} /></div></div>
    ${error && html`<${Problem} error=${error} retry=${load} />`}
    <${Unsent} />
    ${
      !one && (!isComplete || (loads === loadsBefore && !error))
        ? html`<${Skeleton} lines=${8} />`
        : !one
          ? html`<${Empty} icon=${open ? "circle-alert" : "circle-check"}>
            <p>${t(open ? "review.gone" : "review.done")}</p><p><a class="button"
            href=${link(table)}>${t("submissions")}</a></p><//>`
          : html`<${Applicant} key=${one.id} one=${one}
            path=${url`/clubs/${club}/applications/${id}/submissions/${one.id}/`} people=${people}
              at=${at} go=${go} press=${press}
          changed=${(values) => change(new Set([one.id]), values)}
          isOpen=${Date.parse(application.data?.application_end_time ?? "") > now()} />`
    }`;
}

/**
 * @param {object} props
 * @param {any} props.one
 * @param {import("../api").OfSubmission} props.path
 * @param {any[]} props.people
 * @param {number} props.at
 * @param {(to: number) => any} props.go
 * @param {(values: any) => any} props.changed
 * @param {any} props.press
 * @param {boolean} props.isOpen
 */
function Applicant({ one, path, people, at, go, changed, press, isOpen }) {
  // The list has the answers. They change while the application is open.
  const submission = useLoad(isOpen ? path : "");
  const found = submission.data ?? one;
  /** Rises with each write, so that a read that was sent before it changes nothing after it. */
  const writes = useRef(0);
  const take = (answer) => {
    submission.take(answer);
    changed(answer.data);
    return answer;
  };
  const read = async () => {
    const before = writes.current;
    const answer = await call("GET", path);
    return before === writes.current ? take(answer) : answer;
  };
  const write = async (body, etag) => {
    const answer = await call("PATCH", path, { body, etag });
    writes.current += 1;
    return take(answer).data;
  };
  const again = async () => (await read()).data;
  const review = useRef(/** @type {any} */ (null));
  /** The tag of what was seen: what changed meanwhile is shown, and not overwritten. */
  const tagOf = async (seen) => {
    const { data, etag } = await read();
    const isSame = ["status", "reason", "revision"].every((field) => data[field] === seen[field]);
    // As the API says it, so that a form shows both versions.
    if (!isSame) throw Object.assign(new Error(t("review.changed")), { status: 412 });
    return etag;
  };
  const explain = async (body) => write(body, submission.etag || (await tagOf(found)));
  const set = async (status, seen, known = "") => {
    const etag = known || (await tagOf(seen));
    try {
      return await write({ status }, etag);
    } catch (error) {
      if (error.status !== 412) throw error;
      // A review changes it, too.
      return set(status, seen);
    }
  };
  /** One decision at a time: a second one would see what was before the first. */
  const isDeciding = useRef(false);
  const decide = (status) => async () => {
    if (isDeciding.current || isErased(found)) return false;
    isDeciding.current = true;
    const before = found.status;
    try {
      const decided = await set(status, found, submission.etag);
      say(t("review.decided", { name: nameOf(found), status: t(`status.${status}`) }), "done", () =>
        set(before, decided).then(() => say(t("undone"))),
      );
    } finally {
      isDeciding.current = false;
    }
  };
  const [a, r] = [decide(4), decide(2)];
  useEffect(() => sendEarly, []);
  /** The key opens one file after the other. */
  const opened = useRef(0);
  const nextFile = () => {
    const files = filesOf(found);
    if (files.length) return openFile(found, files[opened.current++ % files.length]);
  };
  const keys = {
    j: () => go(at + 1),
    k: () => go(at - 1),
    a,
    r,
    c: () => review.current?.focus(),
    f: nextFile,
    "?": () => (isHelp.value = true),
  };
  press.current = (event) => {
    const typing = /** @type {Element} */ (event.target).closest(
      "input, textarea, select, [contenteditable]",
    );
    if (event.key === "Escape" && typing) /** @type {HTMLElement} */ (typing).blur();
    // Behind the overlay, nothing is decided.
    if (isHelp.value || typing || event.repeat || event.metaKey || event.ctrlKey || event.altKey)
      return;
    const score = () => {
      if (review.current) return review.current.score(Number(event.key));
      if (isErased(found)) return undefined;
      // The review of who was just opened is still on its way.
      scoreEarly(path, Number(event.key));
      changed({ my_score: Number(event.key) });
    };
    const run = /^[1-5]$/.test(event.key) ? score : keys[event.key.toLowerCase()];
    if (!run || (!hasKeys.value && event.key !== "?")) return;
    event.preventDefault();
    Promise.resolve(run()).catch((error) => say(error.message, "problem"));
  };
  return html`<div class="review">
    <nav class="who" aria-label=${t("submissions")}><ol class="people">${people
      .slice(Math.max(0, at - 6), at + 14)
      .map(
        (other) => html`<li key=${other.id}>
      <button aria-current=${other.id === one.id ? "true" : undefined}
        onClick=${() => go(people.indexOf(other))}><span class="cut">${nameOf(other)}</span><span
          class="quiet">${other.my_score ?? "–"}</span></button></li>`,
      )}</ol></nav>
    <section aria-label=${t("applicant")}>
      <p class="line quiet small">${
        found.user?.email &&
        html`<a
        href=${`mailto:${encodeURIComponent(found.user.email).replace("%40", "@")}`}>
          ${found.user.email}</a> ·${" "}`
      }
        ${found.committee?.name ?? t("apply.committee.none")} · ${t("applications.sent")} <${Time}
          at=${found.submitted_at} />
        ${
          found.revision > 1 &&
          html`<${Chip} icon="history">
          ${t("review.revision", { n: found.revision })}<//>`
        }
        ${
          found.changed_after_decision &&
          html`<${Chip} kind="warn" icon="pencil">${t("review.newer")}<//>`
        }</p>
      <${Undelivered} of=${found.undelivered}
        again=${() => post(`${path}resend/`).then(read)} />
      <${Answers} submission=${found} /><${History} path=${path} /></section>
    <div class="decide">${
      isErased(found)
        ? html`<p class="quiet">${t("review.erased")}</p>`
        : html`<${Review} path=${path} handle=${review} changed=${changed} read=${read} />
      <h2>${t("applicant.decision")}</h2>
      <div class="decisions" role="group" aria-label=${t("applicant.decision")}>${STATUSES.map(
        (status) => html`
        <${Action} key=${status} run=${decide(status)} pressed=${found.status === status}>
          ${t(`status.${status}`)}
          ${status === 4 && html`<kbd>A</kbd>`}${status === 2 && html`<kbd>R</kbd>`}<//>`,
      )}</div>
      <p class="quiet small">${t("review.told")}</p>
      <details><summary>${t("applicant.reason")}${found.reason && ": …"}</summary><${Form}
        name=${`reason-${found.id}`}
          fields=${REASON()}
        data=${found}
          send=${explain} reload=${again} /></details>`
    }</div></div>`;
}

/**
 * Who decided what and when. It is loaded when it is opened.
 * @param {{path: import("../api").OfSubmission}} props
 */
function History({ path }) {
  const isOpen = useSignal(false);
  const history = useLoad(isOpen.value ? `${path}history/` : "");
  return html`<details onToggle=${(event) => (isOpen.value = event.currentTarget.open)}><summary>
    ${t("review.history")}</summary>
    ${
      isOpen.value &&
      loaded(
        history,
        (all) =>
          all.length === 0
            ? html`<p class="quiet">${t("none")}</p>`
            : html`<ul class="list">${all.map(
                (change) => html`<li key=${change.id} class="small">
      <${Time} at=${change.at} /> · ${change.by?.username ?? t("applicant.erased")}:
      ${" "}${Object.entries(change.changes)
        .map(([name, [from, to]]) =>
          name === "status"
            ? `${t(`status.${from}`)} → ${t(`status.${to}`)}`
            : `${t("applicant.reason")}: ${to || "–"}`,
        )
        .join(", ")}</li>`,
              )}</ul>`,
        2,
      )
    }</details>`;
}
