// `/clubs/{club}/applications/{application}/`: the submissions to an application, for officers. All
// are loaded once, part by part; filters and order work in the browser. Only visible rows are in the
// document.

import { html, useComputed, useEffect, useSignal } from "../parts/kit.js";
import { call, post } from "../parts/api.js";
import { Applicant, STATUSES, nameOf } from "../parts/applicant.js";
import { download } from "../parts/files.js";
import { Overview } from "../parts/overview.js";
import { address, link, setQuery } from "../parts/router.js";
import { t } from "../parts/texts.js";
import { Action, Problem, Skeleton, Title, confirmed, useLoad } from "../parts/ui.js";

const PART = 200;
const ROW_PX = 44;
/** Rows above and below the visible ones, so that scrolling shows no gap. */
const SPARE = 8;

const ORDERS = {
  "-created_at": (a, b) => (a.created_at < b.created_at ? 1 : -1),
  name: (a, b) => nameOf(a).localeCompare(nameOf(b)),
  "-score": (a, b) => (b.score_average ?? -1) - (a.score_average ?? -1),
};

/** Loads all submissions, and shows each part as soon as it is there. */
function useSubmissions(base) {
  const state = useSignal(/** @type {{all: import("../api").Schemas["SubmissionBody"][], isComplete: boolean, error: any}} */ ({ all: [], isComplete: false, error: null }));
  const load = async () => {
    let path = `${base}/submissions/?limit=${PART}`;
    const all = [];
    try {
      while (path) {
        const { data, next } = await call("GET", path);
        all.push(...data);
        path = next;
        state.value = { all: [...all], isComplete: !path, error: null };
      }
    } catch (error) {
      state.value = { ...state.value, error };
    }
  };
  useEffect(() => void load(), [base]);
  const change = (ids, values) => {
    const all = state.value.all.map((one) => (ids.has(one.id) ? { ...one, ...values } : one));
    state.value = { ...state.value, all };
  };
  return { state, load, change };
}

