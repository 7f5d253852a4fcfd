// `/clubs/{club}/apply/{application}/`: an application, from the choice of a committee to the
// receipt. What is typed is saved while somebody types, and kept until the service has it.

import { html, useComputed, useSignal } from "../parts/kit.js";
import { learn } from "../parts/api.js";
import { person } from "../parts/auth.js";
import { cached } from "../parts/cache.js";
import { loaded, useLoad, useParts } from "../parts/load.js";
import { remembered } from "../parts/offline.js";
import { url } from "../parts/path.js";
import { address, link, setQuery } from "../parts/router.js";
import { Closed, Copies, Sent } from "../parts/apply_ends.js";
import { ApplyForm } from "../parts/apply_form.js";
import { Left, ticks, useTicks } from "../parts/countdown.js";
import { isTyped } from "../parts/question.js";
import { placesOf, typedStore } from "../parts/store.js";
import { t } from "../parts/texts.js";
import { Chip, Icon, Rich, Time, Title } from "../parts/ui.js";

const OWN = "/submissions/";
/** How the page that is shown takes over what was received, by path: a sending outlives pages. */
const latest = {};

export default function Apply({ club, application: id }) {
  const path = url`/clubs/${club}/applications/${id}/?own=true`;
  const application = useLoad(path);
  const hasNone = application.data?.my_submissions?.length === 0;
  /** What was stored here, where nothing was before: the list need not be asked for. */
  const first = useSignal(/** @type {any[] | null} */ (null));
  const known = first.value ?? (hasNone ? [] : null);
  const own = useParts(application.data && !known ? OWN : "");
  /** What was just stored is known: nothing is asked for, which may fail. */
  const stored = (submission) => {
    const others = (all) => all.filter((one) => one.id !== submission.id);
    const { committee, updated_at } = submission;
    const brief = { id: submission.id, committee: committee?.id ?? null, updated_at };
    if (known) first.value = [submission, ...others(known)];
    else own.take({ data: [submission, ...others(own.data)], etag: "", next: "" });
    void listed(submission);
    const found = /** @type {any} */ (application.data);
    const mine = [brief, ...others(found.my_submissions ?? [])];
    application.take(learn(path, { ...found, my_submissions: mine }));
  };
  const reload = async () => {
    first.value = null;
    await Promise.all([application.reload(), own.reload()]);
  };
  if (application.data && (known || own.data)) latest[path] = stored;
  return loaded(
    application,
    (found) =>
      loaded(
        known ? { ...own, data: known } : own,
        (all) => {
          const sent = all.filter((one) => one.application === found.id);
          // Without a network, nobody knows what was received.
          const isUnsure = Boolean(application.isOld || (!known && own.isOld));
          return html`<${Steps} club=${club} application=${found} sent=${sent} reload=${reload}
            isUnsure=${isUnsure}
            stored=${(submission) => latest[path](submission)} />`;
        },
        8,
        true,
      ),
    8,
    true,
  );
}

/** Adds a submission to the list of one's own, if that is known here, also without a network. */
async function listed(submission) {
  const seen = cached(OWN) ?? (await remembered(person(), OWN));
  const others = seen?.data.filter((one) => one.id !== submission.id);
  if (others) learn(OWN, [submission, ...others]);
}

/** What the address says of the committee: `undefined` if it was not chosen yet. */
function chosen(application) {
  const text = address.value.query.get("committee");
  const id = Number(text);
  // What was typed for a committee that is gone can still be read.
  if (text === "none" || (application.committees.length === 0 && !id)) return null;
  return application.committees.some((one) => one.id === id) ? id : undefined;
}

function Steps({ club, application, sent, stored, reload, isUnsure }) {
  const committee = chosen(application);
  const end = application.my_end_time ?? application.application_end_time;
  useTicks();
  const isClosed = useComputed(() => {
    const { is_active, application_start_time: start } = application;
    return !is_active || Date.parse(start) > ticks.value || Date.parse(end) < ticks.value;
  }).value;
  const submission = sent.find((one) => (one.committee?.id ?? null) === committee);
  const step = address.value.query.get("step");
  const isOver = Date.parse(end) <= ticks.value;
  const head = html`<${Head} club=${club} application=${application} end=${end}
    isTimed=${!isClosed || isOver} />`;
  if (committee === undefined && !isClosed) {
    return html`<div class="form">${head}<${Committees} club=${club} application=${application}
      sent=${sent} /></div>`;
  }
  const about = { club, application, committee, submission, end };
  if (step === "sent" && submission) return html`<${Sent} ...${about} />`;
  const isDecided = submission && submission.status !== 1;
  if (application.external_url)
    return html`<div class="form">${head}<${Elsewhere} application=${application} /></div>`;
  if (isClosed && committee === undefined) {
    return html`<div class="form">${head}<${Closed} ...${about} sent=${sent}
      isUnsure=${isUnsure} /><${AllTyped} club=${club} application=${application} /></div>`;
  }
  return html`<${ApplyForm} key=${committee} ...${about} others=${sent} head=${head}
    hasEnded=${isClosed || isDecided} isDecided=${isDecided} stored=${stored}
    reload=${reload} isOld=${isUnsure} />`;
}

