// A long list that arrives part by part and is kept. Nothing here knows the page, so that it is
// tested without a browser.

import { signal } from "../vendor/libraries.js";

/**
 * @template {{id: number, updated_at: string}} T
 * @param {object} around
 * @param {string} around.first the address of the first part
 * @param {string} around.newest that of the newest ones
 * @param {(path: string) => Promise<{data: T[], next: string}>} around.ask
 */
export function makePartList({ first, newest, ask }) {
  const state = signal(
    /** @type {{all: T[], isComplete: boolean, loads: number, error: any}} */ ({
      all: [],
      isComplete: false,
      loads: 0,
      error: null,
    }),
  );
  /** The number of the last load: what an earlier one brings later is not shown. */
  let last = 0;
  let isLoading = false;
  /** Rises with each change that was made here. */
  let changes = 0;
  /** @type {Map<number, {values: Partial<T>, number: number}>} */
  const changed = new Map();
  /** What was answered to a request, with what was changed here since it was sent. */
  const answered = async (path) => {
    const before = changes;
    const { data, next } = await ask(path);
    const present = () =>
      data.map((one) => {
        const change = changed.get(one.id);
        return change && change.number > before ? { ...one, ...change.values } : one;
      });
    return { present, next };
  };
  const list = {
    state,
    /**
     * Loads all. A list that is complete stays so until the new one is: nothing goes meanwhile.
     * Returns whether it is there. What nobody asked for may fail.
     */
    async load(isAsked = true) {
      const number = ++last;
      isLoading = true;
      const { isComplete: isKept, loads } = state.value;
      /** @type {(() => T[])[]} */
      const parts = [];
      try {
        for (let path = first; path; ) {
          const { present, next } = await answered(path);
          if (number !== last) return false;
          parts.push(present);
          path = next;
          if (path && isKept) continue;
          const all = parts.flatMap((one) => one());
          state.value = { all, isComplete: !path, loads: path ? loads : loads + 1, error: null };
        }
        return true;
      } catch (error) {
        if (number === last && (isAsked || !isKept)) state.value = { ...state.value, error };
        return false;
      } finally {
        if (number === last) isLoading = false;
      }
    },
    /** Asks for no further parts: nobody looks at the list any more. */
    leave() {
      last += 1;
      isLoading = false;
    },
    /** Takes over what is newer than what is shown. */
    async arrive() {
      if (!state.value.isComplete || isLoading) return;
      const { present, next } = await answered(newest);
      const known = new Map(state.value.all.map((one) => [one.id, one]));
      if (state.value.error) state.value = { ...state.value, error: null };
      const arrived = present().filter((one) => known.get(one.id)?.updated_at !== one.updated_at);
      if (arrived.length === 0) return;
      // There may be more new ones than one answer has.
      if (next && arrived.length === present().length) return list.load();
      for (const one of arrived) known.set(one.id, { ...known.get(one.id), ...one });
      state.value = { ...state.value, all: [...known.values()] };
    },
    /** Takes over what a decision or a review answered. */
    change(ids, values) {
      changes += 1;
      for (const id of ids) {
        const before = changed.get(id)?.values;
        changed.set(id, { values: { ...before, ...values }, number: changes });
      }
      const all = state.value.all.map((one) => (ids.has(one.id) ? { ...one, ...values } : one));
      state.value = { ...state.value, all };
    },
  };
  return list;
}
