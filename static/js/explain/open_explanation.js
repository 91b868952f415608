/** Actions that open explanations. */
import { verdictOf } from "../cycle/frame.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSideTab, pinNode } from "../cycle/selection.js";
import { currentFrame } from "../cycle/panel_frames.js";

/** Open the dialog that explains a pasted FailedScheduling text; `text` is its initial value. */
export function openDecoder(text = "") {
  openDialog("decoder", { text });
}

/** Show a node's ledger, or why it has none; the node stays pinned. */
export function openLedger(name) {
  if (store.pinned.peek().node !== name) pinNode(name);
  if (!currentFrame()) return openSideTab("node");
  return openSideTab(verdictOf(currentFrame(), name).position >= 0 ? "scores" : "why");
}
