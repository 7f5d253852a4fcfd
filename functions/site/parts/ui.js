// What pages are made of.

import { Component, Fragment, html, signal, useEffect, useMemo, useRef, useSignal } from "./kit.js";
import { isReached, wait } from "./api.js";
import { hasEnded, signIn } from "./auth.js";
import { isFinal } from "./request.js";
import { link, unsaved } from "./router.js";
import { t, away, moment } from "./texts.js";

/**
 * What was done or went wrong, for eyes and for screen readers.
 * @typedef {{text: string, kind: string, at: number, undo: null | (() => any), of: any}} Notice
 */
const notices = signal(/** @type {Notice[]} */ ([]));
let fading;
const keepNotices = (stays) => (notices.value = notices.value.filter(stays));
const isProblem = (one) => one.kind === "problem";
/** More would cover the page. */
const MOST_PROBLEMS = 3;
/**
 * Tells a message until it is closed; what was done, for some seconds, beside what went wrong.
 * `undo` takes it back, and can be tried again if it fails. `of` is what failed.
 */
export function say(
  text,
  kind = "done",
  undo = /** @type {null | (() => any)} */ (null),
  of = /** @type {any} */ (null),
) {
  const back = async () => {
    try {
      await undo?.();
    } catch (error) {
      say(error.message, "problem", isFinal(error.status ?? 0) ? null : undo);
    }
  };
  const others = notices.value.filter((one) => one.text !== text);
  // Only a success takes the place of the one before, and of its undo.
  const done = kind === "done" ? [] : others.filter((one) => !isProblem(one)).slice(-1);
  notices.value = [
    ...others.filter(isProblem).slice(-MOST_PROBLEMS),
    ...done,
    { text, kind, at: Date.now(), undo: undo && back, of },
  ];
  if (kind !== "done") return;
  clearTimeout(fading);
  fading = setTimeout(() => keepNotices(isProblem), undo ? 60_000 : 6000);
}
/** Takes away what was said when this failed, after it has worked. What has an undo stays. */
export function forgetProblem(of) {
  keepNotices((one) => !isProblem(one) || one.undo || one.of !== of);
}
/** After a change of page, what was told before goes; what was told just now stays. */
export function leaveNotices() {
  keepNotices((one) => Date.now() - one.at <= 1000);
}

const SPRITE = new URL("../icons.svg", import.meta.url).href;
/** An icon beside a text that says the same. */
export const Icon = ({ name }) =>
  html`<svg class="icon" aria-hidden="true"><use href=${`${SPRITE}#${name}`} /></svg>`;

/** A hue of its own for each club, from its code. */
export function hueOf(code) {
  let hash = 2166136261;
  for (const sign of code) hash = Math.imul(hash ^ sign.charCodeAt(0), 16777619) >>> 0;
  return hash % 360;
}
/** The first letters of a name. */
export const initials = (name) => {
  const words = name.split(/[\s-]+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => [...word][0].toUpperCase())
    .join("");
};
/**
 * A picture in the size of a sign. Those that an earlier release stored have no small file (V14 of
 * `docs/behaviour.md`).
 */
export function Sign({ image, side, alt = "" }) {
  const whole = (event) => {
    if (event.currentTarget.src !== image) event.currentTarget.src = image;
  };
  return html`<img src=${image.replace("-600.", "-112.")} onError=${whole} alt=${alt} loading="lazy"
    width=${side} height=${side} />`;
}

/** The sign of a club: its picture, or its letters on its own colour. */
export function Mono({ code, name, image, size = "" }) {
  return html`<span class=${`mono ${size}`} style=${{ "--hue": hueOf(code) }} aria-hidden="true">
    ${image ? html`<${Sign} image=${image} side=${44} />` : initials(name)}</span>`;
}

/** A state with its colour, icon and word. */
export const Chip = ({ kind = "", icon, children }) =>
  html`<span class=${`chip ${kind}`}>${icon && html`<${Icon} name=${icon} />`}${children}</span>`;

/** A place where nothing is yet: what will be here, and the first step. */
export const Empty = ({ icon, children }) =>
  html`<div class="empty"><${Icon} name=${icon} />${children}</div>`;

/** Moves the focus to the heading of the page, unless somebody is in a field already. */
export function focusTitle() {
  const here = document.activeElement;
  const isTyping =
    here instanceof HTMLElement &&
    here.closest("main")?.contains(here) &&
    here.matches("input, textarea, select, [contenteditable]");
  if (!isTyping)
    /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus({
      preventScroll: true,
    });
}

/** Keeps the site from being left without a question while something is not stored. */
export function useUnsaved(isOpen) {
  const name = useMemo(() => ({}), []);
  useEffect(() => {
    if (isOpen) unsaved.add(name);
    return () => void unsaved.delete(name);
  }, [isOpen]);
}

