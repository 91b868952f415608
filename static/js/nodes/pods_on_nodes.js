/** The pods on the nodes shown as cards, fetched by range, as before the cycle on the screen. */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { atHead, store } from "../base/store.js";
import { nodesInView } from "./nodes_model.js";

const MOST = 200; // nodes per request

/** Map node → [pod], of the last answer. */
export const placed = signal(new Map());

/** Map pod → the owner with its template. */
export const ownerOf = signal(new Map());

/** The visible nodes. */
export const seen = signal([]);

/** Return the number of the cycle to ask for; null for the present. */
export function placedFor() {
  const shown = store.shown.peek();
  return shown && (!atHead.peek() || nodesInView.peek().columns === store.found.peek())
    ? shown.record.cycle.number
    : null;
}

let answered = "";

const refresh = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id || !seen.peek().length) return;
  const past = placedFor();
  const question = `nodes=${seen.peek().map(encodeURIComponent).join(",")}${past === null ? "" : `&cycle=${past}`}`;
  const moment = `${id} ${past ?? store.cluster.peek().revision} ${question}`;
  if (moment === answered) return;
  try {
    const { pods, owners } = await get(`${of(id, "pods")}?${question}`);
    if (store.cluster.peek()?.id !== id) return;
    answered = moment;
    ownerOf.value = new Map(Object.entries(owners));
    placed.value = new Map(Object.entries(pods));
  } catch {
    // The dots then have no names; the columns have the number of pods.
  }
}, 250);

/** Fetch the pods of these visible nodes. */
export function seeNodes(names) {
  if (names.join() !== seen.peek().join()) seen.value = names.slice(0, MOST);
  refresh();
}
