/**
 * Unsent input that survives the reload into another language. Each piece has a name with its owner (`profile 12`) and
 * is restored once. Pieces that are not restored yet stay stored, because their module may not be loaded.
 */
import { useEffect, useRef, useState } from "../../vendor/preact.js";

const KEY = "playground.drafts";
const MOST = 500_000; // characters

const draftReaders = new Map(); // name → function that returns the present value, null for none
const storedDrafts = readStoredDrafts();

function readStoredDrafts() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return new Map(Object.entries(JSON.parse(text) ?? {}));
  } catch {
    return new Map();
  }
}

/**
 * Register `readValue()`, which returns the input when the page changes its language. Return the function that
 * unregisters it.
 */
export function registerDraft(name, readValue) {
  draftReaders.set(name, readValue);
  return () => draftReaders.get(name) === readValue && draftReaders.delete(name);
}

/** Return the stored value of a name, once; null for none. */
export function takeDraft(name) {
  const value = storedDrafts.get(name) ?? null;
  storedDrafts.delete(name);
  return value;
}

/** Store all pieces for the next page; return true if they fit. */
export function storeDrafts() {
  const drafts = [
    ...storedDrafts,
    ...[...draftReaders].map(([name, readValue]) => [name, readValue()]).filter(([, value]) => value !== null),
  ];
  if (!drafts.length) return true;
  const text = JSON.stringify(Object.fromEntries(drafts));
  if (text.length > MOST) return false;
  try {
    sessionStorage.setItem(KEY, text);
    return true;
  } catch {
    return false;
  }
}

/** `useState` of a value that survives the change of language, unless it equals its initial value. */
export function useDraft(name, initial) {
  const [value, set] = useState(() => takeDraft(name) ?? initial);
  const latest = useRef(null);
  latest.current = JSON.stringify(value) === JSON.stringify(initial) ? null : value;
  useEffect(() => registerDraft(name, () => latest.current), [name]);
  return [value, set];
}
