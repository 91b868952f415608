/** Another attempt for the pod of the cycle on the screen. */
import { get, clusterPath } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { store } from "../base/store.js";
import { END } from "../cycle/moment.js";
import { confirmChange } from "../branches/branches.js";
import { performCommand, waitUntilReady } from "./run.js";
import { arriveAt } from "../cycle/sync.js";

const TO_MOVE = new Set(["backoff", "errorBackoff", "unschedulable"]);

/** Move the pod to Active if needed, and run up to its next attempt. */
export async function runAgain() {
  const pod = store.shown.peek()?.record.cycle.pod;
  if (!pod || !(await waitUntilReady()) || !(await confirmChange())) return;
  try {
    const { lane, node } = await get(clusterPath(store.cluster.peek().id, "pods", ...pod.split("/")));
    if (node)
      return notify(
        fill(_("{pod} already runs on {node}. A cycle places a Pod only once."), { pod: podName(pod), node }),
      );
    if (lane === "gated" || lane === "gone")
      return notify(fill(_("{pod} is not waiting for an attempt."), { pod: podName(pod) }));
    if (TO_MOVE.has(lane)) {
      const moved = await performCommand(
        { kind: "activate", pod },
        fill(_("Moving {pod} to Active"), { pod: podName(pod) }),
      );
      if (moved?.state !== "done") return;
    }
    store.following.value = true;
    arriveAt(END);
    await performCommand({ kind: "run", until: { pod } }, _("Running it again"));
  } catch (error) {
    reportError(error);
  }
}
