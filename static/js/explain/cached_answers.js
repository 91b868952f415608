/** Cached explanations of the server; docs/reference/http-api.md lists them. */
import { effect, signal } from "../../vendor/preact.js";
import { get, clusterPath, post } from "../base/api.js";
import { loadMessages } from "../base/i18n.js";
import { Recent } from "../base/latest.js";
import { store } from "../base/store.js";

const CACHE_SIZE = 200;
// ms that a cycle must stay on the screen before requests are sent.
const REST = 300;

const cache = new Recent(CACHE_SIZE);
let shownSince = 0;
let shownNumber = null;

effect(() => {
  const now = store.shown.value?.record.cycle.number ?? null;
  if (now === shownNumber) return;
  shownNumber = now;
  shownSince = performance.now();
});

/** @typedef {{ state: "asking" | "there" | "failed", value?: any, error?: Error, retry?: () => void }} Answer */

/** Return a signal of an answer. `isUseful()` returns true while the request is still useful. */
function startRequest(path, wait, isUseful) {
  const answer = signal(/** @type {Answer} */ ({ state: "asking" }));
  const ask = async () => {
    if (!isUseful()) return cache.delete(path);
    try {
      const [value] = await Promise.all([get(path), loadMessages()]);
      answer.value = { state: "there", value };
    } catch (error) {
      await loadMessages();
      answer.value = { state: "failed", error, retry };
    }
  };
  const retry = () => {
    answer.value = { state: "asking" };
    ask();
  };
  setTimeout(ask, wait);
  cache.set(path, answer);
  return answer;
}

/** Return an answer about a cycle of the open cluster; cycles that pass quickly send no request. */
function answerAboutCycle(cycle, parts, query = "") {
  const path = clusterPath(store.cluster.peek().id, "cycles", cycle, ...parts) + query;
  const wait = Math.max(0, shownSince + REST - performance.now());
  return cache.get(path) ?? startRequest(path, wait, () => store.shown.peek()?.record.cycle.number === cycle);
}

/** Return the signal of an answer: `answerOf(8, "nodes", "node-1", "ledger")`. */
export const answerOf = (cycle, ...parts) => answerAboutCycle(cycle, parts);

/** Return why node a beats node b. */
export const comparisonOf = (cycle, a, b) => answerAboutCycle(cycle, ["compare"], `?${new URLSearchParams({ a, b })}`);

/** Return the answer at an address with a query, or about something that does not change any more. */
export const answerAt = (path) => cache.get(path) ?? startRequest(path, 0, () => true);

export const decodeText = (text) => post("explain/decode/", { text });
