/** The keyboard, which runs the actions of the table. Keys belong to the page unless the user types. */
import { pastQuestion } from "../branches/branches.js";
import { explainRefusal, refusal } from "../access/allowed.js";
import { isComposing } from "../base/input_method.js";
import { _, fill } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { actions } from "../palette/action_table.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";

const TYPING =
  "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, [contenteditable=true], .cm-editor";
// Elements that only Space changes keep it after keyboard focus. Buttons and tabs have Enter, so Space plays there too.
const SPACE_ONLY = "input, select";
const MOVES = new Set(["Home", "End"]);
const TOGGLES = new Set(["play"]); // a held key repeats, and would toggle them back

/** Return the meaning of a key: with another script, the Latin letter of the same key. */
function latinKey({ key, code, shiftKey }) {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (!letter || key.length > 1 || key.codePointAt(0) < 128) return key;
  return shiftKey ? letter : letter.toLowerCase();
}

function findAction(event) {
  const ctrl = event.ctrlKey || event.metaKey;
  const meant = latinKey(event);
  const matches = ({ key, ctrl: wanted, single }) =>
    key === meant && Boolean(wanted) === ctrl && (!single || preferences.singleKeys.peek());
  return actions().find((action) => action.keys.some(matches));
}

let clicked = null; // the element that was clicked last, until a key moves the focus

/** Return true if the element got the focus by keyboard. A clicked element keeps no key. */
const byKeyboard = (target) => !clicked || !target.contains(clicked);

function forgetClick({ key }) {
  if (key === "Tab" || key.startsWith("Arrow")) clicked = null;
}

function isHandledByElement(event, target) {
  if (!target) return false;
  if (!event.ctrlKey && !event.metaKey && target.closest(TYPING)) return true;
  return event.key === " " && target.matches(SPACE_ONLY) && byKeyboard(target);
}

function handleKey(event) {
  if (event.defaultPrevented || event.altKey || isComposing(event) || store.dialog.peek() || pastQuestion.peek())
    return;
  const action = findAction(event);
  const target = event.target instanceof Element ? event.target : null;
  if (!action || isHandledByElement(event, target)) return;
  event.preventDefault();
  if (event.repeat && TOGGLES.has(action.id)) return;
  if (refusal(action.id)) return explainRefusal();
  const blocked = action.blocked();
  if (blocked)
    return event.key === "Escape" || notify(fill(_("{action}: {reason}."), { action: action.label, reason: blocked }));
  action.run();
}

/** Handle Home and End as keys of the page in a list that was only clicked. */
function handleMoves(event) {
  if (!MOVES.has(event.key) || !(event.target instanceof Element) || byKeyboard(event.target)) return;
  handleKey(event);
  if (event.defaultPrevented) event.stopPropagation();
}

/** Prevent the press of a button on keyup of Space, which some browsers do regardless of keydown. */
function keepFromButton(event) {
  const isButton = event.target instanceof Element && event.target.matches("button, summary, [role=tab]");
  if (event.key === " " && isButton && preferences.singleKeys.peek() && !store.dialog.peek() && !pastQuestion.peek())
    event.preventDefault();
}

export function listenToKeys() {
  window.addEventListener("pointerdown", ({ target }) => (clicked = target), true);
  window.addEventListener("keydown", forgetClick, true);
  window.addEventListener("keydown", handleMoves, true);
  window.addEventListener("keydown", handleKey);
  window.addEventListener("keyup", keepFromButton);
}
