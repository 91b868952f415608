/** The start of the page: opens the cluster of the address, draws, and registers handlers. */
import { effect, render, html } from "../vendor/preact.js";
import { followBranches } from "./branches/branches.js";
import { followBreakpoints } from "./drive/breakpoints.js";
import { onChange, runEnded } from "./drive/run.js";
import { onRefusal } from "./access/allowed.js";
import { refusalOfWrite } from "./access/class_membership.js";
import { refuseWrites } from "./base/api.js";
import { start } from "./clusters/clusters.js";
import { takeDrops } from "./import/drop.js";
import { refreshFound, refreshWithin } from "./cycle/moment.js";
import { keepDraft, takeDraft } from "./base/drafts.js";
import { withWords } from "./base/i18n.js";
import { listenToKeys } from "./shell/keys.js";
import { followLessons } from "./lesson/state.js";
import { followChanges } from "./cycle/stale.js";
import { report } from "./base/notices.js";
import { isNewcomer, opening } from "./welcome/state.js";
import { isEmbed, isGuest } from "./base/guest.js";
import { filterBy, showPanel, showTab, speakOut } from "./base/screen.js";
import { atHead, podInView, store } from "./base/store.js";
import { refreshPod } from "./cycle/sync.js";
import { syncAddress } from "./shell/url.js";
import { App } from "./shell/app.js";
import { spoken } from "./cycle/words.js";
import { isWithin } from "./cycle/frame.js";
import { readMoment } from "./cycle/address.js";

const SPEAK_EVERY = 400;

// Modules below call these handlers. Most of their code is loaded on first use.
refuseWrites(refusalOfWrite);
onRefusal(() => withWords(() => import("./share/refused.js")).then((refused) => refused.explainRefusal()));
onChange((number) =>
  withWords(() => import("./drive/effect.js")).then((effects) => effects.reportEffect(number), report),
);
const loadLesson = (cluster) =>
  withWords(() => import("./lesson/walk.js"))
    .then((walk) => walk.load(cluster))
    .catch(report);
const reportClientChange = (...change) =>
  withWords(() => import("./branches/clients.js")).then((clients) => clients.reportClientChange(...change));
const reportStop = (record) =>
  withWords(() => import("./drive/stopped.js")).then((stop) => stop.reportStop(record), report);

/** Open the cluster: in a class, what it shows. */
async function begin() {
  const number = Number(document.body.dataset.class);
  // The opening selects its own cluster.
  if (opening.peek()) return undefined;
  if (!number) return start(moment);
  const { startInClass } = await withWords(() => import("./class/start.js"));
  return startInClass(number, () => start(moment));
}

const moment = readMoment();
if (moment.view) showTab(moment.view);
opening.value = !document.body.dataset.class && isNewcomer(moment);
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
// An embed handles no keys before the user clicks it.
if (!isEmbed) listenToKeys();
if (!isEmbed) takeDrops();

// Data for the moment on the screen besides its cycle and matrix.
let cycleShown = null;
let withinCycle = null;
effect(() => {
  const number = store.shown.value?.record.cycle.number ?? null;
  if (number === cycleShown) return;
  cycleShown = number;
  refreshPod();
  refreshFound();
});
// The newest cycle becomes an earlier one when others arrive and the page does not follow.
effect(() => {
  if (!atHead.value && !store.following.value) refreshFound();
});
effect(() => {
  const shown = store.shown.value;
  const number = shown && isWithin(shown) ? shown.record.cycle.number : null;
  if (number === withinCycle) return;
  withinCycle = number;
  refreshWithin();
});
effect(() => {
  if (podInView.value) refreshPod();
});

// One polite sentence per step; while cycles pass quickly, only the last one.
let speech = 0;
effect(() => {
  const shown = store.shown.value;
  clearTimeout(speech);
  if (shown) speech = setTimeout(() => speakOut(spoken(shown.record, shown.step)), SPEAK_EVERY);
});

/** Restore the tab of a narrow page and the filter, which the address does not contain. */
function goOn() {
  const draft = takeDraft("page");
  if (draft) {
    showPanel(draft.panel);
    filterBy(draft.filter);
  }
  keepDraft("page", () => ({ panel: store.panel.peek(), filter: store.filter.peek() }));
}

// Report waiting pods at the end of a run; the code is loaded then.
effect(() => {
  if (!runEnded.value) return;
  withWords(() => import("./drive/navigate_to_waiting_pod.js"))
    .then(({ reportWaitingPods }) => reportWaitingPods())
    .catch(report);
});

if (isGuest) {
  withWords(() => import("./share/opening.js")).then(({ startShared }) => startShared().then(goOn), report);
} else {
  begin().then(goOn).catch(report).finally(syncAddress);
  followLessons(loadLesson);
  followBranches();
  followChanges(reportClientChange);
  followBreakpoints(reportStop);
}