const Elsewhere = ({ application }) => html`<p>${t("apply.elsewhere")}</p>
  <p><a class="button main" href=${application.external_url} target="_blank"
    rel="noopener noreferrer">${t("apply")} <${Icon} name="external-link" /></a></p>`;

function Head({ club, application, end, isTimed }) {
  const name = useLoad(url`/clubs/${club}/`).data?.name ?? club;
  return html`<p><a class="back" href=${link(url`/clubs/${club}/`)}><${Icon} name="chevron-left" />
    ${name}</a></p>
    <${Title}>${application.name}<//>
    ${
      isTimed &&
      html`<p class="line"><${Left} until=${end} /> <span class="quiet small">
        ${t("apply.until")} <${Time} at=${end} zoned /></span></p>`
    }`;
}

/** The committees, as numbers, for which something is kept in this browser; 0 stands for none. */
const keptFor = (application) =>
  placesOf(person(), `draft/${application.id}/`).map((one) => Number(one.split("/").at(-1)));

/** What was typed for any committee, when none can be chosen any more. */
function AllTyped({ club, application }) {
  const unsent = useLoad("/applications/unsent/").data?.find((one) => one.id === application.id);
  const wanted = Number(address.value.query.get("committee"));
  const known = (unsent?.drafts ?? []).map((id) => id ?? 0);
  const all = new Set([...known, ...keptFor(application), ...(wanted ? [wanted] : [])]);
  return [...all].map(
    (id) => html`<${Typed} key=${id} club=${club} application=${application} id=${id} />`,
  );
}

/** What was typed for a committee that is gone, or closed: nobody should lose it. */
function Typed({ club, application, id }) {
  const path = url`/clubs/${club}/applications/${application.id}/draft/`;
  const draft = useLoad(id ? /** @type {const} */ (`${path}?committee=${id}`) : path);
  const committee = application.committees.find((one) => one.id === id);
  // What the service does not have yet is newer.
  const kept = Object.entries(typedStore(person(), `draft/${application.id}/${id}`).all());
  const all = new Map((draft.data?.responses ?? []).map((one) => [one.question, one]));
  for (const [question, { answer }] of kept) all.set(Number(question), answer);
  const typed = [...all].filter(([, answer]) => isTyped(answer));
  if (typed.length === 0) return null;
  return html`<div class="card"><h2>${t("apply.unsent")}${committee && `: ${committee.name}`}</h2>
    ${!committee && id > 0 && html`<p>${t("apply.committee.gone")}</p>`}
    <${Copies} all=${typed} application=${application} /></div>`;
}

/** The committee comes first: it decides which questions are asked. */
function Committees({ club, application, sent }) {
  const open = useParts("/applications/open/?limit=200");
  const entry = open.data?.find((one) => one.id === application.id);
  const drafts = entry?.drafts ?? [];
  const wanted = Number(address.value.query.get("committee"));
  const isGone = (id) => id && !application.committees.some((one) => one.id === id);
  const gone = [...new Set([...drafts, ...keptFor(application), wanted])].filter(isGone);
  const state = (id) => {
    const isSent = sent.some((one) => (one.committee?.id ?? null) === id);
    if (drafts.includes(id))
      return html`<${Chip} kind="warn" icon="pencil">
        ${t(isSent ? "state.changed" : "state.draft")}<//>`;
    return isSent && html`<${Chip} kind="good" icon="check">${t("state.sent")}<//>`;
  };
  const go = (committee) => () => setQuery({ committee }, { step: true });
  return html`<${Rich} text=${application.description} />
    ${gone.map(
      (id) => html`<${Typed} key=${id} club=${club} application=${application} id=${id} />`,
    )}
    <h2 id="committees">${t("apply.committee.choose")}</h2>
    <p class="quiet">${t("apply.committee.about")}</p>
    <div class="options" role="group" aria-labelledby="committees">
      ${application.committees.map(
        (one) => html`<button key=${one.id} class="option" onClick=${go(one.id)}>
        <b>${one.name}</b><span class="line">${state(one.id)}<${Icon} name="chevron-right" /></span>
          </button>`,
      )}
      <button class="option" onClick=${go("none")}><b>${t("apply.committee.none")}</b>
        <span class="line">${state(null)}<${Icon} name="chevron-right" /></span></button>
    </div>`;
}
