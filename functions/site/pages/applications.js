// `/applications/`: what the caller has begun and sent, with what they may know of it.

import { html } from "../parts/kit.js";
import { now, remove } from "../parts/api.js";
import { Answers, Receipt } from "../parts/apply_ends.js";
import { Left } from "../parts/countdown.js";
import { loaded, useLoad, useParts } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { Interview } from "../parts/own_interview.js";
import { Standing, ofCommittee, unsentOf } from "../parts/standing.js";
import { moment, t } from "../parts/texts.js";
import { Action, Chip, Empty, Icon, Mono, Time, Title, confirmed } from "../parts/ui.js";

export default function Applications() {
  const own = useLoad("/submissions/");
  const open = useParts("/applications/open/?limit=200");
  const closed = useLoad("/applications/unsent/");
  return html`
    <div class="head"><${Title}>${t("nav.applications")}<//></div>
    ${loaded(own, (all) => {
      // What was sent is shown although the rest could not be loaded.
      const rest = (from) =>
        from.error && from.data === undefined && all.length > 0 ? { ...from, data: [] } : from;
      const both = rest(closed).data === undefined ? closed : rest(open);
      return loaded(both, () => {
        const entries = rest(open).data;
        const late = rest(closed).data.flatMap((entry) =>
          entry.drafts.map((committee) => ({ entry, committee })),
        );
        const drafts = entries.filter(
          (one) => unsentOf(one).length > 0 || (one.withdrawn && one.submissions.length === 0),
        );
        if (all.length + drafts.length + late.length === 0) {
          return html`<${Empty} icon="file-text"><p>${t("applications.none")}</p>
          <p><a class="button main" href=${link("/clubs/?accepting=true")}>${t("clubs.accepting")}
            </a></p><//>`;
        }
        const reload = () => Promise.all([own.reload(), open.reload()]);
        return html`<div class="stack">
        ${drafts.map((one) => html`<${Draft} key=${one.id} entry=${one} />`)}
        ${late.map((one) => html`<${Late} key=${`${one.entry.id}/${one.committee}`} ...${one} />`)}
        ${all.map(
          (one) => html`<${Submission} key=${one.id} submission=${one} reload=${reload}
          entry=${entries.find((entry) => entry.id === one.application)} />`,
        )}</div>`;
      });
    })}`;
}

function Draft({ entry }) {
  return html`<article class="card step"><${Mono} code=${entry.club.code} name=${entry.club.name} />
    <div><h2 class="flat">${entry.name} <span class="quiet">· ${entry.club.name}</span></h2>
      <p class="line"><${Standing} entry=${{ ...entry, submissions: [] }}
        end=${entry.my_end_time} /> <${Left}
        until=${entry.my_end_time} /></p></div>
    <a class="button main do" href=${link(url`/clubs/${entry.club.code}/apply/${entry.id}/`)}>
      ${t(entry.draft ? "home.continue" : "applications.again")}</a></article>`;
}

/** What was typed and not sent before the end. It can be read for some weeks. */
function Late({ entry, committee }) {
  const { club, id, my_end_time: end } = entry;
  const application = useLoad(committee ? url`/clubs/${club.code}/applications/${id}/` : "");
  const name = application.data?.committees.find((one) => one.id === committee)?.name;
  const isOver = Date.parse(end) <= now();
  return html`<article class="card step"><${Mono} code=${club.code} name=${club.name} />
    <div><h2 class="flat">${entry.name} <span class="quiet">· ${club.name}</span></h2>
      <p class="line"><${Chip} kind="problem" icon="x">${t("apply.unsent")}<//>
        ${name && html`<b>${name}</b>`}
        <span class="quiet small">${
          isOver ? t("apply.closed", { time: moment(end) }) : t("apply.paused")
        }</span></p></div>
    <a class="button do" href=${
      link(url`/clubs/${club.code}/apply/${id}/`) + `?committee=${committee ?? "none"}`
    }>${t("applications.late")}</a></article>`;
}

const LOOKS = { 1: ["", "clock"], 2: ["problem", "x"], 3: ["problem", "x"], 4: ["good", "check"] };

function Submission({ submission, entry, reload }) {
  const { club, application: id } = submission;
  const application = useLoad(entry ? "" : url`/clubs/${club}/applications/${id}/`);
  const about = useLoad(entry ? "" : url`/clubs/${club}/`);
  const query = submission.committee ? `?committee=${submission.committee.id}` : "?committee=none";
  const form = url`/clubs/${club}/apply/${id}/` + query;
  const withdraw = async () => {
    if (!confirmed(t("applications.withdraw.sure"))) return false;
    await remove(url`/submissions/${submission.id}/`);
    await reload();
  };
  const [kind, icon] = LOOKS[submission.status];
  const name = entry?.name ?? application.data?.name;
  const of = entry?.club.name ?? about.data?.name ?? club;
  const standing = entry
    ? html`<${Standing} end=${entry.my_end_time}
        entry=${ofCommittee(entry, submission.committee?.id ?? null)} />`
    : html`<${Chip} kind="good" icon="check">${t("state.sent")}<//>`;
  return html`<article class="card">
    <div class="step"><${Mono} code=${club} name=${of} />
      <div><h2 class="flat"><a href=${link(url`/clubs/${club}/`)}>${of}</a>
        ${name && html` · ${name}`}</h2>
        <p class="line">${submission.status === 1 && standing}
          <${Chip} kind=${kind} icon=${icon}>${t(`status.${submission.status}`)}<//>
          ${submission.committee && html`<b>${submission.committee.name}</b>`}
          <span class="quiet small">${t("applications.sent")} <${Time}
            at=${submission.submitted_at} /></span></p></div></div>
    ${submission.interview && html`<${Interview} of=${submission} />`}
    ${submission.reason && html`<p class="answer">${submission.reason}</p>`}
    <details><summary>${t("applications.answers", { n: submission.responses.length })}</summary>
      <${Answers} submission=${submission} /></details>
    <p class="row">
      ${
        entry &&
        submission.status === 1 &&
        html`<a class="button" href=${link(form)}><${Icon}
        name="pencil" /> ${t("apply.edit")}</a>`
      }
      <a class="button" href=${link(`${form}&step=sent`)}><${Icon} name="ticket" /> ${t("receipt")}
        </a>
      <${Receipt} submission=${submission} />
      ${
        entry &&
        submission.status === 1 &&
        html`<${Action} className="danger" run=${withdraw}
        done=${t("applications.withdrawn")}>${t("withdraw")}<//>`
      }
    </p>
  </article>`;
}
