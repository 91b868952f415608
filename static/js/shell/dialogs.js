/** The table of dialogs, which shows the open one. */
import { html } from "../../vendor/preact.js";
import { store } from "../base/store.js";
import { EarlyPalette } from "../palette/early_palette.js";
import { lazy } from "../parts/lazy.js";

const DIALOGS = {
  branches: lazy(() => import("../branches/branches_dialog.js").then((module) => module.BranchesDialog)),
  breakpoints: lazy(() => import("../drive/breakpoints_dialog.js").then((module) => module.BreakpointsDialog)),
  capacity: lazy(() => import("../capacity/capacity_dialog.js").then((module) => module.CapacityDialog)),
  claims: lazy(() => import("../devices/claims_dialog.js").then((module) => module.ClaimsDialog)),
  confirm: lazy(() => import("../parts/confirm_dialog.js").then((module) => module.ConfirmDialog)),
  cluster: lazy(() => import("../clusters/new_cluster_dialog.js").then((module) => module.ClusterDialog)),
  compare: lazy(() => import("../compare/compare_dialog.js").then((module) => module.CompareDialog)),
  decoder: lazy(() => import("../explain/decoder_dialog.js").then((module) => module.DecoderDialog)),
  faithful: lazy(() => import("../explain/faithful_dialog.js").then((module) => module.FaithfulDialog)),
  gallery: lazy(() => import("../share/gallery_dialog.js").then((module) => module.GalleryDialog)),
  import: lazy(() => import("../import/import_dialog.js").then((module) => module.ImportDialog)),
  keys: lazy(() => import("./keys_dialog.js").then((module) => module.KeysDialog)),
  lane: lazy(() => import("../queues/queue_dialog.js").then((module) => module.QueueDialog)),
  lessons: lazy(() => import("../lesson/lessons_dialog.js").then((module) => module.LessonsDialog)),
  new: lazy(() => import("../objects/new_object_dialog.js").then((module) => module.NewDialog)),
  object: lazy(() => import("../objects/object_dialog.js").then((module) => module.ObjectDialog)),
  ownerless: lazy(() => import("../workloads/ownerless_dialog.js").then((module) => module.OwnerlessDialog)),
  palette: lazy(() => import("../palette/palette.js").then((module) => module.Palette), html`<${EarlyPalette} />`),
  past: lazy(() => import("../profile/legacy_dialog.js").then((module) => module.LegacyDialog)),
  reset: lazy(() => import("../drive/reset_dialog.js").then((module) => module.ResetDialog)),
  rollout: lazy(() => import("../workloads/rollout_dialog.js").then((module) => module.RolloutDialog)),
  share: lazy(() => import("../share/share_dialog.js").then((module) => module.ShareDialog)),
  time: lazy(() => import("../drive/time_dialog.js").then((module) => module.TimeDialog)),
  upgrade: lazy(() => import("../upgrade/upgrade_dialog.js").then((module) => module.UpgradeDialog)),
  taint: lazy(() => import("../details/taint_dialog.js").then((module) => module.TaintDialog)),
};

export function Dialogs() {
  const open = store.dialog.value;
  const View = DIALOGS[open?.name];
  return View ? html`<${View} key=${open.name} ...${open} />` : null;
}
