/** What the panel of workloads changes. */
import { get, of, post } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { storeChanged } from "../cycle/sync.js";
import { perform } from "../drive/run.js";

/** Say how the cluster's time goes: `{live}` or `{seconds_per_second}`. */
export async function setTime(wanted) {
  const { id } = store.cluster.peek();
  try {
    storeChanged(id, await post(of(id, "pace"), wanted), ["live", "pace", "speed"]);
  } catch (error) {
    report(error);
  }
}

/**
 * Controllers on, and time live, so that what is to live does. `keep`: what has owners that are not here loses them
 * first, or the garbage collector takes it.
 */
export async function switchOn({ keep = false } = {}) {
  const words = _("Switching the controllers on");
  if (keep && (await perform({ kind: "orphan" }, words))?.state !== "done") return;
  const ended = await perform({ kind: "set_actors", actors: "all", hashes: "upstream" }, words);
  if (ended?.state === "done") await setTime({ live: true });
}

/** The same, and asked first where objects would be lost by it. */
export async function startControllers() {
  try {
    const { counts } = await get(of(store.cluster.peek().id, "ownerless"));
    if (Object.keys(counts).length) openDialog("ownerless", { counts });
    else await switchOn();
  } catch (error) {
    report(error);
  }
}
