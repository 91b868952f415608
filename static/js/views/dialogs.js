/** Which dialog is open: one table. */
import { html } from "../../vendor/preact.js";
import { store } from "../store.js";
import { EarlyPalette } from "./palette_early.js";
import { lazy } from "./parts/lazy.js";

const DIALOGS = {
  branches: lazy(() => import("./branches_dialog.js").then((module) => module.BranchesDialog)),
  breakpoints: lazy(() => import("./breakpoints_dialog.js").then((module) => module.BreakpointsDialog)),
  claims: lazy(() => import("../devices/claims_dialog.js").then((module) => module.ClaimsDialog)),
  confirm: lazy(() => import("./confirm_dialog.js").then((module) => module.ConfirmDialog)),
  cluster: lazy(() => import("./cluster_dialog.js").then((module) => module.ClusterDialog)),
  compare: lazy(() => import("./compare_dialog.js").then((module) => module.CompareDialog)),
  decoder: lazy(() => import("./decoder_dialog.js").then((module) => module.DecoderDialog)),
  faithful: lazy(() => import("./faithful_dialog.js").then((module) => module.FaithfulDialog)),
  gallery: lazy(() => import("./gallery_dialog.js").then((module) => module.GalleryDialog)),
  import: lazy(() => import("./import_dialog.js").then((module) => module.ImportDialog)),
  keys: lazy(() => import("./keys_dialog.js").then((module) => module.KeysDialog)),
  lane: lazy(() => import("./lane_dialog.js").then((module) => module.LaneDialog)),
  lessons: lazy(() => import("./lessons_dialog.js").then((module) => module.LessonsDialog)),
  new: lazy(() => import("./new_dialog.js").then((module) => module.NewDialog)),
  object: lazy(() => import("./object_dialog.js").then((module) => module.ObjectDialog)),
  palette: lazy(() => import("./palette.js").then((module) => module.Palette), html`<${EarlyPalette} />`),
  past: lazy(() => import("./past_dialog.js").then((module) => module.PastDialog)),
  reset: lazy(() => import("./reset_dialog.js").then((module) => module.ResetDialog)),
  share: lazy(() => import("./share_dialog.js").then((module) => module.ShareDialog)),
  time: lazy(() => import("./time_dialog.js").then((module) => module.TimeDialog)),
  upgrade: lazy(() => import("../upgrade/dialog.js").then((module) => module.UpgradeDialog)),
  taint: lazy(() => import("./taint_dialog.js").then((module) => module.TaintDialog)),
};

export function Dialogs() {
  const open = store.dialog.value;
  const View = DIALOGS[open?.name];
  return View ? html`<${View} key=${open.name} ...${open} />` : null;
}
