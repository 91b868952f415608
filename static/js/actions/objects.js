/** Objects of every kind: finding and showing them. */
import { get, of } from "../api.js";
import { store } from "../store.js";
import { refreshNode } from "../sync.js";
import { openSide, pinPod } from "./select.js";

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
    store.dialog.value = { name: "object", kind, objectKey: key };
  }
}
