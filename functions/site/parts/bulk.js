// What officers do with the submissions that they have chosen: decide, with a reason, invite to an
// interview, send mails, and extend the deadline.

import { html, useSignal } from "./kit.js";
import { get, patch, post } from "./api.js";
import { inParts } from "./csv.js";
import { Form } from "./form.js";
import { isFinal, isPassing } from "./request.js";
import { link } from "./router.js";
import { STATUSES, decided } from "./submissions.js";
import { t } from "./texts.js";
import { Action, Icon, confirmed, say, useUnsaved } from "./ui.js";

/** So many submissions can be in one request. */
const MOST_AT_ONCE = 2000;

/** The reason that was typed and not sent, by form: the rows that it is for may be away for now. */
const reasons = {};

/**
 * The calls that change many submissions. What somebody else changed meanwhile is left alone.
 * @param {{base: `/clubs/${string}/applications/${string}/submissions/`, change: any, load: any}} of
 */
function writesOf({ base, change, load }) {
  // If the answer was lost, the decisions may be stored. If it is a refusal, somebody has withdrawn
  // or was erased meanwhile.
  const looked = async (error) => {
    if (isPassing(error.status ?? 0) || error.status === 400) await load();
    throw error;
  };
  /** Sets what has this status: what somebody else decided since is left alone, and shown. */
  const set = async (was, status, ids) => {
    const sent = post(`${base}status/`, { status, was_status: was, submissions: ids });
    const { updated } = await sent.catch(looked);
    if (updated === ids.length) change(new Set(ids), decided(status));
    else await load();
    return updated;
  };
  /** The same for submissions with their statuses: a call for each. Says how many were set. */
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
  const setReasons = async (all) => {
    for (const part of inParts(all, MOST_AT_ONCE)) {
      await post(`${base}reason/`, { submissions: part }).catch(looked);
      for (const text of new Set(part.map((one) => one.reason))) {
        const its = part.filter((one) => one.reason === text);
        change(new Set(its.map((one) => one.id)), { reason: text });
      }
    }
  };
  return { setAll, setReasons };
}

/** Chooses a decision, and a reason, for many at once. It can be taken back for a while. */
function Decide({ base, picked, change, load, done }) {
  const { setAll, setReasons } = writesOf({ base, change, load });
  const status = useSignal(/** @type {number | null} */ (null));
  const reason = useSignal(reasons[base] ?? "");
  reasons[base] = reason.value;
  useUnsaved(Boolean(reason.value));
  const run = async () => {
    const [to, text] = [status.value, reason.value];
    const replaced = text ? picked.filter((one) => one.reason && one.reason !== text) : [];
    const name = to ? t(`status.${to}`) : t("applicant.reason");
    const question = to
      ? t("submissions.decide.sure", { n: picked.length, status: name })
      : t("submissions.reasons", { n: picked.length });
    const more = replaced.length ? t("submissions.reasons.sure", { n: replaced.length }) : "";
    if (!confirmed([question, more].filter(Boolean).join("\n\n"))) return false;
    const before = picked.map(({ id, reason }) => ({ id, reason }));
    const groups = STATUSES.map((was) => {
      const ids = picked.filter((one) => one.status === was).map((one) => one.id);
      return /** @type {const} */ ([was, ids]);
    }).filter(([, ids]) => ids.length > 0);
    const changed = groups.filter(([was]) => to && was !== to);
    // What was not set has another status, and is left alone by this, too.
    const back = async () => {
      if (text) await setReasons(before);
      const [, left] = await setAll(changed.map(([was, ids]) => [to, was, ids]));
      if (left) say(t("submissions.other", { n: left }), "problem");
      else say(t("undone"));
    };
    const undo = changed.length || replaced.length ? back : undefined;
    try {
      if (text) await setReasons(before.map(({ id }) => ({ id, reason: text })));
      const [n, other] = to ? await setAll(groups.map(([was, ids]) => [was, to, ids])) : [0, 0];
      const updated = to ? t("submissions.updated", { n }) : t("saved");
      // What was typed meanwhile stays.
      if (reason.value === text) reason.value = reasons[base] = "";
      done();
      if (other) say(`${updated} ${t("submissions.other", { n: other })}`, "problem", undo);
      else say(updated, "done", undo);
    } catch (error) {
      // Some may be set, unless the first call was refused.
      say(error.message, "problem", error.isNothing && !text ? undefined : undo);
      return false;
    }
  };
  return html`<div class="line" role="group" aria-label=${t("applicant.decision")}>
      ${STATUSES.map(
        (one) => html`<button key=${one} aria-pressed=${status.value === one}
          onClick=${() => (status.value = status.value === one ? null : one)}>
          ${t(`status.${one}`)}</button>`,
      )}</div>
    <div class="field"><label for="bulk-reason">${t("applicant.reason")}</label>
      <textarea id="bulk-reason" rows="2" maxlength="5000" value=${reason.value}
        onInput=${(event) => (reason.value = event.currentTarget.value)}></textarea>
      <p class="quiet small flat">${t("submissions.reason.hint")}</p></div>
    <p class="flat"><${Action} className="main" run=${run}
      disabled=${!status.value && !reason.value}>
      ${
        status.value
          ? t("submissions.decide.do", {
              n: picked.length,
              status: t(`status.${status.value}`),
            })
          : t("submissions.reasons", { n: picked.length })
      }<//></p>`;
}

