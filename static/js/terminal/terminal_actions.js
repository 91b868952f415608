/** Requests of the terminal panel. */
import { errorText, clusterPath, post, remove } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSideTab, pinNode, pinPod } from "../cycle/selection.js";

/** Return true if there is a login, so that clients need a token. */
export const needsToken = () => document.body.dataset.local !== "true";

/** Create a token: {token, kubeconfig}, or null if refused; a notice shows the problems. */
export async function makeToken(role, name) {
  try {
    return await post(clusterPath(store.cluster.peek().id, "tokens"), { role, name });
  } catch (error) {
    notify(errorText(error), { tone: "error" });
    return null;
  }
}

/** Revoke a token after a confirmation, because its program loses access. */
export function revokeToken({ id, name, role }, done) {
  const cluster = store.cluster.peek().id;
  openDialog("confirm", {
    title: fill(_("Revoke {name}?"), { name: name || role }),
    text: _("Clients that use this token lose access; open watches end within a minute. You cannot undo this."),
    action: _("Revoke"),
    danger: true,
    run: () => remove(`${clusterPath(cluster, "tokens")}${id}/`).then(() => done(id), reportError),
  });
}

/** Show an object that a client wrote: a pod or a node in its panel, others as manifests. */
export function showObject({ kind, key }) {
  if (kind === "Pod") {
    pinPod(key);
    openSideTab("pod");
  } else if (kind === "Node") {
    if (store.pinned.peek().node !== key) pinNode(key);
    openSideTab("node");
  } else openDialog("object", { kind, objectKey: key });
}
