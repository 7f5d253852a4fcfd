// `/clubs/{club}/applications/{application}/`: the submissions to an application as a table, in
// which officers choose people and say what happens with them. Filters and order work in the
// browser. Only visible rows are in the document.

import { html, useEffect, useRef, useSignal } from "../parts/kit.js";
import { Bulk } from "../parts/bulk.js";
import { best, choose, chosenIn, clicked } from "../parts/chosen.js";
import { SaveTable } from "../parts/export.js";
import { useLoad, useSearch } from "../parts/load.js";
import { Facts, Plots } from "../parts/overview.js";
import { url } from "../parts/path.js";
import { Unsent, useUnsent } from "../parts/review.js";
import { address, link, setQuery } from "../parts/router.js";
import { STATUSES, isErased, nameOf, useSubmissions } from "../parts/submissions.js";
import { AllFiles } from "../parts/submitted_files.js";
import { decimal, moment, t } from "../parts/texts.js";
import { Icon, Problem, Skeleton, Title } from "../parts/ui.js";
import { finder } from "../parts/words.js";
import { ApplicationState } from "./workspace.js";

/** Heights of a row, as in the styles: with a mouse, and for a finger. */
const rowHeight = () => (matchMedia("(min-width: 1024px)").matches ? 28 : 32);
/** Rows above and below the visible ones, so that scrolling shows no gap. */
const SPARE = 8;
const DUTIES = ["undecided", "untold", "unreached"];

/** How far an interview is: its time, or that the applicant is invited. */
const shownInterview = ({ interview }) => {
  if (!interview.slot) return t("interview.invited");
  const came = { true: " ✓", false: " ✗" }[interview.attended] ?? "";
  return moment(interview.slot.start_time) + came;
};
const stageOf = ({ interview }) => {
  if (!interview) return "none";
  if (interview.attended === true) return "attended";
  if (interview.attended === false) return "missed";
  return interview.slot ? "booked" : "invited";
};
/**
 * The columns that can be chosen; answers to questions come on top. Each has what is shown, and
 * what it is ordered by.
 */
const COLUMNS = {
  committee: [(one) => one.committee?.name ?? "–"],
  status: [
    (one) =>
      t(`status.${one.status}`) + (one.changed_after_decision ? ` · ${t("review.newer")}` : ""),
    (one) => one.status,
  ],
  score: [
    (one) =>
      typeof one.score_average === "number"
        ? `${decimal(one.score_average, 1)} (${one.review_count})`
        : "–",
    (one) => one.score_average ?? -1,
  ],
  mine: [(one) => one.my_score ?? "–", (one) => one.my_score ?? -1],
  time: [(one) => moment(one.submitted_at), (one) => one.submitted_at],
  interview: [
    (one) => (one.interview ? shownInterview(one) : "–"),
    (one) => one.interview?.slot?.start_time ?? (one.interview ? "~" : ""),
  ],
  mail: [(one) => (one.email_status ? t(`mail.${one.email_status}`) : "–")],
};
const STANDARD = ["score", "status", "committee", "mine", "time"];
/** What is large or late is looked for first. */
const DOWN_FIRST = new Set(["score", "mine", "time"]);

/** An answer as one line of a column. */
const answerOf = (one, id) => {
  const answer = one.responses.find((response) => String(response.question.id) === id);
  return answer?.multiple_choice?.value ?? answer?.file?.name ?? answer?.text ?? "–";
};
/** What a column shows, and what it is ordered by. */
function columnOf(name) {
  if (name === "name") return [nameOf];
  if (COLUMNS[name]) return COLUMNS[name];
  return [(one) => answerOf(one, name.slice(1))];
}
/** Orders by a column; of equal rows, the newest comes first. */
function ordered(rows, ordering) {
  const name = ordering.replace("-", "");
  const [show, by = show] = columnOf(name);
  const turn = ordering.startsWith("-") ? -1 : 1;
  const compare = (a, b) =>
    typeof a === "string" && typeof b === "string" ? a.localeCompare(b) : a < b ? -1 : +(a > b);
  return rows
    .map((one) => ({ one, key: by(one) }))
    .sort((a, b) => turn * compare(a.key, b.key) || compare(b.one.created_at, a.one.created_at))
    .map(({ one }) => one);
}

