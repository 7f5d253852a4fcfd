// How long something is still open, by the clock of the service.

import { html, signal, useEffect } from "./kit.js";
import { now } from "./api.js";
import { t } from "./texts.js";
import { Chip } from "./ui.js";

const DAY = 86_400_000;
/** The time of the service, for everything on the page that counts down. */
export const ticks = signal(now());
let watchers = 0;
let timer;
function tick() {
  ticks.value = now();
  timer = setTimeout(tick, 1000);
}

/** Lets the page count down while it shows something that ends. */
export function useTicks() {
  useEffect(() => {
    if (watchers++ === 0) tick();
    return () => {
      if (--watchers === 0) clearTimeout(timer);
    };
  }, []);
}

/** A span of time in words, such as "3 h 12 min". */
export function span(ms) {
  const minutes = Math.floor(ms / 60_000);
  const [days, hours] = [Math.floor(ms / DAY), Math.floor(ms / 3_600_000)];
  if (days >= 2) return t("span.days", { n: days });
  if (hours >= 1) return t("span.hours", { h: hours, m: minutes % 60 });
  if (minutes >= 10) return t("span.minutes", { m: minutes });
  return t("span.seconds", { m: minutes, s: String(Math.floor(ms / 1000) % 60).padStart(2, "0") });
}

/** Until when something is open: quiet while there is time, a warning on the last day. */
export function Left({ until }) {
  useTicks();
  const left = Date.parse(until) - ticks.value;
  if (left <= 0) return html`<${Chip} kind="problem" icon="lock">${t("state.closed")}<//>`;
  const kind = left < DAY ? "warn" : "";
  return html`<${Chip} kind=${kind} icon="clock">${t("span.left", { span: span(left) })}<//>`;
}
