/** Exports: files to download and the link to the moment. */
import { clusterPath } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { store } from "../base/store.js";

/** Return the address of an export: `what` of docs/reference/file-formats.md, `query` such as {format: "yaml"}. */
export const exportAddress = (what, query = {}) =>
  `${document.body.dataset.api}clusters/${store.cluster.value.id}/export/${what}/?${new URLSearchParams(query)}`;

export function exportFile(what, format) {
  const link = document.createElement("a");
  link.href = exportAddress(what, { format });
  link.download = "";
  link.click();
}

/** Return the address of the cycle on the screen as a standalone page without a server. */
export function storyboardAddress() {
  const { number } = store.shown.value.record.cycle;
  return document.body.dataset.api + clusterPath(store.cluster.value.id, "cycles", number, "storyboard");
}

export function exportStoryboard() {
  const link = document.createElement("a");
  link.href = storyboardAddress();
  link.download = "";
  link.click();
}

export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    notify(_("Link copied."));
  } catch {
    // Without HTTPS or a permission there is no clipboard; the address bar has the same link.
    notify(_("Clipboard access is blocked. Copy the link from the address bar."));
  }
}
