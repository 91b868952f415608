/** The progress through a lesson: text, current step, and started checks. */
import { computed, effect, signal } from "../../vendor/preact.js";
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { get, clusterPath, post } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { arrive, lesson } from "./lesson_state.js";
import { reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { onRecords } from "../cycle/sync.js";

const LOOK_EVERY = 400;
const BUSY = 409;
const UNAVAILABLE = 503; // for example, the worker for questions starts last
const TRY_AGAIN = 600;
const TRY_LATER = 2000;
const MOST_TRIES = 5;
/** The form of a check that can no longer begin. */
export const MISSED = "missed";

/** [{slug, title, question, …, done, total, cluster}]; null until loaded. */
export const lessons = signal(null);
/** Number of hints shown per check id. */
export const hints = signal({});

const lessonLanguage = () => preferences.lessonLanguage.peek() ?? document.documentElement.lang;
const languageQuery = () => `?lang=${encodeURIComponent(lessonLanguage().toLowerCase())}`;

/** Checks of the step on the screen, in the order of the text. */
const checksOfStep = computed(() => {
  const now = lesson.value;
  return now
    ? now.text.steps[now.step].blocks
        .filter((block) => block.argument && block.kind !== "point")
        .map((block) => block.argument)
    : [];
});

/** The current check: the first of the step that is not done; null if all are. */
export const openCheck = computed(() => checksOfStep.value.find((id) => !lesson.value.checks[id]?.done) ?? null);

export async function loadLessons() {
  lessons.value = await get(`lessons/${languageQuery()}`);
}

/** Return the next lesson: unsolved with its prerequisites met; successors of lesson `from` come first. */
export function nextLesson(rows, from = null) {
  const solved = new Set(rows.filter((row) => row.solved || row.slug === from).map((row) => row.slug));
  const ready = rows.filter((row) => !solved.has(row.slug) && row.after.every((slug) => solved.has(slug)));
  return ready.find((row) => row.after.includes(from)) ?? ready[0] ?? null;
}

/** Continue a lesson, or start it. */
export async function continueLesson(row) {
  if (row.cluster !== null && row.done > 0 && row.done < row.total) await openCluster(row.cluster);
  else await startLesson(row.slug);
  arrive();
}

/** Create the lesson's cluster. */
export async function startLesson(slug) {
  const cluster = await post(`lessons/${slug}/start/${languageQuery()}`);
  preferences.lessonSteps.value = { ...preferences.lessonSteps.peek(), [cluster.id]: 0 };
  await openCluster(cluster.id);
  await loadClusters();
}

export async function restartLesson() {
  const { cluster } = lesson.peek();
  await post(clusterPath(cluster, "lesson", "restart"));
  if (lesson.peek()?.cluster !== cluster) return;
  hints.value = {};
  updateLesson(cluster, { checks: {} });
  goToStep(0);
}

export async function setLessonLanguage(lang) {
  preferences.lessonLanguage.value = lang;
  const { cluster, text } = lesson.peek();
  const translated = await get(`lessons/${text.slug}/${languageQuery()}`);
  if (preferences.lessonLanguage.peek() === lang) updateLesson(cluster, { text: translated });
}

/** Store an answer about the lesson of this cluster, and keep changes that arrived meanwhile. */
function updateLesson(cluster, changes) {
  const now = lesson.peek();
  if (now?.cluster === cluster) lesson.value = { ...now, ...changes };
}

export function goToStep(step) {
  const now = lesson.peek();
  lesson.value = { ...now, step };
  preferences.lessonSteps.value = { ...preferences.lessonSteps.peek(), [now.cluster]: step };
}

export function showHint(id) {
  hints.value = { ...hints.peek(), [id]: (hints.peek()[id] ?? 0) + 1 };
}

const storeCheck = (cluster, id, state) => updateLesson(cluster, { checks: { ...lesson.peek()?.checks, [id]: state } });

async function postCheck(id, action, body) {
  const { cluster } = lesson.peek();
  storeCheck(cluster, id, await post(clusterPath(cluster, "lesson", "checks", id, action), body));
}

/** Answer a prediction, and unpin the node that answered it, so that the next question starts without a selection. */
export async function predict(id, chosen) {
  await postCheck(id, "predict", { chosen });
  const pinned = store.pinned.peek();
  if (chosen.includes(pinned.node)) store.pinned.value = { ...pinned, node: null, plugin: null };
}

/** Return true if all commands are done, or if the cluster does not answer. */
const isIdle = (cluster) =>
  get(clusterPath(cluster)).then(
    ({ state }) => state === "idle",
    () => true,
  );

/** Begin the current check when the cluster is idle. If the server keeps refusing, the event has already happened. */
async function beginCheck(tries = 1) {
  const id = openCheck.peek();
  const { cluster, checks } = lesson.peek() ?? {};
  if (!id) return;
  // The check began earlier or in another page, so its event may have happened since.
  if (checks[id]) return void pollCheck();
  try {
    await postCheck(id, "begin");
    pollCheck();
  } catch (error) {
    if (error.status === UNAVAILABLE) {
      if (tries === MOST_TRIES) reportError(error);
      setTimeout(() => beginCheck(tries + 1), TRY_LATER);
    } else if (error.status !== BUSY) reportError(error);
    // The refusal is final only on an idle cluster.
    else if (!(await isIdle(cluster))) setTimeout(() => beginCheck(tries), TRY_AGAIN);
    else if (tries < MOST_TRIES) setTimeout(() => beginCheck(tries + 1), TRY_AGAIN);
    else storeCheck(cluster, id, { form: MISSED, done: false });
  }
}

/** Begin a missed check again: a reset, or a pod back in its queue, makes it possible. */
function beginMissed() {
  const id = openCheck.peek();
  if (lesson.peek()?.checks[id]?.form !== MISSED) return;
  storeCheck(lesson.peek().cluster, id, undefined);
  beginCheck(MOST_TRIES);
}

/** Check whether the current check is done. */
const pollCheck = coalesce(async () => {
  const id = openCheck.peek();
  const check = id && lesson.peek().checks[id];
  if (!check || check.form === "predict" || check.form === MISSED || check.done) return;
  try {
    await postCheck(id, "look");
  } catch (error) {
    if (error.status === BUSY) setTimeout(pollCheck, TRY_AGAIN);
    else if (error.status === UNAVAILABLE) setTimeout(pollCheck, TRY_LATER);
    else reportError(error);
  }
}, LOOK_EVERY);

/** Return the first step with something open, for a browser that has not seen this started lesson. */
function firstOpenStep({ steps }, checks) {
  if (!Object.keys(checks).length) return 0;
  const open = steps.findIndex(({ blocks }) =>
    blocks.some(({ argument, kind }) => argument && kind !== "point" && !checks[argument]?.done),
  );
  return open < 0 ? steps.length - 1 : open;
}

export async function loadLesson(cluster) {
  const [text, run] = await Promise.all([
    get(`lessons/${cluster.lesson}/${languageQuery()}`),
    get(clusterPath(cluster.id, "lesson")),
  ]);
  if (store.cluster.peek()?.id !== cluster.id) return;
  const step = Math.min(
    preferences.lessonSteps.peek()[cluster.id] ?? firstOpenStep(text, run.checks),
    text.steps.length - 1,
  );
  hints.value = {};
  lesson.value = { cluster: cluster.id, text, checks: run.checks, step };
}

effect(() => {
  if (openCheck.value) beginCheck();
});
// Any record may complete the check.
onRecords(() => (beginMissed(), pollCheck()));