/** The columns are chosen once for all lists, on this device. */
const columns = {
  read: () => localStorage.getItem("columns")?.split(",").filter(Boolean) ?? STANDARD,
  store: (names) => localStorage.setItem("columns", names.join(",")),
};

/** What the table was scrolled to, by application. */
const scrolled = {};

export default function Submissions({ club, application: id }) {
  const page = url`/clubs/${club}/applications/${id}/`;
  const application = useLoad(page);
  const { state, base, load, change } = useSubmissions(club, id);
  const query = address.value.query;
  const shown = useSignal(columns.read());
  const plots = useSignal(false);
  const words = useSearch(query.get("search") ?? "", (search) => setQuery({ search }));
  const { all, isComplete, error } = state.value;
  const rows = ordered(all.filter(fitting(query)), query.get("ordering") ?? "-time");
  const chosen = chosenIn(id);
  /** Those that were chosen and can be seen: nobody is decided unseen. */
  const picked = rows.filter((one) => chosen.has(one.id) && !isErased(one));
  const todo = !isComplete
    ? 0
    : all.filter((one) => one.my_score === null && one.status === 1).length;
  useUnsent((of, score) => change(new Set([of]), { my_score: score }));
  // Chosen rows are meant, else all that are shown.
  const saved = () => (picked.length ? picked : rows).map((one) => one.id);
  if (error && all.length === 0) return html`<${Problem} error=${error} retry=${load} isPage />`;
  const to = (path, icon, text) => html`<a class="button plain" href=${link(page + path)}><${Icon}
    name=${icon} /> ${t(text)}</a>`;
  return html`
    <div class="dense"><div class="head"><${Title}>${application.data?.name ?? t("submissions")}<//>
      <span class="ways">
        ${application.data && html`<${ApplicationState} application=${application.data} />`}
        <span class="push"></span>${to("interviews/", "calendar", "interviews")}
        ${to("mails/", "mail", "mails")}${to("edit/", "pencil", "builder.edit")}
        <a class="button main" href=${link(`${page}review/${reviewOf(query, "")}`)}><${Icon}
          name="star" /> ${todo ? t("review.start", { n: todo }) : t("review")}</a></span></div>
    ${error && html`<${Problem} error=${error} retry=${load} />`}
    <${Unsent} />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Filters} query=${query} application=${application.data} words=${words} /></form>
    <div class="list-bar">
      ${
        picked.length > 0
          ? html`<${Bulk} id=${id} form=${page} end=${application.data?.application_end_time ?? ""}
            picked=${picked} change=${change} load=${load} done=${() => choose(id, [])} />`
          : html`<${Choose} id=${id} rows=${rows} isComplete=${isComplete} />`
      }
      <details class="push"><summary>${t("submissions.columns")}</summary><${Columns}
        shown=${shown} questions=${application.data?.questions ?? []} /></details>
      <details><summary>${t("submissions.save")}</summary><div class="card row">
        <${SaveTable} path=${`${base}export/`} name="submissions" ids=${saved} />
        <${AllFiles} rows=${picked.length ? picked : rows} nameOf=${nameOf} /></div></details>
          </div></div>
    ${
      !isComplete && rows.length === 0
        ? html`<${Skeleton} lines=${8} />`
        : html`<${Rows} rows=${rows} id=${id} chosen=${chosen} page=${page} names=${shown.value}
          questions=${application.data?.questions ?? []} />`
    }
    <details class="card" onToggle=${(event) => (plots.value = event.currentTarget.open)}>
      <summary>${t("overview.plots")}</summary>
      ${
        plots.value &&
        isComplete &&
        html`<${Facts} all=${all} /><${Plots} all=${all} club=${club} application=${id}
        end=${application.data?.application_end_time ?? new Date().toISOString()} />`
      }</details>`;
}

