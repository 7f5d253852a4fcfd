// The libraries, under one name. Pages import from here only.

import { h, htm } from "../vendor/libraries.js";

export {
  Component,
  Fragment,
  batch,
  computed,
  effect,
  render,
  signal,
  useComputed,
  useEffect,
  useMemo,
  useRef,
  useSignal,
} from "../vendor/libraries.js";

/** A copy of an object without one of its names. */
export const without = (object, name) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== String(name)));

export const html = htm.bind(h);
