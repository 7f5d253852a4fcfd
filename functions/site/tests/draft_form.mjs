// What tests of drafts share: a draft with a service, a storage and timers of their own.

import { makeDraft } from "../parts/draft.js";

/** Timers that run when the test says so. */
export function clock() {
  const waiting = new Map();
  let next = 1;
  return {
    timers: {
      set: (run, ms) => (waiting.set(next, { run, ms }), next++),
      clear: (id) => waiting.delete(id),
    },
    pauses: () => [...waiting.values()].map((one) => one.ms),
    async pass() {
      const all = [...waiting.values()];
      waiting.clear();
      for (const one of all) await one.run();
    },
  };
}

/** What a browser keeps. */
export function memory(kept = {}) {
  return {
    kept,
    all: () => structuredClone(kept),
    set: (name, value) => (kept[name] = structuredClone(value)),
    remove: (name) => delete kept[name],
  };
}

/** The service: keeps answers with versions, and refuses those that changed meanwhile. */
function service(stored = {}) {
  const sent = [];
  const fails = [];
  const send = async (responses, options) => {
    sent.push({ responses: structuredClone(responses), ...options });
    const failure = fails.shift();
    if (failure && !failure.after) throw failure;
    const conflicts = responses.filter((one) => {
      const had = stored[one.question];
      const isSame = had && had.text === one.text;
      return (had?.version ?? 0) !== one.version && !isSame;
    });
    if (conflicts.length) {
      const body = {
        conflicts: conflicts.map((one) => ({
          question: one.question,
          version: 0,
          ...stored[one.question],
        })),
      };
      throw { status: 412, code: "draft_conflict", body };
    }
    for (const one of responses) {
      const had = stored[one.question];
      if (had?.text === one.text && had?.file === one.file) continue;
      stored[one.question] = {
        text: one.text,
        multiple_choice: one.multiple_choice,
        file: one.file,
        version: (had?.version ?? 0) + 1,
      };
    }
    if (failure) throw failure;
    return {
      responses: Object.entries(stored).map(([question, one]) => ({
        question: Number(question),
        ...one,
      })),
    };
  };
  return { send, sent, fails, stored };
}

export function form(stored, kept) {
  const time = clock();
  const store = memory(kept);
  const server = service(stored);
  const draft = makeDraft({ send: server.send, store, timers: time.timers });
  return { ...server, time, store, draft };
}
