/** The progress through a lesson: text, current step, and started checks. */
import { computed, effect, signal } from "../../vendor/preact.js";
import { loadClusters, openCluster } from "../clusters/clusters.js";
import { get, of, post } from "../base/api.js";
import { coalesce } from "../base/latest.js";
import { arrive, lesson } from "./state.js";
import { report } from "../base/notices.js";
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

const language = () => preferences.lessonLanguage.peek() ?? document.documentElement.lang;
const query = () => `?lang=${encodeURIComponent(language().toLowerCase())}`;

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
  lessons.value = await get(`lessons/${query()}`);
}

/** Return the next lesson: unsolved with its prerequisites met; successors of lesson `from` come first. */
export function nextLesson(rows, from = null) {
  const solved = new Set(rows.filter((row) => row.solved || row.slug === from).map((row) => row.slug));
  const ready = rows.filter((row) => !solved.has(row.slug) && row.after.every((slug) => solved.has(slug)));
  return ready.find((row) => row.after.includes(from)) ?? ready[0] ?? null;
}

/** Continue a lesson, or start it. */
export async function takeLesson(row) {
  if (row.cluster !== null && row.done > 0 && row.done < row.total) await openCluster(row.cluster);
  else await startLesson(row.slug);
  arrive();
}

/** Create the lesson's cluster. */
export async function startLesson(slug) {
  const made = await post(`lessons/${slug}/start/${query()}`);
  preferences.lessonSteps.value = { ...preferences.lessonSteps.peek(), [made.id]: 0 };
  await openCluster(made.id);
  await loadClusters();
}

export async function restartLesson() {
  const { cluster } = lesson.peek();
  await post(of(cluster, "lesson", "restart"));
  if (lesson.peek()?.cluster !== cluster) return;
  hints.value = {};
  note(cluster, { checks: {} });
  goToStep(0);
}

export async function speak(lang) {
  preferences.lessonLanguage.value = lang;
  const { cluster, text } = lesson.peek();
  const translated = await get(`lessons/${text.slug}/${query()}`);
  if (preferences.lessonLanguage.peek() === lang) note(cluster, { text: translated });
}

/** Store an answer about the lesson of this cluster, and keep changes that arrived meanwhile. */
function note(cluster, changes) {
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

const keep = (cluster, id, state) => note(cluster, { checks: { ...lesson.peek()?.checks, [id]: state } });

async function ask(id, what, body) {
  const { cluster } = lesson.peek();
  keep(cluster, id, await post(of(cluster, "lesson", "checks", id, what), body));
}

/** Answer a prediction, and unpin the node that answered it, so that the next question starts without a selection. */
export async function predict(id, chosen) {
  await ask(id, "predict", { chosen });
  const pinned = store.pinned.peek();
  if (chosen.includes(pinned.node)) store.pinned.value = { ...pinned, node: null, plugin: null };
}

/** Return true if all commands are done, or if the cluster does not answer. */
const isIdle = (cluster) =>
  get(of(cluster)).then(
    ({ state }) => state === "idle",
    () => true,
  );

/** Begin the current check when the cluster is idle. If the server keeps refusing, the event has already happened. */
async function begin(tries = 1) {
  const id = openCheck.peek();
  const { cluster, checks } = lesson.peek() ?? {};
  if (!id) return;
  // The check began earlier or in another page, so its event may have happened since.
  if (checks[id]) return void look();
  try {
    await ask(id, "begin");
    look();
  } catch (error) {
    if (error.status === UNAVAILABLE) {
      if (tries === MOST_TRIES) report(error);
      setTimeout(() => begin(tries + 1), TRY_LATER);
    } else if (error.status !== BUSY) report(error);
    // The refusal is final only on an idle cluster.
    else if (!(await isIdle(cluster))) setTimeout(() => begin(tries), TRY_AGAIN);
    else if (tries < MOST_TRIES) setTimeout(() => begin(tries + 1), TRY_AGAIN);
    else keep(cluster, id, { form: MISSED, done: false });
  }
}

/** Begin a missed check again: a reset, or a pod back in its queue, makes it possible. */
function beginMissed() {
  const id = openCheck.peek();
  if (lesson.peek()?.checks[id]?.form !== MISSED) return;
  keep(lesson.peek().cluster, id, undefined);
  begin(MOST_TRIES);
}

/** Check whether the current check is done. */
const look = coalesce(async () => {
  const id = openCheck.peek();
  const check = id && lesson.peek().checks[id];
  if (!check || check.form === "predict" || check.form === MISSED || check.done) return;
  try {
    await ask(id, "look");
  } catch (error) {
    if (error.status === BUSY) setTimeout(look, TRY_AGAIN);
    else if (error.status === UNAVAILABLE) setTimeout(look, TRY_LATER);
    else report(error);
  }
}, LOOK_EVERY);

/** Return the first step with something open, for a browser that has not seen this started lesson. */
function firstOpen({ steps }, checks) {
  if (!Object.keys(checks).length) return 0;
  const open = steps.findIndex(({ blocks }) =>
    blocks.some(({ argument, kind }) => argument && kind !== "point" && !checks[argument]?.done),
  );
  return open < 0 ? steps.length - 1 : open;
}

export async function load(cluster) {
  const [text, run] = await Promise.all([get(`lessons/${cluster.lesson}/${query()}`), get(of(cluster.id, "lesson"))]);
  if (store.cluster.peek()?.id !== cluster.id) return;
  const step = Math.min(
    preferences.lessonSteps.peek()[cluster.id] ?? firstOpen(text, run.checks),
    text.steps.length - 1,
  );
  hints.value = {};
  lesson.value = { cluster: cluster.id, text, checks: run.checks, step };
}

effect(() => {
  if (openCheck.value) begin();
});
// Any record may complete the check.
onRecords(() => (beginMissed(), look()));
