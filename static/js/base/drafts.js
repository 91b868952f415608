/**
 * Unsent input that survives the reload into another language. Each piece has a name with its owner (`profile 12`) and
 * is restored once. Pieces that are not restored yet stay stored, because their module may not be loaded.
 */
import { useEffect, useRef, useState } from "../../vendor/preact.js";

const KEY = "playground.drafts";
const MOST = 500_000; // characters

const pieces = new Map(); // name → function that returns the present value, null for none
const waiting = read();

function read() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return new Map(Object.entries(JSON.parse(text) ?? {}));
  } catch {
    return new Map();
  }
}

/**
 * Register `now()`, which returns the value when the page changes its language; return the function that unregisters
 * it.
 */
export function keepDraft(name, now) {
  pieces.set(name, now);
  return () => pieces.get(name) === now && pieces.delete(name);
}

/** Return the stored value of a name, once; null for none. */
export function takeDraft(name) {
  const found = waiting.get(name) ?? null;
  waiting.delete(name);
  return found;
}

/** Store all pieces for the next page; return true if they fit. */
export function packed() {
  const found = [...waiting, ...[...pieces].map(([name, now]) => [name, now()]).filter(([, value]) => value !== null)];
  if (!found.length) return true;
  const text = JSON.stringify(Object.fromEntries(found));
  if (text.length > MOST) return false;
  try {
    sessionStorage.setItem(KEY, text);
    return true;
  } catch {
    return false;
  }
}

/** `useState` of a value that survives the change of language, unless it equals its initial value. */
export function useDraft(name, beginning) {
  const [value, set] = useState(() => takeDraft(name) ?? beginning);
  const now = useRef(null);
  now.current = JSON.stringify(value) === JSON.stringify(beginning) ? null : value;
  useEffect(() => keepDraft(name, () => now.current), [name]);
  return [value, set];
}