/**
 * Lets those who were chosen change their answers for longer.
 * @param {{form: import("../api").OfApplication, end: string, picked: any[], done: () => any}} props
 */
function Extend({ form, end, picked, done }) {
  const send = async ({ end_time }) => {
    const path = /** @type {const} */ (`${form}extensions/`);
    const there = new Map((await get(path)).map((one) => [one.person, one.id]));
    for (const person of new Set(picked.map((one) => one.user.id))) {
      const id = there.get(person);
      if (id) await patch(`${path}${id}/`, { end_time });
      else await post(path, { person: { id: person }, end_time });
    }
  };
  return html`<${Form} name=${`extend-${form}`} whole send=${send} stored=${done}
    fields=${[{ name: "end_time", label: t("extensions.end"), kind: "time" }]}
    data=${{ end_time: end }} submit=${t("submissions.extend", { n: picked.length })} />`;
}

/**
 * The bar with what can be done with those who were chosen.
 * @param {object} props
 * @param {import("../api").OfApplication} props.form
 * @param {string} props.end of the application
 * @param {any[]} props.picked
 * @param {any} props.change
 * @param {any} props.load
 * @param {() => void} props.done
 */
export function Bulk({ form, end, picked, change, load, done }) {
  const base = /** @type {const} */ (`${form}submissions/`);
  const open = useSignal(reasons[base] ? "decide" : "");
  const tab = (name, icon, text) => html`<button aria-expanded=${open.value === name}
    onClick=${() => (open.value = open.value === name ? "" : name)}><${Icon} name=${icon} />
    ${t(text)}</button>`;
  const close = () => {
    open.value = "";
    done();
  };
  return html`<div class="line actions" role="group" aria-label=${t("submissions.actions")}>
      <button class="round" aria-label=${t("submissions.none")} onClick=${done}><${Icon}
        name="x" /></button><b>${t("submissions.chosen", { n: picked.length })}</b>
      ${tab("decide", "check", "submissions.decide")}
      <a class="button" href=${link(`${form}mails/?type=interview`)}><${Icon} name="calendar" />
        ${t("submissions.invite")}</a>
      <a class="button" href=${link(`${form}mails/`)}><${Icon} name="mail" />
        ${t("submissions.write")}</a>
      ${tab("extend", "clock", "submissions.extend.open")}
      </div>
    ${
      open.value === "decide" &&
      html`<div class="card wide"><${Decide} ...${{ base, picked, change, load }}
        done=${close} /></div>`
    }
    ${
      open.value === "extend" &&
      html`<div class="card wide"><${Extend} ...${{ form, end, picked }} done=${close} /></div>`
    }`;
}
