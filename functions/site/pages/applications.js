// `/applications/`: what the caller has begun and sent, with what they may know of it.

import { html } from "../parts/kit.js";
import { call, now, remove } from "../parts/api.js";
import { person } from "../parts/auth.js";
import { JoinInvited } from "../parts/accept.js";
import { Answers, Receipt } from "../parts/apply_ends.js";
import { Left, ticks, useTicks } from "../parts/countdown.js";
import { loaded, useLoad, useParts } from "../parts/load.js";
import { url } from "../parts/path.js";
import { link } from "../parts/router.js";
import { typedStore } from "../parts/store.js";
import { Interview } from "../parts/own_interview.js";
import { Standing, isBroken } from "../parts/standing.js";
import { ofCommittee, unsentOf } from "../parts/states.js";
import { moment, t } from "../parts/texts.js";
import {
  Action,
  Chip,
  Empty,
  Icon,
  Mono,
  Problem,
  Skeleton,
  Time,
  Title,
  confirmed,
} from "../parts/ui.js";

export default function Applications() {
  const own = useParts("/submissions/");
  const open = useParts("/applications/open/?limit=200");
  const closed = useLoad("/applications/unsent/");
  const home = useLoad("/home/");
  const inviteOf = (club) => home.data?.invites.find((one) => one.club.code === club);
  return html`
    <div class="head"><${Title}>${t("nav.applications")}<//></div>
    ${loaded(own, (all) => {
      // What there is, is shown although something could not be loaded.
      const others = [open, closed];
      const failed = others.find((one) => one.error && one.data === undefined);
      const isLoading = others.some((one) => !one.error && one.data === undefined);
      const entries = open.data ?? [];
      const late = (closed.data ?? []).flatMap((entry) =>
        entry.drafts.map((committee) => ({ entry, committee })),
      );
      const drafts = entries.filter(
        (one) => unsentOf(one).length > 0 || (one.withdrawn && one.submissions.length === 0),
      );
      const isNone = all.length + drafts.length + late.length === 0;
      const reload = () => Promise.all([own.reload(), open.reload(), closed.reload()]);
      return html`<div class="stack">
        ${failed && html`<${Problem} error=${failed.error} retry=${reload} />`}
        ${
          isNone &&
          !isLoading &&
          !failed &&
          html`<${Empty} icon="file-text"><p>${t("applications.none")}</p>
          <p><a class="button main" href=${link("/clubs/?accepting=true")}>${t("clubs.accepting")}
            </a></p><//>`
        }
        ${drafts.map((one) => html`<${Draft} key=${one.id} entry=${one} />`)}
        ${late.map((one) => html`<${Late} key=${`${one.entry.id}/${one.committee}`} ...${one} />`)}
        ${
          (open.data || open.error) &&
          all.map(
            (one) => html`<${Submission} key=${one.id} submission=${one} reload=${reload}
          invite=${one === firstOf(all, one.club) && inviteOf(one.club)}
          joined=${() => home.reload()}
          entry=${entries.find((entry) => entry.id === one.application)} />`,
          )
        }
        ${isLoading && html`<${Skeleton} lines=${4} />`}</div>`;
    })}`;
}

/** Of two committees of a club that accepted somebody, the first has the button to join. */
const firstOf = (all, club) => all.find((one) => one.status === 4 && one.club === club);

function Draft({ entry }) {
  useTicks();
  if (Date.parse(entry.my_end_time) < ticks.value) {
    return unsentOf(entry).map((id) => html`<${Late} key=${id} entry=${entry} committee=${id} />`);
  }
  return html`<article class="card step"><${Mono} code=${entry.club.code} name=${entry.club.name}
      image=${entry.club.image_url} />
    <div><h2 class="flat">${entry.name} <span class="quiet">· ${entry.club.name}</span></h2>
      <p class="line"><${Standing} entry=${{ ...entry, submissions: [] }}
        end=${entry.my_end_time} /> ${
          isBroken(entry.id) && html`<${Chip} kind="warn" icon="clock">${t("apply.broken")}<//>`
        } <${Left}
        until=${entry.my_end_time} /></p></div>
    <a class="button main do" href=${link(url`/clubs/${entry.club.code}/apply/${entry.id}/`)}>
      ${t(entry.draft ? "home.continue" : "applications.again")}</a></article>`;
}

/** What was typed and not sent, and cannot be sent now. It can be read for some weeks. */
function Late({ entry, committee }) {
  const { club, id, my_end_time: end } = entry;
  const application = useLoad(committee ? url`/clubs/${club.code}/applications/${id}/` : "");
  const name = application.data?.committees.find((one) => one.id === committee)?.name;
  const isOver = Date.parse(end) <= now();
  return html`<article class="card step"><${Mono} code=${club.code} name=${club.name}
      image=${club.image_url} />
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

