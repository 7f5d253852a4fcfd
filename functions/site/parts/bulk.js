// What officers do with the submissions that they have chosen: decide, with a reason, invite to an
// interview, send mails, and extend the deadline.

import { html, useSignal } from "./kit.js";
import { get, patch, post } from "./api.js";
import { choose } from "./chosen.js";
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
  /**
   * Sets what has this status, and its reason if there is one: what somebody else decided since is
   * left alone, and shown.
   */
  const set = async ([was, status, ids], reason) => {
    const body = { status, was_status: was, submissions: ids, ...(reason && { reason }) };
    const { updated } = await post(`${base}status/`, body).catch(looked);
    const values = { ...(was !== status && decided(status)), ...(reason && { reason }) };
    if (updated === ids.length) change(new Set(ids), values);
    else await load();
    return updated;
  };
  /**
   * The same for groups with their statuses: a call for each. Says how many were set, and which
   * groups nobody else has changed.
   */
  const setAll = async (groups, reason = "") => {
    const whole = [];
    let [updated, other] = [0, 0];
    for (const [i, group] of groups.entries()) {
      const n = await set(group, reason).catch((error) => {
        const isNothing = i === 0 && isFinal(error.status ?? 0);
        throw Object.assign(error, { isNothing, whole });
      });
      updated += n;
      other += group[2].length - n;
      if (n === group[2].length) whole.push(group);
    }
    return { updated, other, whole };
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
    const reasonOf = new Map(picked.map((one) => [one.id, one.reason]));
    const old = (ids) => ids.map((id) => ({ id, reason: reasonOf.get(id) }));
    const ids = picked.map((one) => one.id);
    const groups = STATUSES.flatMap((was) => {
      const its = picked.filter((one) => one.status === was).map((one) => one.id);
      return inParts(its, MOST_AT_ONCE).map(
        (part) => /** @type {[number, number, number[]]} */ ([was, to ?? was, part]),
      );
    });
    /** Takes back what these groups were set to: who else has changed meanwhile is left alone. */
    const undoOf = (whole) => {
      const moved = whole.filter(([was, now]) => was !== now);
      const reasoned = replaced.length ? whole.flatMap(([, , its]) => its) : [];
      if (!moved.length && !reasoned.length) return undefined;
      return async () => {
        const { other } = await setAll(moved.map(([was, now, its]) => [now, was, its]));
        if (reasoned.length) await setReasons(old(reasoned));
        if (other) say(t("submissions.other", { n: other }), "problem");
        else say(t("undone"));
      };
    };
    try {
      if (!to) await setReasons(ids.map((id) => ({ id, reason: text })));
      const { updated, other, whole } = to
        ? await setAll(groups, text)
        : { updated: 0, other: 0, whole: groups };
      const said = to ? t("submissions.updated", { n: updated }) : t("saved");
      // What was typed meanwhile stays.
      if (reason.value === text) reason.value = reasons[base] = "";
      done();
      if (other) say(`${said} ${t("submissions.other", { n: other })}`, "problem", undoOf(whole));
      else say(said, "done", undoOf(whole));
    } catch (error) {
      // The answer may be lost: then some are set, perhaps also those of the last group.
      const isNothing = error.isNothing && to;
      say(error.message, "problem", isNothing ? undefined : undoOf(groups));
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
    const there = new Map((await get(path)).map((one) => [one.person, one]));
    for (const person of new Set(picked.map((one) => one.user.id))) {
      const before = there.get(person);
      // Nobody gets less time than before.
      if (before && Date.parse(before.end_time) >= Date.parse(end_time)) continue;
      if (before) await patch(`${path}${before.id}/`, { end_time });
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
 * @param {string} props.id of the application
 * @param {import("../api").OfApplication} props.form
 * @param {string} props.end of the application
 * @param {any[]} props.picked
 * @param {any} props.change
 * @param {any} props.load
 * @param {() => void} props.done
 */
export function Bulk({ id, form, end, picked, change, load, done }) {
  const base = /** @type {const} */ (`${form}submissions/`);
  const open = useSignal(reasons[base] ? "decide" : "");
  const tab = (name, icon, text) => html`<button aria-expanded=${open.value === name}
    onClick=${() => (open.value = open.value === name ? "" : name)}><${Icon} name=${icon} />
    ${t(text)}</button>`;
  const close = () => {
    open.value = "";
    done();
  };
  /** The bar goes: the keyboard goes on in the table. */
  const nobody = () => {
    done();
    /** @type {HTMLElement | null} */ (document.querySelector(".rows"))?.focus();
  };
  /** The page of the mails means those whom the bar counts: chosen ones that can be seen. */
  const only = () => {
    choose(
      id,
      picked.map((one) => one.id),
    );
  };
  /** What an officer's own mail program needs for a message of another kind. */
  const addresses = [...new Set(picked.map((one) => one.user?.email).filter(Boolean))];
  const copy = () => navigator.clipboard.writeText(addresses.join(", "));
  return html`<div class="line actions" role="group" aria-label=${t("submissions.actions")}>
      <button class="round" aria-label=${t("submissions.none")} onClick=${nobody}><${Icon}
        name="x" /></button><b role="status">${t("submissions.chosen", { n: picked.length })}</b>
      ${tab("decide", "check", "submissions.decide")}
      <a class="button" href=${link(`${form}mails/?type=interview`)} onClick=${only}>
        <${Icon} name="calendar" /> ${t("submissions.invite")}</a>
      <a class="button" href=${link(`${form}mails/`)} onClick=${only}><${Icon} name="mail" />
        ${t("submissions.write")}</a>
      ${tab("extend", "clock", "submissions.extend.open")}
      <${Action} run=${copy} done=${t("submissions.addresses.copied", { n: addresses.length })}>
        <${Icon} name="users" /> ${t("submissions.addresses")}<//>
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