/** Whether a submission has what is asked for. */
const fitting = (query) => {
  const matches = finder(query.get("search") ?? "");
  const [status, committee, duty, interview] = ["status", "committee", "duty", "interview"].map(
    (name) => query.get(name) ?? "",
  );
  return (one) =>
    (!status || one.status === Number(status)) &&
    (!committee || (one.committee?.id ?? "none") === (Number(committee) || "none")) &&
    (!query.get("reviewed") || one.my_score === null) &&
    (!duty || one.duties.includes(duty)) &&
    (!interview || stageOf(one) === interview) &&
    matches(`${nameOf(one)} ${one.user?.username} ${one.user?.email}`);
};

function Filters({ query, application, words }) {
  const choice = (name, label, options) => html`<select aria-label=${label}
    value=${query.get(name) ?? ""}
    onChange=${(event) => setQuery({ [name]: event.currentTarget.value })}>
      <option value="">${label}</option>${options.map(
        ([value, text]) => html`<option value=${value}>${text}</option>`,
      )}</select>`;
  const committees = application?.committees ?? [];
  return html`<div class="chips">
    <span class="find"><${Icon} name="search" /><input id="search" type="search"
      aria-label=${t("search")} placeholder=${t("submissions.search")} value=${words.value}
      onInput=${(event) => (words.value = event.currentTarget.value)} /></span>
    ${choice(
      "duty",
      t("submissions.duty"),
      DUTIES.map((one) => [one, t(`submissions.duty.${one}`)]),
    )}
    ${choice(
      "status",
      t("status"),
      STATUSES.map((one) => [one, t(`status.${one}`)]),
    )}
    ${
      committees.length > 0 &&
      choice("committee", t("apply.committee"), [
        ["none", t("apply.committee.none")],
        ...committees.map((one) => [one.id, one.name]),
      ])
    }
    ${choice(
      "interview",
      t("submissions.interview"),
      ["none", "invited", "booked", "attended", "missed"].map((one) => [
        one,
        t(`submissions.interview.${one}`),
      ]),
    )}
    <label class="check"><input type="checkbox" checked=${query.has("reviewed")}
      onChange=${(event) => setQuery({ reviewed: event.currentTarget.checked && "none" })} />
      <span>${t("submissions.unreviewed")}</span></label>
    </div>`;
}

/** How many are shown, and ways to choose many of them. */
function Choose({ id, rows, isComplete }) {
  const n = useSignal(30);
  const there = rows.filter((one) => !isErased(one));
  const scored = best(there, n.value);
  return html`<span role="status" class="small">${t("submissions.count", { n: rows.length })}
      ${!isComplete && ` · ${t("loading")} …`}</span>
    <form class="line small best" onSubmit=${(event) => {
      event.preventDefault();
      choose(id, scored);
    }}><label class="line">${t("submissions.best")} <input type="number" min="1"
        class="short" value=${n.value}
        onInput=${(event) => (n.value = Number(event.currentTarget.value))} /></label>
      <button disabled=${scored.length === 0}>${t("submissions.choose")}</button></form>`;
}

function Columns({ shown, questions }) {
  const toggle = (name) => (event) => {
    const others = shown.value.filter((one) => one !== name);
    shown.value = event.currentTarget.checked ? [...others, name] : others;
    columns.store(shown.value);
  };
  const names = [
    ...Object.keys(COLUMNS).map((name) => [name, t(`submissions.${name}`)]),
    ...questions.filter((one) => one.question_type !== 4).map((one) => [`q${one.id}`, one.prompt]),
  ];
  return html`<div class="card stack">${names.map(
    ([name, label]) => html`<label class="check" key=${name}>
      <input type="checkbox" checked=${shown.value.includes(name)} onChange=${toggle(name)} />
      <span class="cut">${label}</span></label>`,
  )}</div>`;
}

