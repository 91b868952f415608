/**
 * Which pods are on the nodes that are looked at closely: asked for by range, as the cycle on the screen found them.
 */
import { signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { atHead, ground, store } from "../base/store.js";

const MOST = 200; // nodes in one question

/** Map node → [pod] of what is known now. */
export const placed = signal(new Map());

/** Map pod → who has its template, of those that have an owner. */
export const ownerOf = signal(new Map());

/** The nodes that are on the screen. */
export const seen = signal([]);

/** The cycle that what is on the nodes is asked of; null for now. */
export function placedFor() {
  const shown = store.shown.peek();
  return shown && (!atHead.peek() || ground.peek().columns === store.found.peek()) ? shown.record.cycle.number : null;
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

/** These nodes are on the screen with their pods. */
export function seeNodes(names) {
  if (names.join() !== seen.peek().join()) seen.value = names.slice(0, MOST);
  refresh();
}
