/** The keyboard: hears keys and runs the actions of the table. Keys belong to the page wherever nobody types. */
import { pastQuestion } from "../branches/branches.js";
import { explainRefusal, refusal } from "../access/allowed.js";
import { isComposing } from "../base/composing.js";
import { _, fill } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { actions } from "../palette/table.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";

const TYPING =
  "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, [contenteditable=true], .cm-editor";
// What Space alone changes: it is theirs for who came by keyboard. Buttons and tabs have Enter, and Space plays there
// too.
const SPACE_ONLY = "input, select";
const MOVES = new Set(["Home", "End"]);
const TOGGLES = new Set(["play"]); // a key that is held down repeats, and would toggle them back

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
  const fits = ({ key, ctrl: wanted, single }) =>
    key === meant && Boolean(wanted) === ctrl && (!single || preferences.singleKeys.peek());
  return actions().find((action) => action.keys.some(fits));
}

let clicked = null; // what the pointer pressed last, until a key moves the focus on

/** Did somebody come here by keyboard? What was only clicked keeps no key for itself. */
const byKeyboard = (target) => !clicked || !target.contains(clicked);

function forgetClick({ key }) {
  if (key === "Tab" || key.startsWith("Arrow")) clicked = null;
}

function isTheirs(event, target) {
  if (!target) return false;
  if (!event.ctrlKey && !event.metaKey && target.closest(TYPING)) return true;
  return event.key === " " && target.matches(SPACE_ONLY) && byKeyboard(target);
}

function handle(event) {
  if (event.defaultPrevented || event.altKey || isComposing(event) || store.dialog.peek() || pastQuestion.peek())
    return;
  const action = actionOf(event);
  const target = event.target instanceof Element ? event.target : null;
  if (!action || isTheirs(event, target)) return;
  event.preventDefault();
  if (event.repeat && TOGGLES.has(action.id)) return;
  if (refusal(action.id)) return explainRefusal();
  const blocked = action.blocked();
  if (blocked)
    return event.key === "Escape" || notify(fill(_("{action}: {reason}."), { action: action.label, reason: blocked }));
  action.run();
}

/** The ends of a list that was only clicked are not meant: there these keys are the page's as well. */
function handleMoves(event) {
  if (!MOVES.has(event.key) || !(event.target instanceof Element) || byKeyboard(event.target)) return;
  handle(event);
  if (event.defaultPrevented) event.stopPropagation();
}

/** Some browsers press a button when Space comes up again, whatever was said when it went down. */
function keepFromButton(event) {
  const isButton = event.target instanceof Element && event.target.matches("button, summary, [role=tab]");
  if (event.key === " " && isButton && preferences.singleKeys.peek() && !store.dialog.peek() && !pastQuestion.peek())
    event.preventDefault();
}

export function listenToKeys() {
  window.addEventListener("pointerdown", ({ target }) => (clicked = target), true);
  window.addEventListener("keydown", forgetClick, true);
  window.addEventListener("keydown", handleMoves, true);
  window.addEventListener("keydown", handle);
  window.addEventListener("keyup", keepFromButton);
}