/** Sets the title of the page, and moves the focus to its heading after a change of page. */
export function Title({ children, name }) {
  /** @type {{current: HTMLElement | null}} */
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${name ?? children} – ${t("app")}`;
  }, [name ?? children]);
  // Once: a title that comes late must not take the focus from a field.
  useEffect(() => focusTitle(), []);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

export function Skeleton({ lines }) {
  return html`<div class="skeleton" role="status" aria-label=${t("loading")}>
    ${Array.from({ length: lines }, () => html`<span></span>`)}
  </div>`;
}

/** @param {{error: any, retry?: () => any, isPage?: boolean}} props */
export function Problem({ error, retry, isPage }) {
  // Whoever is being erased may come back in a minute.
  const isErasing = error.code === "erasing";
  const titles = { 401: "signin", 404: "error.notfound.title", 403: "error.forbidden.title" };
  const title =
    isPage && html`<${Title}>${t((!isErasing && titles[error.status]) || "error.title")}<//>`;
  if (error.status === 401) {
    return html`${title}<div class="card"><p>${t("signin.needed")}</p>
      <p><${SignIn}>${t("signin")}<//></p></div>`;
  }
  const texts = { 404: t("error.notfound"), 403: t("error.forbidden") };
  const isFinal = error.status in texts && !isErasing;
  return html`${title}<div class="card" role="alert">
    <p class="problem">${(!isErasing && texts[error.status]) || error.message}</p>
    <p class="row">${retry && !isFinal && html`<button onClick=${retry}>${t("retry")}</button>`}
      ${isPage && html`<a class="button" href=${link("/")}>${t("nav.home")}</a>`}</p></div>`;
}

/** What fails while a page is drawn ends that page alone, with a message and a way on. */
export class Boundary extends Component {
  constructor() {
    super();
    this.state = { error: null };
  }

  static getDerivedStateFromError(error) {
    return { error };
  }

  render({ children }, { error }) {
    if (!error) return children;
    console.warn(error);
    return html`<${Title}>${t("error.title")}<//><div class="card" role="alert">
      <p class="problem">${t("error.page")}</p>
      <p class="row"><button onClick=${() => location.reload()}>${t("error.reload")}</button>
        <a class="button" href=${link("/")}>${t("nav.home")}</a></p></div>`;
  }
}

/** A moment with how far it is away. Deadlines name the zone. */
export function Time({ at, zoned }) {
  return html`<time datetime=${at} title=${away(at)}>${moment(at, { zoned })}</time>`;
}

/** A field with its label, and the messages of the API below it. */
export function Field({ label, errors, hint, children, id }) {
  const notes = `${id}-notes`;
  return html`<div class=${errors?.length ? "field wrong" : "field"}>
    <label for=${id}>${label}</label>
    ${children}
    <div id=${notes}>
      ${hint && html`<p class="quiet">${hint}</p>`}
      ${errors?.map((text) => html`<p class="message" role="alert">${text}</p>`)}
    </div>
  </div>`;
}

/** The last tap that did something: when, where, and on which button. */
let tapped = { at: 0, x: 0, y: 0, button: /** @type {any} */ (null), says: "" };
const whatSays = (button) => button.getAttribute("aria-label") ?? button.textContent;
/** Whether this is the second tap of two at one place, where another button is by now. */
function isSecond({ clientX: x, clientY: y, currentTarget: button }) {
  if (button === tapped.button && whatSays(button) === tapped.says) return false;
  return Date.now() - tapped.at < FRESH_MS && Math.hypot(x - tapped.x, y - tapped.y) < SAME_PX;
}

/**
 * A button that does something which takes time, and tells what went wrong. If the button is gone
 * afterwards, the focus is on the title of the page.
 */
export function Action(props) {
  const { run, children, className = "", done, disabled, isFresh, label, pressed } = props;
  const { type = "button" } = props;
  const busy = useSignal(false);
  const click = async (event) => {
    // A finger or a mouse may press by chance what has just appeared. A key does not.
    const isTap = event.detail > 0;
    if (busy.value || disabled || (isTap && (isFresh || isSecond(event)))) return;
    const began = Date.now();
    const { clientX: x, clientY: y, currentTarget: button } = event;
    if (isTap) tapped = { at: began, x, y, button, says: whatSays(button) };
    busy.value = true;
    try {
      const said = await run();
      if (said !== false) forgetProblem(busy);
      if (said !== false && done) say(typeof done === "function" ? done(said) : done);
    } catch (error) {
      if (error.code !== "superseded") say(error.message, "problem", null, busy);
    } finally {
      busy.value = false;
      setTimeout(() => document.activeElement === document.body && focusTitle(), 50);
    }
  };
  return html`<button
    type=${type}
    class=${className}
    aria-busy=${busy.value}
    aria-label=${label}
    aria-pressed=${pressed}
    aria-disabled=${disabled || isFresh ? "true" : undefined}
    onClick=${click}
  >${children}</button>`;
}

