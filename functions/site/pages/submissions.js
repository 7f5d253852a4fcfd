// `/clubs/{club}/applications/{application}/`: the submissions to an application as a table.
// Filters
// and order work in the browser. Only visible rows are in the document.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { post } from "../parts/api.js";
import { inParts } from "../parts/csv.js";
import { SaveTable } from "../parts/export.js";
import { isFinal, isPassing } from "../parts/request.js";
import { useLoad, useSearch } from "../parts/load.js";
import { Facts, Plots } from "../parts/overview.js";
import { url } from "../parts/path.js";
import { Unsent, useUnsent } from "../parts/review.js";
import { address, link, setQuery } from "../parts/router.js";
import { STATUSES, isErased, nameOf, useSubmissions } from "../parts/submissions.js";
import { AllFiles } from "../parts/submitted_files.js";
import { decimal, moment, t } from "../parts/texts.js";
import { Action, Icon, Problem, Skeleton, Title, confirmed, say, useUnsaved } from "../parts/ui.js";
import { finder } from "../parts/words.js";
import { ApplicationState } from "./workspace.js";

const ROW_PX = 44;
/** So many submissions can be in one request. */
const MOST_AT_ONCE = 2000;
/** Rows above and below the visible ones, so that scrolling shows no gap. */
const SPARE = 8;

const ORDERS = {
  "-created_at": (a, b) => (a.created_at < b.created_at ? 1 : -1),
  name: (a, b) => nameOf(a).localeCompare(nameOf(b)),
  "-score": (a, b) => (b.score_average ?? -1) - (a.score_average ?? -1),
};
/** How far an interview is: its time, or that the applicant is invited. */
const shownInterview = ({ interview }) => {
  if (!interview.slot) return t("interview.invited");
  const came = { true: " ✓", false: " ✗" }[interview.attended] ?? "";
  return moment(interview.slot.start_time) + came;
};
/** The columns that can be chosen; answers to questions come on top. */
const COLUMNS = {
  committee: (one) => one.committee?.name ?? "–",
  status: (one) =>
    t(`status.${one.status}`) + (one.changed_after_decision ? ` · ${t("review.newer")}` : ""),
  score: (one) =>
    one.score_average === null || one.score_average === undefined
      ? "–"
      : `${decimal(one.score_average, 1)} (${one.review_count})`,
  mine: (one) => one.my_score ?? "–",
  time: (one) => moment(one.submitted_at),
  interview: (one) => (one.interview ? shownInterview(one) : "–"),
  mail: (one) => (one.email_status ? t(`mail.${one.email_status}`) : "–"),
};
const STANDARD = "committee,status,score,mail";

/** What the table was scrolled to, by application. */
const scrolled = {};