export default function Submissions({ club, application: id }) {
  const base = /** @type {const} */ (`/clubs/${club}/applications/${id}`);
  const application = useLoad(`${base}/`);
  const { state, load, change } = useSubmissions(base);
  const chosen = useSignal(new Set());
  const query = address.value.query;
  const shown = useComputed(() => {
    const { query } = address.value;
    const words = (query.get("search") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (one) => {
      // The opened one stays, also if a decision or a review changed what it fits.
      if (String(one.id) === query.get("open")) return true;
      const text = `${nameOf(one)} ${one.user?.username} ${one.user?.email}`.toLowerCase();
      return (!query.get("status") || one.status === Number(query.get("status")))
        && (!query.get("committee") || (one.committee?.id ?? "none") === (Number(query.get("committee")) || "none"))
        && (!query.get("reviewed") || one.my_score === null)
        && words.every((word) => text.includes(word));
    };
    return state.value.all.filter(fits).sort(ORDERS[query.get("ordering")] ?? ORDERS["-created_at"]);
  });
  const rows = shown.value;
  /** Those that were chosen and can be seen: nobody is decided unseen. */
  const picked = rows.filter((one) => chosen.value.has(one.id));
  const opened = rows.findIndex((one) => String(one.id) === query.get("open"));
  const step = (to) => (rows[to] ? () => setQuery({ open: rows[to].id }) : undefined);
  const set = (name) => (event) => setQuery({ [name]: event.currentTarget.value });

  const decide = (status) => async () => {
    const ids = picked.map((one) => one.id);
    if (!confirmed(t("submissions.decide.sure", { n: ids.length, status: t(`status.${status}`) }))) return false;
    const { updated } = await post(`${base}/submissions/status/`, { status, submissions: ids });
    change(new Set(ids), { status });
    chosen.value = new Set();
    return updated;
  };
  const save = async () => {
    const { data } = await call("GET", `${base}/submissions/export/`);
    download("submissions.csv", String(data), "text/csv");
  };
  if (state.value.error && state.value.all.length === 0) return html`<${Problem} error=${state.value.error} retry=${load} />`;
  return html`
    <${Title}>${application.data?.name ?? t("submissions")}<//>
    <p class="row"><a href=${link(`/clubs/${club}/manage/`)}>${t("manage")}</a>
      <a href=${link(`/clubs/${club}/applications/${id}/mails/`)}>${t("mails")}</a></p>
    ${state.value.error && html`<${Problem} error=${state.value.error} retry=${load} />`}
    <${Overview} all=${state.value.all} />
    <form class="row" role="search" onSubmit=${(event) => event.preventDefault()}>
      <div class="field"><label for="search">${t("search")}</label>
        <input id="search" type="search" value=${query.get("search") ?? ""} onInput=${set("search")} /></div>
      <div class="field"><label for="filter">${t("status")}</label>
        <select id="filter" value=${query.get("status") ?? ""} onChange=${set("status")}>
          <option value="">${t("all")}</option>${STATUSES.map((one) => html`<option value=${one}>${t(`status.${one}`)}</option>`)}
        </select></div>
      <div class="field"><label for="committee">${t("apply.committee")}</label>
        <select id="committee" value=${query.get("committee") ?? ""} onChange=${set("committee")}>
          <option value="">${t("all")}</option><option value="none">${t("apply.committee.none")}</option>
          ${application.data?.committees.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
        </select></div>
      <div class="field"><label for="ordering">${t("order")}</label>
        <select id="ordering" value=${query.get("ordering") ?? "-created_at"} onChange=${set("ordering")}>
          ${Object.keys(ORDERS).map((one) => html`<option value=${one}>${t(`submissions.order.${one}`)}</option>`)}
        </select></div>
      <p class="field"><label class="check"><input type="checkbox" checked=${query.has("reviewed")} onChange=${(event) => setQuery({ reviewed: event.currentTarget.checked && "none" })} /> ${t("submissions.unreviewed")}</label></p>
    </form>
    <p class="row middle">
      <span role="status">${t("submissions.count", { n: rows.length })}${!state.value.isComplete && ` · ${t("loading")} …`}</span>
      ${picked.length > 0 && html`<span>${t("submissions.chosen", { n: picked.length })}</span>
        ${STATUSES.map((status) => html`<${Action} key=${status} run=${decide(status)} done=${(n) => t("submissions.updated", { n })}>${t(`status.${status}`)}<//>`)}`}
      <span class="push"><${Action} run=${save}>${t("submissions.csv")}<//> <${Action} run=${load}>${t("submissions.reload")}<//></span>
    </p>
    ${opened >= 0 && html`<${Applicant} key=${rows[opened].id} path=${`${base}/submissions/${rows[opened].id}/`}
      close=${() => setQuery({ open: "" })} previous=${step(opened - 1)} next=${step(opened + 1)}
      changed=${(one) => change(new Set([one.id]), one)} />`}
    ${!state.value.isComplete && rows.length === 0
      ? html`<${Skeleton} lines=${8} />`
      : html`<${Rows} rows=${rows} chosen=${chosen} />`}`;
}

function Rows({ rows, chosen }) {
  const top = useSignal(0);
  const height = 600;
  const first = Math.max(0, Math.floor(top.value / ROW_PX) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top.value + height) / ROW_PX) + SPARE);
  const all = rows.length > 0 && rows.every((one) => chosen.value.has(one.id));
  const toggle = (id) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const gap = (count) => count > 0 && html`<tr aria-hidden="true"><td colspan="6" style=${{ height: `${count * ROW_PX}px`, padding: 0 }}></td></tr>`;
  return html`
    <p><label class="check"><input type="checkbox" checked=${all} onChange=${() => (chosen.value = all ? new Set() : new Set(rows.map((one) => one.id)))} /> ${t("submissions.choose.all")}</label></p>
    <div class="scroll rows" tabindex="0" role="region" aria-label=${t("submissions")} onScroll=${(event) => (top.value = event.currentTarget.scrollTop)}>
    <table aria-rowcount=${rows.length + 1}>
      <thead><tr aria-rowindex="1">
        <th><span class="hidden">${t("submissions.choose")}</span></th>
        ${["name", "committee", "status", "score", "mail"].map((name) => html`<th key=${name}>${t(`submissions.${name}`)}</th>`)}
      </tr></thead>
      <tbody>
        ${gap(first)}
        ${rows.slice(first, last).map((one, at) => html`<tr key=${one.id} aria-rowindex=${first + at + 2} aria-selected=${chosen.value.has(one.id)}>
          <td><input type="checkbox" aria-label=${`${t("submissions.choose")}: ${nameOf(one)}`} checked=${chosen.value.has(one.id)} onChange=${() => toggle(one.id)} /></td>
          <td><button class="plain" onClick=${() => setQuery({ open: one.id })}>${nameOf(one)}</button></td>
          <td>${one.committee?.name ?? "–"}</td>
          <td>${t(`status.${one.status}`)}</td>
          <td>${one.score_average === null || one.score_average === undefined ? "–" : `${one.score_average.toFixed(1)} (${one.review_count})`}</td>
          <td>${one.email_status ? t(`mail.${one.email_status}`) : "–"}</td>
        </tr>`)}
        ${gap(rows.length - last)}
      </tbody>
    </table>
  </div>`;
}
