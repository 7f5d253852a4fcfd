// The libraries, under one name. Pages import from here only.

import { Component, Fragment, h, render } from "../vendor/preact.js";
import { useEffect, useMemo, useRef } from "../vendor/hooks.js";
import htm from "../vendor/htm.js";
import { batch, computed, effect, signal, useComputed, useSignal } from "../vendor/signals.js";

/** A copy of an object without one of its names. */
export const without = (object, name) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== String(name)));

export const html = htm.bind(h);
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
};
