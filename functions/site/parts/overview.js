// The recruitment in numbers: plots that are tables as well.

import { html } from "./kit.js";
import { useLoad } from "./load.js";
import { url } from "./path.js";
import { counted } from "./states.js";
import { dated, decimal, moment, t } from "./texts.js";

const [HOUR, DAY] = [3_600_000, 86_400_000];

/** Counts as bars. Each bar stands beside its number, so the table says the same. */
export function Bars({ caption, counts }) {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  return html`<table class="bars card"><caption>${caption}</caption><tbody>
    ${counts.map(
      ([label, count]) => html`<tr key=${label}>
      <th scope="row">${label}</th>
      <td aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect
        width=${(100 * count) / most} height="10" rx="1" /></svg></td>
      <td class="count">${count}</td>
    </tr>`,
    )}
  </tbody></table>`;
}

/** How many there were at the end of each day, or of each hour if it is only some days. */
function bySteps(all, end) {
  const times = all.map((one) => Date.parse(one.created_at)).sort((a, b) => a - b);
  if (times.length === 0) return [];
  const last = Math.min(Date.now(), Math.max(Date.parse(end), times.at(-1) ?? 0));
  const isShort = last - times[0] < 3 * DAY;
  const start = new Date(times[0]);
  start.setHours(isShort ? start.getHours() : 0, 0, 0, 0);
  const steps = [];
  let seen = 0;
  for (const step = new Date(start); step.getTime() <= last && steps.length < 400; ) {
    if (isShort) step.setTime(step.getTime() + HOUR);
    else step.setDate(step.getDate() + 1);
    while (seen < times.length && times[seen] < step.getTime()) seen++;
    steps.push({ at: step.getTime(), count: seen, isShort });
  }
  return [{ at: start.getTime(), count: 0, isShort }, ...steps];
}

