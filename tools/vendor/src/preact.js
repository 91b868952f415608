// The one module that views import for drawing: Preact, its hooks, signals, and htm bound to `h`.
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
export {
  Component,
  Fragment,
  cloneElement,
  createContext,
  createPortal,
  createRef,
  h,
  hydrate,
  isValidElement,
  options,
  render,
  toChildArray,
} from "preact";
export {
  useCallback,
  useContext,
  useDebugValue,
  useErrorBoundary,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useEffect,
} from "preact/hooks";
export {
  Signal,
  batch,
  computed,
  effect,
  signal,
  untracked,
  useComputed,
  useSignal,
  useSignalEffect,
} from "@preact/signals";
