/**
 * What is being written or picked and was not sent yet, carried over the reload that shows the page in another
 * language. Each piece has a name that says whose it is (`profile 12`); it is taken over once. What nobody has taken
 * over yet goes along again: what would is perhaps not loaded yet.
 */
import { useEffect, useRef, useState } from "../../vendor/preact.js";

const KEY = "playground.drafts";
const MOST = 500_000; // characters

const pieces = new Map(); // name → function that gives what there is now, null for nothing
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

/** `now()` is asked when the page is left for another language; returns the function that ends it. */
export function keepDraft(name, now) {
  pieces.set(name, now);
  return () => pieces.get(name) === now && pieces.delete(name);
}

/** What came along under this name, once; null for nothing. */
export function takeDraft(name) {
  const found = waiting.get(name) ?? null;
  waiting.delete(name);
  return found;
}

/** Pack it all for the page that comes; whether it could be. */
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

/** `useState` of something that goes along, unless it is as it was in the beginning. */
export function useDraft(name, beginning) {
  const [value, set] = useState(() => takeDraft(name) ?? beginning);
  const now = useRef(null);
  now.current = JSON.stringify(value) === JSON.stringify(beginning) ? null : value;
  useEffect(() => keepDraft(name, () => now.current), [name]);
  return [value, set];
}
