/** What opens explanations. */
import { verdictOf } from "../cycle/frame.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { openSide, pinNode } from "../cycle/select.js";
import { currentFrame } from "../cycle/frames.js";

/** The dialog that says what a pasted FailedScheduling text means; `text` to begin with. */
export function openDecoder(text = "") {
  openDialog("decoder", { text });
}

/** A node's ledger, or why it has none; pinned, not let go of again. */
export function openLedger(name) {
  if (store.pinned.peek().node !== name) pinNode(name);
  if (!currentFrame()) return openSide("node");
  return openSide(verdictOf(currentFrame(), name).position >= 0 ? "scores" : "why");
}
