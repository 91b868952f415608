/** The keyboard: hears keys and runs the actions of the table. */
import { pastQuestion } from "./actions/branches.js";
import { actions } from "./palette/table.js";
import { preferences } from "./preferences.js";
import { store } from "./store.js";

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable=true], .cm-editor";
// What answers these keys itself when it has the focus.
const OWN = { " ": "button, a, summary, [role=tab], input", Home: "[data-keys]", End: "[data-keys]" };

/** The action that a key stands for, or undefined. */
function actionOf(event) {
  const ctrl = event.ctrlKey || event.metaKey;
  const fits = ({ key, ctrl: wanted, single }) => key === event.key && Boolean(wanted) === ctrl && (!single || preferences.singleKeys.peek());
  return actions().find((action) => action.keys.some(fits));
}

function handle(event) {
  if (event.defaultPrevented || event.altKey || event.isComposing || store.dialog.peek() || pastQuestion.peek()) return;
  const action = actionOf(event);
  if (!action) return;
  const target = event.target instanceof Element ? event.target : null;
  if (!event.ctrlKey && !event.metaKey && target?.closest(TYPING)) return;
  if (OWN[event.key] && target?.closest(OWN[event.key])) return;
  if (action.blocked()) return;
  event.preventDefault();
  action.run();
}

export function listenToKeys() {
  window.addEventListener("keydown", handle);
}