/** Submissions, or other things that are created, over time, with the deadline. */
export function Curve({ all, end, texts = "overview.curve" }) {
  const days = bySteps(all, end);
  if (days.length < 2) return null;
  const [width, height, left, bottom] = [640, 220, 36, 24];
  const from = days[0].at;
  const to = Math.max(days.at(-1)?.at ?? 0, Date.parse(end));
  const most = Math.max(1, days.at(-1)?.count ?? 0);
  const x = (at) => left + ((width - left - 8) * (at - from)) / Math.max(DAY, to - from);
  const y = (count) => height - bottom - ((height - bottom - 12) * count) / most;
  const line = days
    .map(({ at, count }, i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(count).toFixed(1)}`)
    .join("");
  const area = `${line}L${x(days.at(-1)?.at).toFixed(1)} ${y(0)}L${x(from)} ${y(0)}Z`;
  const marks = [...new Set([0, Math.round(most / 2), most])];
  const deadline = x(Date.parse(end));
  const style = /** @type {const} */ ({ day: "numeric", month: "short" });
  return html`<section class="card"><h2 class="flat">${t(texts)}</h2>
    <svg class="plot" viewBox=${`0 0 ${width} ${height}`} role="img"
      aria-label=${t(`${texts}.text`, { n: all.length, from: dated(new Date(from), style) })}>
      ${marks.map(
        (
          mark,
        ) => html`<g><line class="grid-line" x1=${left} x2=${width} y1=${y(mark)} y2=${y(mark)} />
        <text x=${left - 6} y=${y(mark) + 4} text-anchor="end">${mark}</text></g>`,
      )}
      <path class="area" d=${area} /><path class="curve" d=${line} />
      <line class="limit" x1=${deadline} x2=${deadline} y1="8" y2=${height - bottom} />
      <text class="limit-text" x=${deadline - 6} y="18" text-anchor="end">${t("overview.deadline")}
        </text>
      <text x=${left} y=${height - 6}>${dated(new Date(from), style)}</text>
      <text x=${deadline} y=${height - 6} text-anchor="end">${dated(new Date(end), style)}</text>
    </svg>
    <details class="small"><summary>${t("overview.table")}</summary><table><tbody>${days
      .slice(1)
      .map(
        ({ at, count, isShort }) => html`
      <tr key=${at}><th scope="row">${moment(new Date(at - 1).toISOString(), { day: !isShort })}</th>
        <td>${count}</td></tr>`,
      )}</tbody></table></details></section>`;
}

/** Whether the decision was mailed. A mail that did not arrive has told nobody. */
const isTold = (one) =>
  one.status !== 1 && !one.duties.includes("untold") && !one.duties.includes("unreached");

/** What waits, and what was done, in four numbers. */
export function Facts({ all }) {
  const decided = all.filter((one) => one.status !== 1);
  const accepted = decided.filter((one) => one.status === 4).length;
  const facts = [
    ["submissions", all.length, ""],
    [
      "overview.reviewed",
      all.filter((one) => one.review_count).length,
      t("overview.mine", { n: all.filter((one) => one.my_score !== null).length }),
    ],
    ["overview.decided", decided.length, t("overview.accepted", { n: accepted })],
    ["overview.told", all.filter(isTold).length, ""],
  ];
  return html`<ul class="facts">${facts.map(
    ([name, count, more]) => html`<li class="fact" key=${name}>
    <span class="small quiet">${t(name)}</span><b>${count}</b><span class="small quiet">${more}
      </span></li>`,
  )}</ul>`;
}

/** From the submission to the membership: how many came how far. */
function Way({ club, all }) {
  const members = useLoad(url`/clubs/${club}/members/`).data ?? [];
  const joined = new Set(members.map((one) => one.person));
  const people = (fits) => new Set(all.filter(fits).map((one) => one.user?.id ?? one.id)).size;
  const isAccepted = (one) => one.status === 4;
  const counts = [
    [t("overview.way.applied"), people(() => true)],
    [t("overview.way.accepted"), people(isAccepted)],
    [t("overview.way.told"), people((one) => isAccepted(one) && isTold(one))],
    [t("overview.way.joined"), people((one) => isAccepted(one) && joined.has(one.user?.id ?? 0))],
  ];
  return html`<${Bars} caption=${t("overview.way")} counts=${counts} />`;
}

/** Who reviewed how much, with mean and spread of the scores. */
function Reviewers({ club, application }) {
  const found = useLoad(url`/clubs/${club}/applications/${application}/reviewers/`).data;
  if (!found?.reviewers.length) return null;
  const points = (number) => (number === null ? "–" : decimal(number));
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("overview.reviewers")}>
    <table class="card"><caption>${t("overview.reviewers")}</caption>
    <thead><tr><th scope="col">${t("overview.reviewer")}</th>
      <th scope="col" class="count">${t("overview.reviews")}</th>
      <th scope="col" class="count">${t("overview.mean")}</th>
      <th scope="col" class="count">${t("overview.spread")}</th></tr></thead>
    <tbody>${found.reviewers.map(
      (one) => html`<tr key=${one.by?.id ?? 0}>
      <th scope="row">${one.by?.username ?? t("applicant.erased")}</th>
      <td class="count">${one.reviews}</td><td class="count">${points(one.mean)}</td>
      <td class="count">${points(one.spread)}</td></tr>`,
    )}</tbody></table></div>`;
}

/** @param {{all: any[], end: string, club: string, application: string}} props */
export function Plots({ all, end, club, application }) {
  const members = (one) => one.committee?.name ?? t("apply.committee.none");
  const mean = (one) =>
    one.score_average === null ? t("overview.unscored") : String(Math.round(one.score_average));
  return html`<${Curve} all=${all} end=${end} /><div class="overview">
    <${Bars} caption=${t("overview.committees")} counts=${counted(all, members)} />
    <${Bars} caption=${t("overview.statuses")}
      counts=${counted(all, (one) => t(`status.${one.status}`))} />
    <${Bars} caption=${t("overview.scores")} counts=${counted(all, mean).sort()} />
    <${Bars} caption=${t("overview.mails")}
      counts=${counted(all, (one) => t(`mail.${one.email_status ?? "none"}`))} />
    <${Way} club=${club} all=${all} />
    <${Reviewers} club=${club} application=${application} />
  </div>`;
}
