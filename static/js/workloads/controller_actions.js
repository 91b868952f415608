/** Actions of the panel of workloads. */
import { get, clusterPath, post } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { storeChanged } from "../cycle/sync.js";
import { performCommand } from "../drive/run.js";

/** Set how the cluster's time advances: `{live}` or `{seconds_per_second}`. */
export async function setTime(settings) {
  const { id } = store.cluster.peek();
  try {
    storeChanged(id, await post(clusterPath(id, "pace"), settings), ["live", "pace", "speed"]);
  } catch (error) {
    reportError(error);
  }
}

/**
 * Start controllers with live time. `keep`: objects first lose missing owners, otherwise the garbage collector deletes
 * them.
 */
export async function startAllControllers({ keep = false } = {}) {
  const words = _("Starting controllers");
  if (keep && (await performCommand({ kind: "orphan" }, words))?.state !== "done") return;
  const ended = await performCommand({ kind: "set_actors", actors: "all", hashes: "upstream" }, words);
  if (ended?.state === "done") await setTime({ live: true });
}

/** Start controllers, after a confirmation if objects would be deleted. */
export async function startControllers() {
  try {
    const { counts } = await get(clusterPath(store.cluster.peek().id, "ownerless"));
    if (Object.keys(counts).length) openDialog("ownerless", { counts });
    else await startAllControllers();
  } catch (error) {
    reportError(error);
  }
}
