/** Files dropped anywhere on the page, which open in the import: objects, configurations and exports. */
import { refusal } from "../access/allowed.js";
import { notify } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";

const brings = (event) => event.dataTransfer?.types.includes("Files");
// Editors and dialogs handle their own drops.
const isTaken = (event) => event.defaultPrevented || store.dialog.peek() !== null;

export function takeDrops() {
  window.addEventListener("dragover", (event) => {
    if (brings(event) && !isTaken(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    if (!brings(event)) return;
    const taken = isTaken(event);
    // The browser must never open the file instead of the page.
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (taken || !files.length) return;
    const why = refusal("import");
    if (why) notify(why);
    else openDialog("import", { given: files });
  });
}
