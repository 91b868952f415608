/** The pods on the nodes shown as cards, fetched by range, as before the cycle on the screen. */
import { signal } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { atHead, store } from "../base/store.js";
import { nodesInView } from "./nodes_model.js";

const MOST = 200; // nodes per request

/** Map node → [pod], of the last answer. */
export const podsByNode = signal(new Map());

/** Map pod → the owner with its template. */
export const ownerByPod = signal(new Map());

export const visibleNodes = signal([]);

/** Return the number of the cycle to ask for; null for the present. */
export function cycleToRequest() {
  const shown = store.shown.peek();
  return shown && (!atHead.peek() || nodesInView.peek().columns === store.nodesBeforeCycle.peek())
    ? shown.record.cycle.number
    : null;
}

let answeredFor = "";

const refresh = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id || !visibleNodes.peek().length) return;
  const past = cycleToRequest();
  const names = visibleNodes.peek().map(encodeURIComponent).join(",");
  const question = `nodes=${names}${past === null ? "" : `&cycle=${past}`}`;
  const moment = `${id} ${past ?? store.cluster.peek().revision} ${question}`;
  if (moment === answeredFor) return;
  try {
    const { pods, owners } = await get(`${clusterPath(id, "pods")}?${question}`);
    if (store.cluster.peek()?.id !== id) return;
    answeredFor = moment;
    ownerByPod.value = new Map(Object.entries(owners));
    podsByNode.value = new Map(Object.entries(pods));
  } catch {
    // The dots then have no names; the columns have the number of pods.
  }
}, 250);

/** Fetch the pods of these visible nodes. */
export function showPodsOf(names) {
  if (names.join() !== visibleNodes.peek().join()) visibleNodes.value = names.slice(0, MOST);
  refresh();
}
