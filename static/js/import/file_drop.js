/** Files dropped anywhere on the page, which open in the import: objects, configurations and exports. */
import { refusal } from "../access/allowed.js";
import { notify } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
// Editors and dialogs handle their own drops.
const isHandledElsewhere = (event) => event.defaultPrevented || store.dialog.peek() !== null;

export function handleDrops() {
  window.addEventListener("dragover", (event) => {
    if (hasFiles(event) && !isHandledElsewhere(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    const isHandled = isHandledElsewhere(event);
    // The browser must never open the file instead of the page.
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (isHandled || !files.length) return;
    const why = refusal("import");
    if (why) notify(why);
    else openDialog("import", { initialFiles: files });
  });
}
