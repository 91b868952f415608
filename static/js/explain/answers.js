/** Cached explanations of the server; docs/reference/http-api.md lists them. */
import { effect, signal } from "../../vendor/preact.js";
import { get, of, post } from "../base/api.js";
import { words } from "../base/i18n.js";
import { Recent } from "../base/latest.js";
import { store } from "../base/store.js";

const CACHE_SIZE = 200;
// ms that a cycle must stay on the screen before requests are sent.
const REST = 300;

const cache = new Recent(CACHE_SIZE);
let since = 0;
let number = null;

effect(() => {
  const now = store.shown.value?.record.cycle.number ?? null;
  if (now === number) return;
  number = now;
  since = performance.now();
});

/** @typedef {{ state: "asking" | "there" | "failed", value?: any, error?: Error, again?: () => void }} Answer */

/** Return a signal of an answer. `wanted()` returns true while the request is still useful. */
function begin(path, wait, wanted) {
  const answer = signal(/** @type {Answer} */ ({ state: "asking" }));
  const ask = async () => {
    if (!wanted()) return cache.delete(path);
    try {
      const [value] = await Promise.all([get(path), words()]);
      answer.value = { state: "there", value };
    } catch (error) {
      await words();
      answer.value = { state: "failed", error, again };
    }
  };
  const again = () => {
    answer.value = { state: "asking" };
    ask();
  };
  setTimeout(ask, wait);
  cache.set(path, answer);
  return answer;
}

/** Return an answer about a cycle of the open cluster; cycles that pass quickly send no request. */
function aboutCycle(cycle, parts, query = "") {
  const path = of(store.cluster.peek().id, "cycles", cycle, ...parts) + query;
  const wait = Math.max(0, since + REST - performance.now());
  return cache.get(path) ?? begin(path, wait, () => store.shown.peek()?.record.cycle.number === cycle);
}

/** Return the signal of an answer: `answerOf(8, "nodes", "node-1", "ledger")`. */
export const answerOf = (cycle, ...parts) => aboutCycle(cycle, parts);

/** Return why node a beats node b. */
export const comparisonOf = (cycle, a, b) => aboutCycle(cycle, ["compare"], `?${new URLSearchParams({ a, b })}`);

/** Return the answer at an address with a query, or about something that does not change any more. */
export const answerAt = (path) => cache.get(path) ?? begin(path, 0, () => true);

export const decodeText = (text) => post("explain/decode/", { text });
