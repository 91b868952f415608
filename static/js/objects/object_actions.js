/** Objects of every kind: find, show, update, delete. */
import { get, clusterPath, post } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";
import { confirmChange } from "../branches/branches.js";
import { performCommand } from "../drive/run.js";
import { openSideTab, pinPod } from "../cycle/selection.js";

const FOUND = 30;

/** Fetch `{total, objects: [{kind, key, node?, lane?}]}`: the objects whose key contains the text. */
export const findObjects = (text, signal) =>
  get(`${clusterPath(store.cluster.peek().id, "objects")}?search=${encodeURIComponent(text)}&limit=${FOUND}`, signal);

/** Select an object: pods and nodes have their own panels, others show as manifests. */
export function showObject(kind, key) {
  if (kind === "Pod") {
    pinPod(key);
    openSideTab("pod");
  } else if (kind === "Node") {
    store.pinned.value = { ...store.pinned.peek(), node: key };
    refreshNode();
    openSideTab("node");
  } else {
    openDialog("object", { kind, objectKey: key });
  }
}

let cached = null;

/** Fetch the fields of every kind from GET kinds/, once. */
export const loadKinds = () =>
  (cached ??= get("kinds/").catch((error) => {
    cached = null;
    throw error;
  }));

/**
 * Check an update as a cluster's API server would: {refused: [{kind, key, fields, problems}]}. `read` is the text
 * before the edit.
 */
export const checkUpdate = (text, read) =>
  post(clusterPath(store.cluster.peek().id, "objects", "check"), { text, read });

/**
 * Write the fields of `objects` that differ from `read`, the objects before the edit. Returns the problems of a
 * refusal, [] on success, null if nothing was sent. `asCluster`: refuse changes that an API server would refuse.
 * `overwrite`: also write fields that another client has changed since.
 */
export async function updateObjects(objects, { read, asCluster = false, overwrite = false }) {
  if (!(await confirmChange())) return null;
  const ended = await performCommand(
    { kind: "update", objects, read, ...(asCluster && { as_cluster: true }), ...(overwrite && { overwrite: true }) },
    _("Changing objects"),
    { quiet: true },
  );
  if (!ended) return null;
  return ended.problems ?? [];
}

/** Return true if a refusal is only about fields that another client has changed too. */
export const isConflict = (problems) => problems.length > 0 && problems.every(({ conflict }) => conflict);

/** Delete one object after a confirmation. */
export function deleteObject(kind, key) {
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  openDialog("confirm", {
    title: fill(_("Delete {kind} {name}?"), { kind, name: key }),
    text: kind === "Node" ? _("Its Pods remain in the cluster, as in Kubernetes.") : "",
    action: _("Delete"),
    run: async () =>
      (await confirmChange()) &&
      performCommand({ kind: "delete", objects: [{ kind, name, ...(namespace ? { namespace } : {}) }] }, _("Deleting")),
  });
}
