/** Actions that choose what the page shows. */
import { openSide, unpinAll } from "../cycle/select.js";
import { _, withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { arrive, lesson } from "../lesson/state.js";
import { preferences } from "../base/preferences.js";
import { openDialog, showPanel, toggleBeside, toggleTheme } from "../base/screen.js";
import { podInView, store } from "../base/store.js";
import { zoomOn } from "../cluster/zoom.js";
import { group, letter, needsCluster, needsPod, needsShown, nothing } from "../access/action_rows.js";

const needsLesson = () => (lesson.value ? "" : _("this cluster is no lesson's"));

const focus = (selector) => requestAnimationFrame(() => document.querySelector(selector)?.focus());

/** Open the right panel at the tab that `open` chooses, and focus the tab. */
function beside(open) {
  preferences.closed.value = { ...preferences.closed.peek(), right: false };
  open();
  focus(`#tab-${store.side.peek()}`);
}

const whyNot = () =>
  withWords(() => import("../drive/navigate_to_waiting_pod.js")).then(
    ({ navigateToWaitingPod }) => beside(navigateToWaitingPod),
    report,
  );
/** Ask for repairs of the selected pod, beside its details. */
const makeItFit = () =>
  withWords(() => import("../repair/actions.js")).then(({ wanted }) => {
    side("pod");
    wanted.value = podInView.peek();
  }, report);

const side = (tab) => beside(() => openSide(tab));

function panel(name, selector) {
  showPanel(name);
  focus(selector);
}

function showQueues() {
  preferences.closed.value = { ...preferences.closed.peek(), left: false };
  panel("queues", "#queues");
}

function toggleClosed(which) {
  const closed = preferences.closed.peek();
  preferences.closed.value = { ...closed, [which]: !closed[which] };
}

/** Show the claims of the cycle on the screen. */
function showClaims() {
  const { number, pod } = store.shown.peek().record.cycle;
  openDialog("claims", { cycle: number, pod });
}

export const looking = () =>
  group(_("Looking"), [
    ["why", _("why not"), [letter("w")], needsCluster, whyNot],
    ["make-it-fit", _("what would make it fit"), [letter("r")], needsPod, makeItFit],
    ["scores", _("scores"), [letter("s")], needsCluster, () => side("scores")],
    ["spread", _("topology spread"), [], needsCluster, () => side("spread")],
    ["preemption", _("preemption"), [], needsCluster, () => side("preemption")],
    ["claims", _("claims and devices of the cycle in view"), [], needsShown, showClaims],
    ["time", _("time of each plugin"), [], needsCluster, () => side("time")],
    ["pod", _("the pod in view"), [letter("o")], needsCluster, () => side("pod")],
    ["node", _("the pinned node"), [letter("h")], needsCluster, () => side("node")],
    ["events", _("Events"), [letter("v")], needsCluster, () => side("events")],
    ["profile", _("profile"), [letter("e")], needsCluster, () => side("profile")],
    ["queues", _("queues"), [letter("q")], needsCluster, showQueues],
    ["lesson", _("the step of the lesson"), [letter("l")], needsLesson, arrive],
    ["filter", _("filter the matrix"), [letter("/")], needsCluster, () => panel("matrix", "#matrix-filter")],
    ["zoom", _("zoom the cluster: groups, cells, nodes"), [letter("z")], needsCluster, zoomOn],
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
      [letter("t")],
      needsCluster,
      () => (preferences.map.value = preferences.map.peek() === "map" ? "table" : "map"),
    ],
    [
      "unpin",
      _("let go of what is pinned; close what is open"),
      [{ key: "Escape", shown: "Esc" }],
      needsCluster,
      unpinAll,
    ],
    ["left", _("open or close the queues"), [], needsCluster, () => toggleClosed("left")],
    ["right", _("open or close the details"), [], needsCluster, () => toggleClosed("right")],
    [
      "present",
      _("presenter view: large, the pipeline first"),
      [letter("p")],
      needsCluster,
      () => (preferences.presenting.value = !preferences.presenting.peek()),
    ],
    [
      "source",
      _("the source beside the result: objects as YAML"),
      [letter("y")],
      needsCluster,
      () => toggleBeside("source"),
    ],
    [
      "terminal",
      _("terminal: kubectl in this cluster, and what it does"),
      [letter("K")],
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
    ["theme", _("light or dark theme"), [], nothing, toggleTheme],
  ]);
