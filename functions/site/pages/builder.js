// `/clubs/{club}/applications/{application}/edit/`: an application with its committees, questions
// and mails, and how applicants see it. The application `new` is a new one.

import { html, signal, useMemo, useSignal } from "../parts/kit.js";
import { call, now, post, remove } from "../parts/api.js";
import { INFO, questionsFor } from "../parts/asked.js";
import { Extensions } from "../parts/extensions.js";
import { Danger } from "../parts/danger.js";
import { Form } from "../parts/form.js";
import { MailEditor } from "../parts/mail_editor.js";
import { Question, tooMany } from "../parts/question.js";
import { Questions, Texts } from "../parts/questions.js";
import { url } from "../parts/path.js";
import { link, open } from "../parts/router.js";
import { problemsAt, stateAt } from "../parts/states.js";
import { t } from "../parts/texts.js";
import { loaded, orReload, useLoad } from "../parts/load.js";
import { Action, Chip, Field, Rich, Title, confirmed } from "../parts/ui.js";
import { ApplicationState } from "./workspace.js";

/** The template of a mail, and how applicants see it. */
const mail = (name, label, more) => ({
  name,
  label,
  kind: /** @type {const} */ ("own"),
  show: (field) => html`<${MailEditor} ...${field} label=${label} ...${more} />`,
});

/** The fields of an application of the club with this name, and some who applied. */
const fieldsOf = (club, people) => (values) => [
  { name: "name", label: t("edit.name") },
  { name: "description", label: t("edit.description"), kind: "rich" },
  { name: "application_start_time", label: t("builder.start"), kind: "time" },
  { name: "application_end_time", label: t("builder.end"), kind: "time" },
  {
    name: "result_release_time",
    label: t("builder.release"),
    kind: "time",
    hint: t("builder.release.hint"),
  },
  {
    name: "committees",
    label: t("builder.committees"),
    kind: "own",
    show: (field) =>
      html`<${Texts} ...${field} of="name" label=${t("apply.committee")}
        add=${t("builder.committees.add")} />`,
  },
  { name: "is_active", label: t("builder.active"), kind: "check" },
  { name: "confirmation", label: t("builder.confirmation"), kind: "check" },
  { name: "blind_reviews", label: t("builder.blind"), kind: "check" },
  {
    name: "external_url",
    label: t("builder.external"),
    hint: t("builder.external.hint"),
    empty: null,
  },
  mail("acceptance_email", t("builder.acceptance"), {
    examples: { club, application: values.name },
    people,
  }),
  mail("rejection_email", t("builder.rejection"), {
    examples: { club, application: values.name },
    people,
  }),
  mail("interview_email", t("builder.interview"), {
    examples: { club, application: values.name },
    people,
  }),
  { name: "interview_notice_hours", label: t("builder.notice"), kind: "number" },
];

export default function Builder({ club: code, application: id }) {
  const name = useLoad(url`/clubs/${code}/`).data?.name ?? code;
  return id === "new"
    ? html`<${Title}>${t("builder.new")}<//><${NewApplication} code=${code} club=${name} />`
    : html`<${Present} code=${code} club=${name} id=${id} />`;
}

/** A weekday so many days from now. */
function weekday(days, hours, minutes = 0, seconds = 0) {
  const day = new Date();
  day.setDate(day.getDate() + days);
  while (day.getDay() === 0 || day.getDay() === 6) day.setDate(day.getDate() + 1);
  day.setHours(hours, minutes, seconds, 0);
  return day.toISOString().replace(".000Z", "Z");
}

/** Begins on the next weekday, for two weeks; decisions follow a week after that. */
function NewApplication({ code, club }) {
  const data = useMemo(
    () => ({
      name: "",
      description: "",
      committees: [],
      is_active: false,
      confirmation: true,
      blind_reviews: false,
      external_url: null,
      acceptance_email: t("builder.acceptance.text"),
      rejection_email: t("builder.rejection.text"),
      interview_email: "",
      interview_notice_hours: 12,
      application_start_time: weekday(1, 8),
      application_end_time: weekday(14, 23, 59, 59),
      result_release_time: weekday(21, 12),
    }),
    [],
  );
  const send = (values) => post(url`/clubs/${code}/applications/`, values);
  const stored = (application) => open(url`/clubs/${code}/applications/${application.id}/edit/`);
  return html`<${Form} name=${`application-new-${code}`} fields=${fieldsOf(club)} data=${data} whole
    send=${send} stored=${stored} submit=${t("builder.create")} done=${t("builder.created")} />`;
}

