/** Imports: the server checks the objects first, then imports all or none. */
import { effect } from "../../vendor/preact.js";
import { get, clusterPath, post } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { store } from "../base/store.js";
import { confirmChange } from "../branches/branches.js";
import { createCluster, loadClusters } from "../clusters/clusters.js";

const PAUSE = [150, 300, 600, 1000];
const BUSY = 429;
const MOST_TRIES = 60;
const LIMIT = 300; // seconds that a big import may take

/**
 * Return the request for `source`: {text} or {files} or {nodesCsv, podsCsv}, and {withoutPlugins, live, strict,
 * keepOwnerless}.
 */
function requestBody(source, dryRun) {
  const without = Boolean(source.withoutPlugins);
  const options = {
    strict: Boolean(source.strict),
    keep_ownerless: Boolean(source.keepOwnerless),
    ...(source.live && !dryRun ? { live: source.live } : {}),
  };
  if (source.text !== undefined) return { text: source.text, dry_run: dryRun, without_plugins: without, ...options };
  const data = new FormData();
  for (const file of source.files ?? []) data.append("file", file);
  if (source.files?.length)
    data.append("paths", JSON.stringify(source.files.map((file) => file.webkitRelativePath || file.name)));
  data.append("without_plugins", String(without));
  if (source.nodesCsv) data.append("nodes_csv", source.nodesCsv);
  if (source.podsCsv) data.append("pods_csv", source.podsCsv);
  data.append("dry_run", String(dryRun));
  for (const [name, value] of Object.entries(options)) data.append(name, String(value));
  return data;
}

let last = Promise.resolve();

/** Send requests one after the other, also across pages: the server handles one import or check per user at a time. */
function sendInTurn(request) {
  const run = async () => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await request();
      } catch (error) {
        if (error.status !== BUSY || tries >= MOST_TRIES) throw error;
      }
      await new Promise((done) => setTimeout(done, PAUSE[Math.min(tries, PAUSE.length - 1)]));
    }
  };
  const result = last.then(run);
  last = result.catch(() => {});
  return result;
}

/** Return an answer or a refusal in one shape: {counts, unused, problems, command?}. */
async function requestImport(id, source, dryRun) {
  try {
    const answer = await sendInTurn(() => post(clusterPath(id, "import"), requestBody(source, dryRun)));
    return { counts: {}, unused: [], problems: [], ...answer };
  } catch (error) {
    if (!error.problems) throw error;
    return { counts: {}, unused: [], problems: error.problems, offers: error.offers, lost: error.lost };
  }
}

/** Check an import: its counts and problems, without changes. */
export const checkImport = (source) => requestImport(store.cluster.peek().id, source, true);

// The objects have arrived.
effect(() => {
  if (store.nodes.value?.names.length) store.importCounts.value = null;
});

/**
 * Import into the open cluster and wait until the objects exist. Returns the answer; `problems` is empty on success.
 * The page shows `counts` of the check meanwhile.
 */
export async function importInto(source, counts = {}) {
  store.importCounts.value = counts;
  try {
    const answer = await importObjects(source);
    if (answer.problems.length || !answer.counts.Node) store.importCounts.value = null;
    return answer;
  } catch (error) {
    store.importCounts.value = null;
    throw error;
  }
}

async function importObjects(source) {
  if (!(await confirmChange()))
    return { counts: {}, unused: [], problems: [{ path: "", rule: _("no change was made") }] };
  const { id } = store.cluster.peek();
  const answer = await requestImport(id, source, false);
  const number = answer.command?.number ?? answer.command;
  if (answer.problems.length || number === undefined || number === null) return answer;
  const end = performance.now() + LIMIT * 1000;
  for (let tries = 0; performance.now() < end; tries += 1) {
    await new Promise((done) => setTimeout(done, PAUSE[Math.min(tries, PAUSE.length - 1)]));
    const command = await get(clusterPath(id, "commands", number));
    if (command.state === "done") return answer;
    if (command.state === "failed") return { ...answer, problems: command.problems ?? [] };
  }
  return answer;
}

/** Import into a new cluster and open it. Check the source first: a refused import leaves the new cluster empty. */
export async function importAsNew(source, name, counts) {
  await createCluster({ name });
  const answer = await importInto(source, counts);
  await loadClusters();
  return answer;
}
