/** The keyboard: hears keys and runs the actions of the table. */
import { pastQuestion } from "./actions/branches.js";
import { refusal } from "./allowed.js";
import { isComposing } from "./composing.js";
import { actions } from "./palette/table.js";
import { preferences } from "./preferences.js";
import { tellRefused } from "./share/refused.js";
import { store } from "./store.js";

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable=true], .cm-editor";
// What answers these keys itself when it has the focus.
const OWN = { " ": "button, a, summary, [role=tab], input", Home: "[data-keys]", End: "[data-keys]" };

/** What a key means: on a keyboard that writes another script, the letter that stands on it too. */
function meantBy({ key, code, shiftKey }) {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (!letter || key.length > 1 || key.codePointAt(0) < 128) return key;
  return shiftKey ? letter : letter.toLowerCase();
}

/** The action that a key stands for, or undefined. */
function actionOf(event) {
  const ctrl = event.ctrlKey || event.metaKey;
  const meant = meantBy(event);
  const fits = ({ key, ctrl: wanted, single }) => key === meant && Boolean(wanted) === ctrl && (!single || preferences.singleKeys.peek());
  return actions().find((action) => action.keys.some(fits));
}

function handle(event) {
  if (event.defaultPrevented || event.altKey || isComposing(event) || store.dialog.peek() || pastQuestion.peek()) return;
  const action = actionOf(event);
  if (!action) return;
  const target = event.target instanceof Element ? event.target : null;
  if (!event.ctrlKey && !event.metaKey && target?.closest(TYPING)) return;
  if (OWN[event.key] && target?.closest(OWN[event.key])) return;
  const refused = refusal(action.id);
  if (refused) tellRefused();
  if (refused || action.blocked()) return;
  event.preventDefault();
  action.run();
}

export function listenToKeys() {
  window.addEventListener("keydown", handle);
}