/** The state of an application, and the one button that opens or closes it. */
function State({ application, save, reload }) {
  const state = stateAt(application, now());
  const isOpen = state === "open";
  const start = new Date(Math.floor(now() / 1000) * 1000).toISOString().replace(".000Z", "Z");
  const values = isOpen
    ? { is_active: false }
    : {
        is_active: true,
        // What opened before stays as it was.
        ...(Date.parse(application.application_start_time) > now() && {
          application_start_time: start,
        }),
      };
  // Of what a colleague has changed meanwhile, the page shows the new state.
  const run = orReload(async () => {
    if (isOpen && !confirmed(t("builder.close.sure"))) return false;
    await save(values);
    await reload();
  }, reload);
  return html`<span class="push line"><${ApplicationState} application=${application} />
    ${
      state !== "closed" &&
      Date.parse(application.application_end_time) > now() &&
      html`<${Action} className=${isOpen ? "" : "main"} run=${run}
        done=${t(isOpen ? "builder.closed" : "builder.opened")}>
        ${t(isOpen ? "builder.close" : "builder.open")}<//>`
    }</span>`;
}

function Present({ code, club, id }) {
  const path = url`/clubs/${code}/applications/${id}/`;
  const application = useLoad(path);
  const people = useLoad(/** @type {const} */ (`${path}submissions/?limit=5`)).data;
  const save = (values) => call("PATCH", path, { body: values, etag: application.etag });
  const copy = async () => {
    const made = await post(`${path}duplicate/`);
    open(url`/clubs/${code}/applications/${made.id}/edit/`);
  };
  const close = async (ends) => {
    // Only submissions that were counted in the dialog are deleted with it.
    await remove(ends?.submissions ? `${path}?force=true` : path);
    open(url`/clubs/${code}/recruitment/`);
  };
  return loaded(
    application,
    (found) => html`
    <div class="head"><${Title} name=${t("builder")}>${found.name}<//>
      <${State} application=${found} save=${save} reload=${application.reload} /></div>
    <p class="row"><a href=${link(path)}>${t("submissions")}</a> <a href=${link(`${path}mails/`)}>
      ${t("mails")}</a></p>
    ${problemsAt(found, now()).map(
      (one) => html`<p class="card line" key=${one}><${Chip} kind="warn" icon="circle-alert">
      ${t("builder.problem")}<//> ${t(`builder.problem.${one}`)}</p>`,
    )}
    <section><h2>${t("builder.questions")}</h2>
      <${Questions} application=${found} path=${`${path}questions/`} reload=${application.reload} />
        </section>
    <section><h2>${t("builder.preview")}</h2><${Preview} application=${found} /></section>
    <section><h2>${t("builder.about")}</h2>
      <${Form} name=${`application-${id}`} fields=${fieldsOf(club, people)} data=${found}
        send=${save} stored=${application.reload} reload=${application.reload} /></section>
    <section><h2>${t("extensions")}</h2><${Extensions} path=${`${path}extensions/`}
      end=${found.application_end_time} /></section>
    <div class="row"><${Action} run=${copy} done=${t("builder.copied")}>${t("builder.copy")}<//>
      <${Danger} label=${t("builder.delete")} name=${found.name} ending=${`${path}ending/`}
        about=${t("builder.delete.about")} run=${close} done=${t("builder.deleted")} /></div>`,
    8,
  );
}

/** A draft that is kept nowhere. */
function tryout() {
  const answers = signal({});
  return {
    answers,
    states: signal({}),
    messages: signal({}),
    conflicts: signal({}),
    uploads: signal({}),
    change: (question, value) => {
      answers.value = {
        ...answers.value,
        [question]: { text: "", multiple_choice: null, file: null, ...value },
      };
    },
    resolve: () => {},
  };
}

/** The form as applicants see it. Nothing is sent. */
function Preview({ application }) {
  const committee = useSignal(/** @type {number | null} */ (null));
  const draft = useMemo(tryout, []);
  let number = 0;
  return html`<details class="card"><summary>${t("builder.preview.show")}</summary>
    <h3>${application.name}</h3>
    <${Rich} text=${application.description} />
    ${
      application.committees.length > 0 &&
      html`<${Field} id="preview-committee" label=${t("apply.committee")}>
      <select id="preview-committee"
        onChange=${(event) => (committee.value = Number(event.currentTarget.value) || null)}>
        <option value="">${t("apply.committee.none")}</option>
        ${application.committees.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
      </select><//>`
    }
    ${application.questions.some((one) => one.show_if) && html`<p class="quiet">${t("ask.path")}</p>`}
    ${questionsFor(application, committee.value, draft.answers.value).map((question) => {
      if (question.question_type !== INFO) number += 1;
      return html`<${Question}
      key=${question.id} question=${question} number=${number} draft=${draft}
      errors=${tooMany(question, draft.answers.value[question.id])} />`;
    })}
  </details>`;
}
