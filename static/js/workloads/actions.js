/** Actions of the panel of workloads. */
import { get, of, post } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { storeChanged } from "../cycle/sync.js";
import { perform } from "../drive/run.js";

/** Set how the cluster's time advances: `{live}` or `{seconds_per_second}`. */
export async function setTime(wanted) {
  const { id } = store.cluster.peek();
  try {
    storeChanged(id, await post(of(id, "pace"), wanted), ["live", "pace", "speed"]);
  } catch (error) {
    report(error);
  }
}

/**
 * Start controllers with live time. `keep`: objects first lose missing owners, otherwise the garbage collector deletes
 * them.
 */
export async function switchOn({ keep = false } = {}) {
  const words = _("Switching the controllers on");
  if (keep && (await perform({ kind: "orphan" }, words))?.state !== "done") return;
  const ended = await perform({ kind: "set_actors", actors: "all", hashes: "upstream" }, words);
  if (ended?.state === "done") await setTime({ live: true });
}

/** Start controllers, after a confirmation if objects would be deleted. */
export async function startControllers() {
  try {
    const { counts } = await get(of(store.cluster.peek().id, "ownerless"));
    if (Object.keys(counts).length) openDialog("ownerless", { counts });
    else await switchOn();
  } catch (error) {
    report(error);
  }
}
