/** Actions that choose what the page shows. */
import { openSideTab, unpinAll } from "../cycle/selection.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { arrive, lesson } from "../lesson/lesson_state.js";
import { preferences } from "../base/preferences.js";
import { openDialog, showPanel, toggleBeside, toggleTheme } from "../base/screen.js";
import { podInView, store } from "../base/store.js";
import { zoomToNext } from "../cluster/zoom_level.js";
import { actionGroup, singleKey, needsCluster, needsPod, needsShown, neverBlocked } from "../access/action_rows.js";

const needsLesson = () => (lesson.value ? "" : _("this cluster belongs to no lesson"));

const focus = (selector) => requestAnimationFrame(() => document.querySelector(selector)?.focus());

/** Open the right panel at the tab that `open` chooses, and focus the tab. */
function openBeside(open) {
  preferences.closed.value = { ...preferences.closed.peek(), right: false };
  open();
  focus(`#tab-${store.side.peek()}`);
}

const whyNot = () =>
  loadWithMessages(() => import("../drive/navigate_to_waiting_pod.js")).then(
    ({ navigateToWaitingPod }) => openBeside(navigateToWaitingPod),
    reportError,
  );
/** Ask for repairs of the selected pod, beside its details. */
const makeItFit = () =>
  loadWithMessages(() => import("../repair/repair_actions.js")).then(({ requestedPod }) => {
    openTab("pod");
    requestedPod.value = podInView.peek();
  }, reportError);

const openTab = (tab) => openBeside(() => openSideTab(tab));

function openPanel(name, selector) {
  showPanel(name);
  focus(selector);
}

function showQueues() {
  preferences.closed.value = { ...preferences.closed.peek(), left: false };
  openPanel("queues", "#queues");
}

function toggleClosed(which) {
  const closed = preferences.closed.peek();
  preferences.closed.value = { ...closed, [which]: !closed[which] };
}

function showClaims() {
  const { number, pod } = store.shown.peek().record.cycle;
  openDialog("claims", { cycle: number, pod });
}

export const viewActions = () =>
  actionGroup(_("View"), [
    ["why", _("why not"), [singleKey("w")], needsCluster, whyNot],
    ["make-it-fit", _("what would make it fit"), [singleKey("r")], needsPod, makeItFit],
    ["scores", _("scores"), [singleKey("s")], needsCluster, () => openTab("scores")],
    ["spread", _("topology spread"), [], needsCluster, () => openTab("spread")],
    ["preemption", _("preemption"), [], needsCluster, () => openTab("preemption")],
    ["claims", _("claims and devices of the cycle in view"), [], needsShown, showClaims],
    ["time", _("time of each plugin"), [], needsCluster, () => openTab("time")],
    ["pod", _("the pod in view"), [singleKey("o")], needsCluster, () => openTab("pod")],
    ["node", _("the pinned node"), [singleKey("h")], needsCluster, () => openTab("node")],
    ["events", _("Events"), [singleKey("v")], needsCluster, () => openTab("events")],
    ["profile", _("profile"), [singleKey("e")], needsCluster, () => openTab("profile")],
    ["queues", _("queues"), [singleKey("q")], needsCluster, showQueues],
    ["lesson", _("the step of the lesson"), [singleKey("l")], needsLesson, arrive],
    ["filter", _("filter the matrix"), [singleKey("/")], needsCluster, () => openPanel("matrix", "#matrix-filter")],
    ["zoom", _("zoom the cluster: groups, cells, nodes"), [singleKey("z")], needsCluster, zoomToNext],
    [
      "complete",
      _("the matrix as it ran, or every plugin on every node"),
      [],
      needsCluster,
      () => (preferences.complete.value = !preferences.complete.peek()),
    ],
    [
      "map",
      _("nodes as a map or as a table"),
      [singleKey("t")],
      needsCluster,
      () => (preferences.map.value = preferences.map.peek() === "map" ? "table" : "map"),
    ],
    ["unpin", _("unpin, or close the open panel"), [{ key: "Escape", shown: "Esc" }], needsCluster, unpinAll],
    ["left", _("open or close the queues"), [], needsCluster, () => toggleClosed("left")],
    ["right", _("open or close the details"), [], needsCluster, () => toggleClosed("right")],
    [
      "present",
      _("presenter view: large, the pipeline first"),
      [singleKey("p")],
      needsCluster,
      () => (preferences.presenting.value = !preferences.presenting.peek()),
    ],
    ["source", _("source: the objects as YAML"), [singleKey("y")], needsCluster, () => toggleBeside("source")],
    [
      "terminal",
      _("terminal: kubectl in this cluster"),
      [singleKey("K")],
      needsCluster,
      () => toggleBeside("terminal"),
    ],
    [
      "charts",
      _("charts over time: use, pods, nodes, price"),
      [],
      needsCluster,
      () => (preferences.charts.value = !preferences.charts.peek()),
    ],
    ["theme", _("light or dark theme"), [], neverBlocked, toggleTheme],
  ]);
