/** Objects of every kind: finding and showing them. */
import { get, of, post } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { refreshNode } from "../cycle/sync.js";
import { mayChange } from "../branches/branches.js";
import { perform } from "../drive/run.js";
import { openSide, pinPod } from "../cycle/select.js";

const FOUND = 30;

/** `{total, objects: [{kind, key, node?, lane?}]}`: the objects whose key holds the text. */
export const findObjects = (text, signal) =>
  get(`${of(store.cluster.peek().id, "objects")}?search=${encodeURIComponent(text)}&limit=${FOUND}`, signal);

/** Select an object: pods and nodes have panels of their own, the rest is shown as it is written. */
export function showObject(kind, key) {
  if (kind === "Pod") {
    pinPod(key);
    openSide("pod");
  } else if (kind === "Node") {
    store.pinned.value = { ...store.pinned.peek(), node: key };
    refreshNode();
    openSide("node");
  } else {
    openDialog("object", { kind, objectKey: key });
  }
}

let cached = null;

/** The fields of every kind, as GET kinds/ gives them; asked once. */
export const kinds = () =>
  (cached ??= get("kinds/").catch((error) => {
    cached = null;
    throw error;
  }));

/**
 * What a cluster's API server would say to these changes: {refused: [{kind, key, fields, problems}]}. `read` is the
 * text before the edit.
 */
export const checkUpdate = (text, read) => post(of(store.cluster.peek().id, "objects", "check"), { text, read });

/**
 * Write the fields of `objects` that differ from `read`, the objects before the edit. Returns the problems of a
 * refusal, [] when it is done, null when nothing was sent. `asCluster`: refuse what an API server would refuse.
 * `overwrite`: also write fields that somebody else has changed since.
 */
export async function updateObjects(objects, { read, asCluster = false, overwrite = false }) {
  if (!(await mayChange())) return null;
  const ended = await perform(
    { kind: "update", objects, read, ...(asCluster && { as_cluster: true }), ...(overwrite && { overwrite: true }) },
    _("Changing objects"),
    { quiet: true },
  );
  if (!ended) return null;
  return ended.problems ?? [];
}

/** Whether a refusal is only about fields that somebody else has changed too. */
export const isConflict = (problems) => problems.length > 0 && problems.every(({ conflict }) => conflict);

/** Delete one object, after asking. */
export function deleteObject(kind, key) {
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  openDialog("confirm", {
    title: fill(_("Delete {kind} {name}?"), { kind, name: key }),
    text: kind === "Node" ? _("The pods on it stay objects of the cluster, as in Kubernetes.") : "",
    action: _("Delete"),
    run: async () =>
      (await mayChange()) &&
      perform({ kind: "delete", objects: [{ kind, name, ...(namespace ? { namespace } : {}) }] }, _("Deleting")),
  });
}