/** The query of the review: of one submission, or of all that the officer has not reviewed yet. It
 * keeps the chosen committee. */
function reviewOf(query, id) {
  const wanted = new URLSearchParams(id ? { only: "all", open: id } : {});
  if (!id && query.get("duty") === "undecided") wanted.set("only", "undecided");
  if (query.get("committee")) wanted.set("committee", query.get("committee"));
  return wanted.size ? `?${wanted}` : "";
}

/** The head of a column, which orders by it: one way, then the other. */
function Head({ name, label }) {
  const ordering = address.value.query.get("ordering") ?? "-time";
  const isDown = ordering === `-${name}`;
  const isOn = isDown || ordering === name;
  const next = isOn ? (isDown ? name : `-${name}`) : `${DOWN_FIRST.has(name) ? "-" : ""}${name}`;
  const sort = isOn ? (isDown ? "descending" : "ascending") : undefined;
  return html`<th scope="col" aria-sort=${sort}><button class="plain"
    onClick=${() => setQuery({ ordering: next })}><span class="cut">${label}</span>
    ${isOn && html`<span aria-hidden="true">${isDown ? "↓" : "↑"}</span>`}</button></th>`;
}

/** The columns that are shown, with their labels. Questions of other forms are left out. */
const labelled = (names, questions) =>
  names.flatMap((name) => {
    if (COLUMNS[name]) return [[name, t(`submissions.${name}`)]];
    const question = questions.find((one) => `q${one.id}` === name);
    return question ? [[name, question.prompt.slice(0, 40)]] : [];
  });

function Rows({ rows, id, chosen, page, names, questions }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const top = useSignal(scrolled[page] ?? 0);
  const last = useRef(/** @type {number | null} */ (null));
  useEffect(() => {
    if (place.current) place.current.scrollTop = scrolled[page] ?? 0;
  }, []);
  const [row, height] = [rowHeight(), place.current?.clientHeight || 800];
  const first = Math.max(0, Math.floor(top.value / row) - SPARE);
  const end = Math.min(rows.length, Math.ceil((top.value + height) / row) + SPARE);
  const there = rows.filter((one) => !isErased(one)).map((one) => one.id);
  const isAll = there.length > 0 && there.every((one) => chosen.has(one));
  const toggle = (one) => (event) => {
    choose(id, clicked(chosen, there, one, event.shiftKey ? last.current : null));
    last.current = one;
  };
  const all = labelled(names, questions);
  const gap = (count) =>
    count > 0 &&
    html`<tr aria-hidden="true"><td colspan=${all.length + 2}
      style=${{ height: `${count * row}px`, padding: 0 }}></td></tr>`;
  return html`
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
      <thead><tr aria-rowindex="1"><th scope="col"><input type="checkbox" checked=${isAll}
        aria-label=${t("submissions.choose.all")}
        onChange=${() => choose(id, isAll ? [] : there)} /></th>
        <${Head} name="name" label=${t("submissions.name")} />
        ${all.map(([name, label]) => html`<${Head} key=${name} name=${name} label=${label} />`)}
          </tr></thead>
      <tbody>${gap(first)}
        ${rows.slice(first, end).map(
          (one, at) => html`<tr key=${one.id} aria-rowindex=${first + at + 2}
            aria-selected=${chosen.has(one.id)}>
          <td><input type="checkbox" disabled=${isErased(one)}
            aria-label=${`${t("submissions.choose")}: ${nameOf(one)}`}
            checked=${chosen.has(one.id)} onClick=${toggle(one.id)} /></td>
          <td><a href=${link(`${page}review/${reviewOf(address.value.query, one.id)}`)}>
            ${nameOf(one)}</a></td>
          ${all.map(([name]) => html`<td key=${name}>${columnOf(name)[0](one)}</td>`)}</tr>`,
        )}
        ${gap(rows.length - end)}</tbody>
    </table></div>`;
}