export default function Submissions({ club, application: id }) {
  const application = useLoad(url`/clubs/${club}/applications/${id}/`);
  const { state, base, load, change } = useSubmissions(club, id);
  const query = address.value.query;
  const chosen = useSignal(/** @type {Set<number>} */ (new Set()));
  const plots = useSignal(false);
  const words = useSearch(query.get("search") ?? "", (search) => setQuery({ search }));
  const { all, isComplete, error } = state.value;
  const rows = all
    .filter(fitting(query))
    .sort(ORDERS[query.get("ordering")] ?? ORDERS["-created_at"]);
  /** Those that were chosen and can be seen: nobody is decided unseen. */
  const picked = rows.filter((one) => chosen.value.has(one.id) && !isErased(one));
  const todo = !isComplete
    ? 0
    : all.filter((one) => one.my_score === null && one.status === 1).length;
  useUnsent((of, score) => change(new Set([of]), { my_score: score }));
  const page = url`/clubs/${club}/applications/${id}/`;
  // Chosen rows are meant, else all that are shown.
  const saved = () => (picked.length ? picked : rows).map((one) => one.id);
  if (error && all.length === 0) return html`<${Problem} error=${error} retry=${load} isPage />`;
  return html`
    <div class="head"><${Title}>${application.data?.name ?? t("submissions")}<//>
      ${application.data && html`<${ApplicationState} application=${application.data} />`}
      <span class="push"><a class="button" href=${link(`${page}interviews/`)}><${Icon}
        name="calendar" /> ${t("interviews")}</a>
        <a class="button" href=${link(`${page}mails/`)}><${Icon}
        name="mail" /> ${t("mails")}</a>
        <a class="button" href=${link(`${page}edit/`)}><${Icon}
          name="pencil" /> ${t("builder.edit")}</a>
        <a class="button main" href=${link(`${page}review/${reviewOf(query, "")}`)}><${Icon}
          name="star" /> ${todo ? t("review.start", { n: todo }) : t("review")}</a></span></div>
    ${error && html`<${Problem} error=${error} retry=${load} />`}
    <${Unsent} />
    ${isComplete && html`<${Facts} all=${all} />`}
    <details class="card" onToggle=${(event) => (plots.value = event.currentTarget.open)}>
      <summary>${t("overview.plots")}</summary>
      ${
        plots.value &&
        isComplete &&
        html`<${Plots} all=${all} club=${club} application=${id}
        end=${application.data?.application_end_time ?? new Date().toISOString()} />`
      }</details>
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <p class="find"><${Icon} name="search" /><input id="search" type="search"
        aria-label=${t("search")} placeholder=${t("submissions.search")} value=${words.value}
        onInput=${(event) => (words.value = event.currentTarget.value)} /></p>
      <${Filters} query=${query} application=${application.data} /></form>
    <div class="row middle">
      <span role="status" class="small">
        ${t("submissions.count", { n: rows.length })}
        ${!isComplete && ` · ${t("loading")} …`}</span>
      ${
        picked.length > 0 &&
        html`<${Bulk} club=${club} application=${id} picked=${picked} change=${change} load=${load}
        done=${() => (chosen.value = new Set())} />`
      }
      <span class="push line"><${AllFiles} rows=${rows} nameOf=${nameOf} />
        <${SaveTable} path=${`${base}export/`} name="submissions" ids=${saved} /></span></div>
    ${
      !isComplete && rows.length === 0
        ? html`<${Skeleton} lines=${8} />`
        : html`<${Rows} rows=${rows} chosen=${chosen} page=${page}
          questions=${application.data?.questions ?? []} />`
    }`;
}

/** Whether a submission has what is asked for. */
const fitting = (query) => {
  const matches = finder(query.get("search") ?? "");
  return (one) => {
    return (
      (!query.get("status") || one.status === Number(query.get("status"))) &&
      (!query.get("committee") ||
        (one.committee?.id ?? "none") === (Number(query.get("committee")) || "none")) &&
      (!query.get("reviewed") || one.my_score === null) &&
      (!query.get("duty") || one.duties.includes(query.get("duty"))) &&
      matches(`${nameOf(one)} ${one.user?.username} ${one.user?.email}`)
    );
  };
};

