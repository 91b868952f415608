/** What clients of the Kubernetes API change under the eyes of the page. */
import { notify } from "../base/notices.js";
import { textOf } from "../explain/sentence.js";

/** Say the cluster's last change and whose it is, if it came after `before`: "cluster number …" as the page knew it. */
export function tell({ id, can_undo: change }, before) {
  // Where the terminal's list is in view, it is seen there.
  if (document.getElementById("terminal-writes")?.checkVisibility()) return;
  const [cluster, number] = (before ?? "").split(" ").map(Number);
  if (cluster === id && !(number >= change.number)) notify(`${change.client}: ${textOf(change, "what")}`);
}
