/** The pods on the nodes that are shown as cards, fetched by range, as the cycle on the screen found them. */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { atHead, store } from "../base/store.js";
import { nodesInView } from "./nodes_model.js";

const MOST = 200; // nodes in one question

/** Map node → [pod], of the last answer. */
export const placed = signal(new Map());

/** Map pod → the owner that has its template. */
export const ownerOf = signal(new Map());

/** The nodes that are on the screen. */
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
    // Then the dots have no names; how many pods there are is known from the columns.
  }
}, 250);

/** Fetch the pods of these nodes: they are on the screen. */
export function seeNodes(names) {
  if (names.join() !== seen.peek().join()) seen.value = names.slice(0, MOST);
  refresh();
}
