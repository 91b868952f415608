/** The search for repairs of a pod, which the server continues only while the page keeps requesting it. */
import { effect, signal } from "../../vendor/preact.js";
import { get, clusterPath, put } from "../base/api.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill, loadMessages } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { atHead, isWhyNotJump, store } from "../base/store.js";
import { appliedRepair } from "./applied_repair.js";
import { kubectlOf } from "./repair_names.js";
import { forkHere, confirmChange } from "../branches/branches.js";
import { performCommand } from "../drive/run.js";

/**
 * The current or last search: {pod, cluster, revision, cycle, state: "asking" | "there" | "stopped" | "failed", value,
 * error}.
 */
export const search = signal(null);

/** The pod whose details must start a search as soon as they load. */
export const requestedPod = signal(null);

let currentRequest = null;

// A search belongs to one cluster.
effect(() => {
  const id = store.cluster.value?.id;
  if (search.peek() && search.peek().cluster !== id) cancelRepairs(null);
});

/** Return the number of the cycle whose earlier state the search uses; null for the present. */
const cycleToSearch = () =>
  atHead.peek() || isWhyNotJump() || !store.shown.peek() ? null : store.shown.peek().record.cycle.number;

/** Start a search for a pod and end the present one. */
export function findRepairs(pod) {
  cancelRepairs(null);
  const { id, revision } = store.cluster.peek();
  const cycle = cycleToSearch();
  const controller = (currentRequest = new AbortController());
  search.value = { pod, cluster: id, revision, cycle, state: "asking", value: null };
  pollRepairs(controller).catch(reportError);
}

async function pollRepairs(controller) {
  const { pod, cluster, cycle } = search.peek();
  const query = new URLSearchParams({ pod, ...(cycle ? { cycle } : {}) });
  await loadMessages();
  while (currentRequest === controller) {
    try {
      const value = await get(`${clusterPath(cluster, "repairs")}?${query}`, controller.signal);
      if (currentRequest !== controller) return;
      search.value = { ...search.peek(), value, state: value.finished ? "there" : "asking" };
      if (value.finished) currentRequest = null;
    } catch (error) {
      if (currentRequest !== controller || error.name === "AbortError") return;
      currentRequest = null;
      search.value = { ...search.peek(), state: "failed", error };
    }
  }
}

/** End the search: without requests the server stops. Results stay on the screen, unless `finalState` is null. */
export function cancelRepairs(finalState = "stopped") {
  currentRequest?.abort();
  currentRequest = null;
  if (search.peek()) search.value = finalState && { ...search.peek(), state: finalState };
}

const repairName = (repair) => translateSentence(repair.edits[0].sentence);

/** Make the edits, then run until the pod has had an attempt; return true on success. */
async function runRepair(pod, repair) {
  for (const command of repair.commands) {
    const ended = await performCommand(command, repairName(repair));
    if (ended?.state !== "done" || ended.problems?.length) return false;
  }
  store.following.value = true;
  const ended = await performCommand({ kind: "run", until: { pod } }, _("Scheduling the next pod"));
  return ended?.state === "done";
}

export async function applyRepair(pod, repair) {
  if (!(await confirmChange())) return;
  if (await runRepair(pod, repair)) appliedRepair.value = { pods: [pod], repair, cluster: store.cluster.peek().id };
}

/** Try a repair in a branch at the moment on the screen. */
export async function openRepair(pod, repair) {
  const { value } = search.peek() ?? {};
  if (!(await forkHere(repairName(repair).slice(0, 100)))) return;
  const { id, revision } = store.cluster.peek();
  search.value = {
    pod,
    cluster: id,
    revision,
    cycle: null,
    state: "stopped",
    value: value && { ...value, repairs: [repair] },
  };
  if (await runRepair(pod, repair)) appliedRepair.value = { pods: [pod], repair, cluster: id };
}

export async function undoRepair() {
  for (const command of appliedRepair.peek()?.repair.inverse ?? []) {
    const ended = await performCommand(command, _("Undoing"));
    if (ended?.state !== "done") return;
  }
  appliedRepair.value = null;
}

export async function copyKubectl(repair) {
  const text = `${kubectlOf(repair)}\n`;
  try {
    await navigator.clipboard.writeText(text);
    notify(_("Commands copied."));
  } catch {
    notify(_("Clipboard access is blocked. Select the commands and copy them."));
  }
}

/** Fetch the costs and locks of the open cluster: {costs: [row], locks: []}. */
export const readCosts = () => get(clusterPath(store.cluster.peek().id, "repairs", "costs"));

/** Save the costs and search again; a refusal shows its problems. */
export async function saveCosts(costs, locks) {
  try {
    const saved = await put(clusterPath(store.cluster.peek().id, "repairs", "costs"), { costs, locks });
    notify(fill(_("Costs and locks are saved with {cluster}."), { cluster: store.cluster.peek().name }));
    if (search.peek()) findRepairs(search.peek().pod);
    return saved;
  } catch (error) {
    reportError(error);
    return null;
  }
}