/** So long after it appeared, a button does nothing: it may be under a finger that taps twice. */
const FRESH_MS = 600;
/** A finger that taps twice hits a place of this size. */
const SAME_PX = 10;

/** Whether something appeared a moment ago. `what` is another value for another thing. */
export function useFresh(what) {
  const old = useSignal(/** @type {any} */ (undefined));
  useEffect(() => {
    const timer = setTimeout(() => (old.value = what), FRESH_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return old.value !== what;
}

/** A button that leads to the issuer, and back to this page or to another one. */
export const SignIn = ({ children, className = "main", to = /** @type {any} */ (undefined) }) =>
  html`<${Action} className=${className} run=${() => signIn(to)}>${children}<//>`;

/** A question before something that cannot be undone. */
export function confirmed(text) {
  return window.confirm(text);
}

export function Tags({ club }) {
  return html`<p class="tags">
    ${club.badges?.map(
      (badge) => html`<span class="badge"
      style=${{ "--badge": badge.color || "#666" }}>${badge.label}</span>`,
    )}
    ${club.tags?.map(
      (tag) => html`<a class="tag" href=${link(`/clubs/?tags=${tag.id}`)}>${tag.name}
      </a>`,
    )}
  </p>`;
}

/** Elements that do something to the page around them. */
const REFUSED = "base, embed, form, iframe, link, meta, object, script, style";

/** Whether a picture is one of this site. While an address is typed, it may be none at all. */
function isHere(source) {
  try {
    return new URL(source).origin === location.origin;
  } catch {
    return true;
  }
}

/** Makes a text of others fit for the page: its headings are below those of the page, and pictures
 * from elsewhere, which the page does not load, are links. */
function adapted(text) {
  const box = document.createElement("template");
  box.innerHTML = text;
  // The service lets none of these through; a template that is being written was not there yet.
  for (const one of box.content.querySelectorAll(REFUSED)) one.remove();
  for (const heading of box.content.querySelectorAll("h1, h2")) {
    const lower = document.createElement("h3");
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
  for (const image of box.content.querySelectorAll("img")) {
    const source = image.getAttribute("src") ?? "";
    if (!/^https?:/.test(source) || isHere(source)) continue;
    const anchor = Object.assign(document.createElement("a"), {
      href: source,
      rel: "noopener noreferrer",
      target: "_blank",
    });
    anchor.textContent = image.alt || t("rich.picture");
    image.replaceWith(anchor);
  }
  return box.content;
}

/** The API returns clean HTML: its cleaner lets no script, style or form through. */
export function Rich({ text }) {
  /** @type {{current: HTMLElement | null}} */
  const place = useRef(null);
  useEffect(() => place.current?.replaceChildren(adapted(text)), [text]);
  return html`<div class="rich" dir="auto" ref=${place}></div>`;
}

/** Tells that there is no network, or that the session ended. What is typed stays. */
export function Warnings() {
  const online = useSignal(navigator.onLine);
  useEffect(() => {
    const look = () => (online.value = navigator.onLine);
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return html`<${Fragment}>
    ${
      !(online.value && isReached.value)
        ? html`<p class="bar problem" role="alert">
          ${t(online.value ? "unreached" : "offline")}</p>`
        : wait.value.kind &&
          html`<p class="bar" role="status">${t(wait.value.kind, { n: wait.value.n })}</p>`
    }
    ${
      hasEnded.value &&
      html`<p class="bar problem" role="alert">${t("signin.ended")}
      <${SignIn} className="">${t("signin")}<//></p>`
    }
    <div class=${notices.value.length ? "told" : ""} role="status" aria-live="polite">
      ${notices.value.map(
        (one) => html`<div key=${one.at + one.text} class=${`bar ${one.kind}`}><${Icon}
          name=${isProblem(one) ? "circle-alert" : "circle-check"} />
        <span>${one.text}</span>
        ${
          one.undo &&
          html`<${Action} className="plain" run=${one.undo}><${Icon}
          name="undo-2" /> ${t("undo")}<//>`
        }
        <button class="round push" aria-label=${t("close")}
          onClick=${() => keepNotices((other) => other !== one)}><${Icon} name="x" /></button>
            </div>`,
      )}
    </div>
  <//>`;
}

/**
 * What is over: a list that is closed at first.
 * @param {{all: any[], show: (one: any) => any}} props
 */
export const Past = ({ all, show }) =>
  all.length > 0 &&
  html`<details class="card"><summary>${t("past", { n: all.length })}</summary>
    ${all.map(show)}</details>`;

/**
 * A dialog over the page, open as long as it is drawn. Escape closes it.
 * @param {{label: string, close: () => any, children?: any}} props
 */
export function Dialog({ label, close, children }) {
  const place = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => place.current?.showModal(), []);
  return html`<dialog ref=${place} aria-label=${label} onClose=${close}>
    <h2 class="flat">${label}</h2>${children}</dialog>`;
}
