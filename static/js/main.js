/** The start of the page: opens the cluster of the address, draws, and registers handlers. */
import { effect, render, html } from "../vendor/preact.js";
import { followBranches } from "./branches/branches.js";
import { followBreakpoints } from "./drive/breakpoints.js";
import { onChange, endedRuns } from "./drive/run.js";
import { onRefusal } from "./access/allowed.js";
import { explainWriteRefusal } from "./access/class_membership.js";
import { setWriteRefusal } from "./base/api.js";
import { openFirstCluster } from "./clusters/clusters.js";
import { handleDrops } from "./import/file_drop.js";
import { refreshEarlierState, refreshQueueDuringCycle } from "./cycle/moment.js";
import { registerDraft, takeDraft } from "./base/drafts.js";
import { loadWithMessages } from "./base/i18n.js";
import { listenToKeys } from "./shell/keys.js";
import { followLessons } from "./lesson/lesson_state.js";
import { followChanges } from "./cycle/stale_verdicts.js";
import { reportError } from "./base/notices.js";
import { isNewcomer, opening } from "./welcome/opening_state.js";
import { isEmbed, isGuest } from "./base/guest.js";
import { filterBy, showPanel, showTab, speakOut } from "./base/screen.js";
import { atHead, podInView, store } from "./base/store.js";
import { refreshPod } from "./cycle/sync.js";
import { syncAddress } from "./shell/address_sync.js";
import { App } from "./shell/app.js";
import { spokenText } from "./cycle/cycle_texts.js";
import { isWithin } from "./cycle/frame.js";
import { readMoment } from "./cycle/moment_address.js";

const SPEAK_EVERY = 400;

// Modules below call these handlers. Most of their code is loaded on first use.
setWriteRefusal(explainWriteRefusal);
onRefusal(() =>
  loadWithMessages(() => import("./share/explain_refusal.js")).then((refused) => refused.explainRefusal()),
);
onChange((number) =>
  loadWithMessages(() => import("./drive/change_effect.js")).then(
    (effects) => effects.reportEffect(number),
    reportError,
  ),
);
const loadLesson = (cluster) =>
  loadWithMessages(() => import("./lesson/lesson_progress.js"))
    .then((lessons) => lessons.loadLesson(cluster))
    .catch(reportError);
const reportClientChange = (...change) =>
  loadWithMessages(() => import("./branches/client_change_notice.js")).then((clients) =>
    clients.reportClientChange(...change),
  );
const reportStop = (record) =>
  loadWithMessages(() => import("./drive/breakpoint_notice.js")).then((stop) => stop.reportStop(record), reportError);

/** Open the cluster: in a class, what it shows. */
async function openInitialCluster() {
  const number = Number(document.body.dataset.class);
  // The opening selects its own cluster.
  if (opening.peek()) return undefined;
  if (!number) return openFirstCluster(initialMoment);
  const { startInClass } = await loadWithMessages(() => import("./class/class_start.js"));
  return startInClass(number, () => openFirstCluster(initialMoment));
}

const initialMoment = readMoment();
if (initialMoment.view) showTab(initialMoment.view);
opening.value = !document.body.dataset.class && isNewcomer(initialMoment);
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
// An embed handles no keys before the user clicks it.
if (!isEmbed) listenToKeys();
if (!isEmbed) handleDrops();

// Data for the moment on the screen besides its cycle and matrix.
let cycleShown = null;
let withinCycle = null;
effect(() => {
  const number = store.shown.value?.record.cycle.number ?? null;
  if (number === cycleShown) return;
  cycleShown = number;
  refreshPod();
  refreshEarlierState();
});
// The newest cycle becomes an earlier one when others arrive and the page does not follow.
effect(() => {
  if (!atHead.value && !store.following.value) refreshEarlierState();
});
effect(() => {
  const shown = store.shown.value;
  const number = shown && isWithin(shown) ? shown.record.cycle.number : null;
  if (number === withinCycle) return;
  withinCycle = number;
  refreshQueueDuringCycle();
});
effect(() => {
  if (podInView.value) refreshPod();
});

// One polite sentence per step; while cycles pass quickly, only the last one.
let speechTimer = 0;
effect(() => {
  const shown = store.shown.value;
  clearTimeout(speechTimer);
  if (shown) speechTimer = setTimeout(() => speakOut(spokenText(shown.record, shown.step)), SPEAK_EVERY);
});

/** Restore the tab of a narrow page and the filter, which the address does not contain. */
function restorePageState() {
  const draft = takeDraft("page");
  if (draft) {
    showPanel(draft.panel);
    filterBy(draft.filter);
  }
  registerDraft("page", () => ({ panel: store.panel.peek(), filter: store.filter.peek() }));
}

// Report waiting pods at the end of a run; the code is loaded then.
effect(() => {
  if (!endedRuns.value) return;
  loadWithMessages(() => import("./drive/navigate_to_waiting_pod.js"))
    .then(({ reportWaitingPods }) => reportWaitingPods())
    .catch(reportError);
});

if (isGuest) {
  loadWithMessages(() => import("./share/shared_moment.js")).then(
    ({ startShared }) => startShared().then(restorePageState),
    reportError,
  );
} else {
  openInitialCluster().then(restorePageState).catch(reportError).finally(syncAddress);
  followLessons(loadLesson);
  followBranches();
  followChanges(reportClientChange);
  followBreakpoints(reportStop);
}
