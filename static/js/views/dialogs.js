/** Which dialog is open: one table. */
import { html } from "../../vendor/preact.js";
import { store } from "../store.js";
import { ConfirmDialog } from "./confirm_dialog.js";
import { ClusterDialog } from "./cluster_dialog.js";
import { CompareDialog } from "./compare_dialog.js";
import { FaithfulDialog } from "./faithful_dialog.js";
import { ImportDialog } from "./import_dialog.js";
import { KeysDialog } from "./keys_dialog.js";
import { LaneDialog } from "./lane_dialog.js";
import { LessonsDialog } from "./lessons_dialog.js";
import { NewDialog } from "./new_dialog.js";
import { ObjectDialog } from "./object_dialog.js";
import { TaintDialog } from "./taint_dialog.js";
import { PastDialog } from "./past_dialog.js";
import { Palette } from "./palette.js";

const DIALOGS = {
  confirm: ConfirmDialog,
  cluster: ClusterDialog,
  compare: CompareDialog,
  faithful: FaithfulDialog,
  import: ImportDialog,
  keys: KeysDialog,
  lane: LaneDialog,
  lessons: LessonsDialog,
  new: NewDialog,
  object: ObjectDialog,
  palette: Palette,
  past: PastDialog,
  taint: TaintDialog,
};

export function Dialogs() {
  const open = store.dialog.value;
  const View = DIALOGS[open?.name];
  return View ? html`<${View} key=${open.name} ...${open} />` : null;
}
