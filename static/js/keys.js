/** The keyboard: one table, read by the listener and by the help. */
import { applyProfile } from "./actions/profile.js";
import { openSide, unpinAll } from "./actions/select.js";
import { cycleBack, cycleForward, stepBack, stepForward, toEnd, togglePlay, toStart } from "./actions/run.js";
import { _ } from "./i18n.js";
import { preferences } from "./preferences.js";
import { store } from "./store.js";

const focus = (selector) => requestAnimationFrame(() => document.querySelector(selector)?.focus());

function open(tab) {
  preferences.closed.value = { ...preferences.closed.peek(), right: false };
  openSide(tab);
  focus(`#tab-${tab}`);
}

function showQueues() {
  preferences.closed.value = { ...preferences.closed.peek(), left: false };
  store.panel.value = "queues";
  focus("#queues");
}

function filterMatrix() {
  store.panel.value = "matrix";
  focus("#matrix-filter");
}

/** {key, shown, does, run, single}: `single` ones are letters and signs that can be switched off. */
export const keyTable = () => [
  { key: " ", shown: "Space", does: _("play, pause"), run: togglePlay, single: true },
  { key: ".", shown: ".", does: _("one step forward"), run: stepForward, single: true },
  { key: ",", shown: ",", does: _("one step back"), run: stepBack, single: true },
  { key: "]", shown: "]", does: _("one cycle forward"), run: cycleForward, single: true },
  { key: "[", shown: "[", does: _("one cycle back"), run: cycleBack, single: true },
  { key: "Home", shown: "Home", does: _("to the first cycle"), run: toStart },
  { key: "End", shown: "End", does: _("to the newest cycle, and follow"), run: toEnd },
  { key: "w", shown: "w", does: _("why not"), run: () => open("why"), single: true },
  { key: "s", shown: "s", does: _("scores"), run: () => open("scores"), single: true },
  { key: "e", shown: "e", does: _("profile"), run: () => open("profile"), single: true },
  { key: "q", shown: "q", does: _("queues"), run: showQueues, single: true },
  { key: "/", shown: "/", does: _("filter the matrix"), run: filterMatrix, single: true },
  { key: "i", shown: "i", does: _("import"), run: () => (store.dialog.value = { name: "import" }), single: true },
  { key: "n", shown: "n", does: _("new object"), run: () => (store.dialog.value = { name: "new" }), single: true },
  { key: "?", shown: "?", does: _("these keys"), run: () => (store.dialog.value = { name: "keys" }), single: true },
  { key: "Escape", shown: "Esc", does: _("let go of what is pinned; close what is open"), run: unpinAll },
  { key: "Enter", ctrl: true, shown: "Ctrl+Enter", does: _("apply the profile"), run: applyProfile },
];

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable=true], .cm-editor";
// What answers these keys itself when it has the focus.
const OWN = { " ": "button, a, summary, [role=tab], input", Home: "[data-keys]", End: "[data-keys]" };

function handle(event) {
  if (event.defaultPrevented || event.altKey || event.isComposing || store.dialog.peek()) return;
  const ctrl = event.ctrlKey || event.metaKey;
  const entry = keyTable().find((row) => row.key === event.key && Boolean(row.ctrl) === ctrl);
  if (!entry || (entry.single && !preferences.singleKeys.peek())) return;
  const target = event.target instanceof Element ? event.target : null;
  if (!ctrl && target?.closest(TYPING)) return;
  if (OWN[event.key] && target?.closest(OWN[event.key])) return;
  if (!store.cluster.peek() && event.key !== "?") return;
  event.preventDefault();
  entry.run();
}

export function listenToKeys() {
  window.addEventListener("keydown", handle);
}
