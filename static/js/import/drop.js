/** A file dropped anywhere on the page is looked at by the import, which knows objects, configurations and exports. */
import { refusal } from "../access/allowed.js";
import { notify } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";

const brings = (event) => event.dataTransfer?.types.includes("Files");
// An editor, or a dialog, takes what is dropped on it itself.
const isTaken = (event) => event.defaultPrevented || store.dialog.peek() !== null;

export function takeDrops() {
  window.addEventListener("dragover", (event) => {
    if (brings(event) && !isTaken(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    if (!brings(event)) return;
    const taken = isTaken(event);
    // Not even beside what takes it may the browser leave the page for the file.
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (taken || !files.length) return;
    const why = refusal("import");
    if (why) notify(why);
    else openDialog("import", { given: files });
  });
}
