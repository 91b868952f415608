/** Notices of changes that clients of the Kubernetes API make while the page is open. */
import { notify } from "../base/notices.js";
import { translatedText } from "../base/sentence.js";

/** Show the newest change and its client, if it came after `before`, the "cluster number …" that the page knew. */
export function reportClientChange({ id, can_undo: change }, before) {
  // The panel of kubectl already lists it.
  if (document.getElementById("terminal-writes")?.checkVisibility()) return;
  const [cluster, number] = (before ?? "").split(" ").map(Number);
  if (cluster === id && !(number >= change.number)) notify(`${change.client}: ${translatedText(change, "what")}`);
}