/**
 * Keeps the answers of a submission as a draft, so that a withdrawal does not end it. Files go with
 * the submission. What was typed after it was sent is a draft already, and stays as it is.
 */
async function keepAnswers({ club, application, committee, responses }) {
  const whole = url`/clubs/${club}/applications/${application}/draft/`;
  const path = committee ? /** @type {const} */ (`${whole}?committee=${committee.id}`) : whole;
  const body = {
    responses: responses
      .filter((answer) => !answer.file)
      .map((answer) => ({
        question: answer.question.id,
        text: answer.text,
        multiple_choice: answer.multiple_choice?.id ?? null,
        file: null,
        version: 0,
      })),
  };
  if (body.responses.length === 0) return;
  await call("PATCH", path, { body }).catch((error) => {
    // Of a question that was deleted, no draft can be made.
    if (error.status !== 412 && error.status !== 400) throw error;
  });
}

const LOOKS = { 1: ["", "clock"], 2: ["problem", "x"], 3: ["problem", "x"], 4: ["good", "check"] };

function Submission({ submission, entry, reload, invite, joined }) {
  const { club, application: id } = submission;
  // Those that are open are in the list of open ones.
  const isClosed = submission.club_archived;
  const application = useLoad(entry || isClosed ? "" : url`/clubs/${club}/applications/${id}/`);
  const query = submission.committee ? `?committee=${submission.committee.id}` : "?committee=none";
  const form = url`/clubs/${club}/apply/${id}/` + query;
  const withdraw = async () => {
    if (!confirmed(t("applications.withdraw.sure"))) return false;
    await keepAnswers(submission);
    await remove(url`/submissions/${submission.id}/`);
    typedStore(person(), `sending/${id}/${submission.committee?.id ?? 0}`).remove("last");
    await reload();
  };
  const [kind, icon] = LOOKS[submission.status];
  const name = entry?.name ?? application.data?.name;
  const of = submission.club_name ?? club;
  const standing = entry
    ? html`<${Standing} end=${entry.my_end_time}
        entry=${ofCommittee(entry, submission.committee?.id ?? null)} />`
    : html`<${Chip} kind="good" icon="check">${t("state.sent")}<//>`;
  return html`<article class="card">
    <div class="step"><${Mono} code=${club} name=${of} image=${submission.club_image_url} />
      <div><h2 class="flat">${isClosed ? of : html`<a href=${link(url`/clubs/${club}/`)}>${of}</a>`}
        ${name && html` · ${name}`}</h2>
        <p class="line">${submission.status === 1 && !isClosed && standing}
          ${
            submission.status === 1 && isClosed
              ? html`<${Chip} icon="lock">${t("state.ended")}<//>`
              : html`<${Chip} kind=${kind} icon=${icon}>${t(`status.${submission.status}`)}<//>`
          }
          ${submission.committee && html`<b>${submission.committee.name}</b>`}
          <span class="quiet small">${t("applications.sent")} <${Time}
            at=${submission.submitted_at} /></span></p></div></div>
    ${isClosed && submission.status === 1 && html`<p>${t("applications.ended")}</p>`}
    ${submission.interview && html`<${Interview} of=${submission} />`}
    ${submission.reason && html`<p class="answer">${submission.reason}</p>`}
    ${invite && html`<${JoinInvited} invite=${invite} joined=${joined} />`}
    <details><summary>${t("applications.answers", { n: submission.responses.length })}</summary>
      <${Answers} submission=${submission} /></details>
    <p class="row">
      ${
        entry &&
        submission.status === 1 &&
        html`<a class="button" href=${link(form)}><${Icon}
        name="pencil" /> ${t("apply.edit")}</a>`
      }
      ${
        !isClosed &&
        html`<a class="button" href=${link(`${form}&step=sent`)}><${Icon} name="ticket" />
          ${t("receipt")}</a>`
      }
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