function Filters({ query, application }) {
  const set = (name) => (event) => setQuery({ [name]: event.currentTarget.value });
  const columns = (query.get("columns") ?? STANDARD).split(",").filter(Boolean);
  const toggle = (name) => (event) => {
    const others = columns.filter((one) => one !== name);
    setQuery({
      columns: (event.currentTarget.checked ? [...others, name] : others).join(",") || "none",
    });
  };
  const names = [
    ...Object.keys(COLUMNS).map((name) => [name, t(`submissions.${name}`)]),
    ...(application?.questions ?? [])
      .filter((one) => one.question_type !== 4)
      .map((one) => [`q${one.id}`, one.prompt]),
  ];
  return html`<div class="chips">
    <select aria-label=${t("status")} value=${query.get("status") ?? ""} onChange=${set("status")}>
      <option value="">${t("status")}</option>${STATUSES.map(
        (one) => html`<option value=${one}>
        ${t(`status.${one}`)}</option>`,
      )}</select>
    ${
      Boolean(application?.committees.length) &&
      html`<select aria-label=${t("apply.committee")} value=${query.get("committee") ?? ""}
        onChange=${set("committee")}>
      <option value="">${t("apply.committee")}</option><option value="none">
        ${t("apply.committee.none")}</option>
      ${application.committees.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
        </select>`
    }
    <select aria-label=${t("order")} value=${query.get("ordering") ?? "-created_at"}
      onChange=${set("ordering")}>
      ${Object.keys(ORDERS).map(
        (one) => html`<option value=${one}>${t(`submissions.order.${one}`)}
        </option>`,
      )}</select>
    <label class="check"><input type="checkbox" checked=${query.has("reviewed")}
      onChange=${(event) => setQuery({ reviewed: event.currentTarget.checked && "none" })} />
      <span>${t("submissions.unreviewed")}</span></label>
    </div>
    <details><summary>${t("submissions.columns")}</summary><div class="card stack">${names.map(
      ([name, label]) => html`<label class="check" key=${name}>
      <input type="checkbox" checked=${columns.includes(name)} onChange=${toggle(name)} /> <span
        class="cut">${label}</span></label>`,
    )}</div></details>
  `;
}

/** The reason that was typed and not sent, by form: the rows that it is for may be away for now. */
const reasons = {};

/** Decides many at once. It can be taken back for a while. */
function Bulk({ club, application, picked, change, done, load }) {
  const base = url`/clubs/${club}/applications/${application}/submissions/`;
  const reason = useSignal(reasons[base] ?? "");
  reasons[base] = reason.value;
  useUnsaved(Boolean(reason.value));
  const isOpen = useSignal(Boolean(reason.value));
  // If the answer was lost, the decisions may be stored. If it is a refusal, somebody has withdrawn
  // or was erased meanwhile.
  const looked = async (error) => {
    if (isPassing(error.status ?? 0) || error.status === 400) await load();
    throw error;
  };
  /** Sets what has this status: what somebody else decided since is left alone, and shown. */
  const set = async (was, status, ids) => {
    const path = url`/clubs/${club}/applications/${application}/submissions/status/`;
    const asked = post(path, { status, was_status: was, submissions: ids });
    const { updated } = await asked.catch(looked);
    if (updated === ids.length) change(new Set(ids), { status });
    else await load();
    return updated;
  };
  /** The same for submissions with their statuses: a call for each. Tells how many were set. */
  const setAll = async (groups) => {
    let [updated, other] = [0, 0];
    for (const [i, [was, status, ids]] of groups.entries()) {
      const n = await set(was, status, ids).catch((error) => {
        throw Object.assign(error, { isNothing: i === 0 && isFinal(error.status ?? 0) });
      });
      updated += n;
      other += ids.length - n;
    }
    return [updated, other];
  };
  const decide = (status) => async () => {
    const ids = picked.map((one) => one.id);
    if (!confirmed(t("submissions.decide.sure", { n: ids.length, status: t(`status.${status}`) })))
      return false;
    const groups = STATUSES.map((was) => {
      const its = picked.filter((one) => one.status === was).map((one) => one.id);
      return /** @type {const} */ ([was, status, its]);
    }).filter(([, , its]) => its.length > 0);
    const before = groups.filter(([was]) => was !== status);
    // What was not set has another status, and is left alone by this, too.
    const back = async () => {
      const [, left] = await setAll(before.map(([was, , its]) => [status, was, its]));
      if (left) say(t("submissions.other", { n: left }), "problem");
      else say(t("undone"));
    };
    const undo = before.length ? back : undefined;
    try {
      const [n, other] = await setAll(groups);
      done();
      const updated = t("submissions.updated", { n });
      if (other) say(`${updated} ${t("submissions.other", { n: other })}`, "problem", undo);
      else say(updated, "done", undo);
    } catch (error) {
      // Some may be set, unless the first call was refused.
      say(error.message, "problem", error.isNothing ? undefined : undo);
      return false;
    }
  };
  const setReasons = async (all) => {
    const path = url`/clubs/${club}/applications/${application}/submissions/reason/`;
    for (const part of inParts(all, MOST_AT_ONCE)) {
      await post(path, { submissions: part }).catch(looked);
      for (const text of new Set(part.map((one) => one.reason))) {
        const its = part.filter((one) => one.reason === text);
        change(new Set(its.map((one) => one.id)), { reason: text });
      }
    }
  };
  const tell = async () => {
    const sent = reason.value;
    const replaced = picked.filter((one) => one.reason && one.reason !== sent);
    if (replaced.length && !confirmed(t("submissions.reasons.sure", { n: replaced.length })))
      return false;
    const before = picked.map((one) => ({ id: one.id, reason: one.reason }));
    const back = () => setReasons(before).then(() => say(t("undone")));
    const undo = replaced.length ? back : undefined;
    try {
      await setReasons(before.map(({ id }) => ({ id, reason: sent })));
    } catch (error) {
      // Some may be stored.
      say(error.message, "problem", undo);
      return false;
    }
    say(t("saved"), "done", undo);
    // What was typed meanwhile stays.
    if (reason.value !== sent) return;
    // Nothing is drawn again that would forget it.
    reason.value = reasons[base] = "";
    isOpen.value = false;
    done();
  };
  return html`<span class="strong">${t("submissions.chosen", { n: picked.length })}</span>
    ${STATUSES.map(
      (status) => html`<${Action} key=${status} run=${decide(status)}>
      ${t(`status.${status}`)}<//>`,
    )}
    <button aria-expanded=${isOpen.value} onClick=${() => (isOpen.value = !isOpen.value)}>
      ${t("applicant.reason")} …</button>
    ${
      isOpen.value &&
      html`<div class="card wide"><label class="label" for="bulk-reason">${t("applicant.reason")}
        </label>
      <textarea id="bulk-reason" rows="3" maxlength="5000" value=${reason.value}
        onInput=${(event) => (reason.value = event.currentTarget.value)}></textarea>
      <p><${Action} className="main" run=${tell}>
        ${t("submissions.reasons", { n: picked.length })}<//></p></div>`
    }`;
}

/** The query of the review: of one submission, or of all that the officer has not reviewed yet. It
 * keeps the chosen committee. */
function reviewOf(query, id) {
  const wanted = new URLSearchParams(id ? { only: "all", open: id } : {});
  if (query.get("committee")) wanted.set("committee", query.get("committee"));
  return wanted.size ? `?${wanted}` : "";
}

/** An answer as one line of a column. */
const answerOf = (one, id) => {
  const answer = one.responses.find((response) => String(response.question.id) === id);
  return answer?.multiple_choice?.value ?? answer?.file?.name ?? answer?.text ?? "–";
};

function Rows({ rows, chosen, page, questions }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const top = useSignal(scrolled[page] ?? 0);
  useEffect(() => {
    if (place.current) place.current.scrollTop = scrolled[page] ?? 0;
  }, []);
  const height = 600;
  const first = Math.max(0, Math.floor(top.value / ROW_PX) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top.value + height) / ROW_PX) + SPARE);
  const there = rows.filter((one) => !isErased(one));
  const isAll = there.length > 0 && there.every((one) => chosen.value.has(one.id));
  const toggle = (id) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const names = (address.value.query.get("columns") ?? STANDARD).split(",");
  const columns = names.flatMap((name) => {
    if (COLUMNS[name]) return [[name, t(`submissions.${name}`), COLUMNS[name]]];
    const question = questions.find((one) => `q${one.id}` === name);
    return question
      ? [[name, question.prompt.slice(0, 40), (one) => answerOf(one, String(question.id))]]
      : [];
  });
  const gap = (count) =>
    count > 0 &&
    html`<tr aria-hidden="true"><td colspan=${columns.length + 2}
      style=${{ height: `${count * ROW_PX}px`, padding: 0 }}></td></tr>`;
  return html`
    <p><label class="check"><input type="checkbox" checked=${isAll}
      onChange=${() => (chosen.value = new Set(isAll ? [] : there.map((one) => one.id)))} />
      <span>${t("submissions.choose.all")}</span></label></p>
    <div class="scroll rows" ref=${place} tabindex="0" role="region" aria-label=${t("submissions")}
      onScroll=${(event) => {
        const box = event.currentTarget;
        const isInside = document.activeElement !== box && box.contains(document.activeElement);
        top.value = scrolled[page] = box.scrollTop;
        // The row with the focus may be gone: the keyboard stays in the table.
        if (isInside)
          setTimeout(
            () => document.activeElement === document.body && box.focus({ preventScroll: true }),
            50,
          );
      }}>
    <table aria-rowcount=${rows.length + 1}>
      <thead><tr aria-rowindex="1"><th scope="col"><span class="hidden">${t("submissions.choose")}
        </span></th><th scope="col">${t("submissions.name")}</th>
        ${columns.map(([name, label]) => html`<th scope="col" key=${name}>${label}</th>`)}</tr>
          </thead>
      <tbody>${gap(first)}
        ${rows.slice(first, last).map(
          (one, at) => html`<tr key=${one.id} aria-rowindex=${first + at + 2}
            aria-selected=${chosen.value.has(one.id)}>
          <td><input type="checkbox" disabled=${isErased(one)}
            aria-label=${`${t("submissions.choose")}: ${nameOf(one)}`}
            checked=${chosen.value.has(one.id)} onChange=${() => toggle(one.id)} /></td>
          <td><a href=${link(`${page}review/${reviewOf(address.value.query, one.id)}`)}>
            ${nameOf(one)}</a></td>
          ${columns.map(([name, , show]) => html`<td key=${name}>${show(one)}</td>`)}</tr>`,
        )}
        ${gap(rows.length - last)}</tbody>
    </table></div>`;
}
