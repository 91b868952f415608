/**
 * The known state at one moment of one cycle: pure functions from (record, matrix, step) to verdicts, points and
 * columns. `step` counts the steps that have run: 0 = none, record.cycle.steps.length = all.
 */
import { PHASES, pointOf } from "./cycle_steps.js";

const POINTS = PHASES.flatMap(([, points]) => points);

/** Return true if two steps skip at the same point; a run of these counts as one step. */
export const isSameSkip = (a, b) => a?.code === "Skip" && b?.code === "Skip" && a.point === b.point;

const GOOD = new Set(["Success", "Skip", undefined]);

/** Return the steps of a cycle record; brief records have none. */
export const stepsOf = (record) => record?.cycle.steps ?? [];

/** Return true if the moment has not reached the last step of its cycle. */
export const isWithin = (moment) => moment.step < stepsOf(moment.record).length;

function stateOfPoint(steps, doneCount) {
  const done = steps.filter(({ index }) => index < doneCount).map(({ step }) => step);
  if (!done.length) return "ahead";
  if (done.some((step) => step.code === "Wait")) return "waiting";
  if (done.some((step) => !GOOD.has(step.code) || step.out === 0)) return "failed";
  if (done.every((step) => step.code === "Skip")) return "skipped";
  return "ran";
}

/**
 * Return one entry per point: {point, state, current, steps: [{index, step}], ran, skipped, in, out}. States: ran,
 * skipped, failed, waiting, ahead (recorded, after the cursor), needless (nothing to do), unreached (the attempt ended
 * earlier).
 */
export function pointsAt(record, step) {
  const all = stepsOf(record).map((entry, index) => ({ step: entry, index }));
  const currentPoint = all[step - 1] ? pointOf(all[step - 1].step) : null;
  const currentIndex = currentPoint ? POINTS.indexOf(currentPoint) : -1;
  const endedBadly = !["scheduled", "waiting"].includes(record.cycle.outcome);
  const lastPoint = all.length ? POINTS.indexOf(pointOf(all.at(-1).step)) : -1;
  return POINTS.map((point, order) => {
    const steps = all.filter((entry) => pointOf(entry.step) === point);
    const done = steps.filter(({ index }) => index < step).map((entry) => entry.step);
    const plugins = done.filter((entry) => entry.point === point);
    const searched = done.filter((entry) => entry.in !== undefined);
    // A step without a plugin does not mean that its point ran: with one feasible node, nothing is normalized.
    const own = steps.some((entry) => entry.step.point === point);
    const context = {
      endedBadly,
      lastPoint,
      outcome: record.cycle.outcome,
      known: step >= all.length || order < currentIndex,
    };
    const state = own ? stateOfPoint(steps, step) : stateWithoutSteps(point, order, context);
    return {
      point,
      state,
      current: point === currentPoint,
      steps,
      ran: plugins.filter((entry) => entry.code !== "Skip").length,
      skipped: plugins.filter((entry) => entry.code === "Skip").length,
      in: searched[0]?.in,
      out: searched.at(-1)?.out,
    };
  });
}

/** Return the state of a point without steps. Until the cursor has passed it, the state is unknown. */
function stateWithoutSteps(point, order, { endedBadly, lastPoint, outcome, known }) {
  if (point === "PreEnqueue") return "before";
  if (!known) return "ahead";
  if (point === "PostFilter" || point === "Unreserve")
    return endedBadly && order > lastPoint ? "unreached" : "needless";
  if (outcome === "waiting" && order > lastPoint) return "ahead";
  return endedBadly && order > lastPoint ? "unreached" : "needless";
}

// Verdicts of nodes, as numbers because each frame has up to 5,000 of them.
const IDLE = 0; // the search has not reached it yet
export const CANDIDATE = 1; // in the search, not rejected yet
const FEASIBLE = 2; // passed every filter
const REJECTED = 3;
const FAULTY = 4; // a plugin returned an error
const CHOSEN = 5;
export const UNSEEN = 6; // the search ended before it
export const VERDICTS = ["idle", "candidate", "pass", "rejected", "error", "chosen", "unseen"];

/**
 * Return the moment as the views draw it: {record, matrix, step, current, verdict: Uint8Array over matrix rows,
 * failedBy: index into filter columns or -1 per row, filters: [plugin], reached: filter columns that have run,
 * skippedFilters: [plugin], scores: [{plugin, weight, raw, normalized, hasRaw, hasNormalized}], totals or null, soFar:
 * partial totals or null, dropping: the filter column of the step or -1, counts: {verdict: n}, row: Map name → row,
 * position: Map row → feasible position}
 */
export function frameAt(record, matrix, step) {
  const steps = stepsOf(record);
  const done = steps.slice(0, step);
  const current = done.at(-1) ?? null;
  const filters = matrix?.filterPlugins ?? [];
  const ran = new Set(done.filter((entry) => entry.point === "Filter").map((entry) => entry.plugin ?? entry.extender));
  const pastFilter = done.some((entry) => POINTS.indexOf(pointOf(entry)) > POINTS.indexOf("Filter"));
  const reached =
    pastFilter || step >= steps.length ? filters.length : filters.filter((plugin) => ran.has(plugin)).length;
  const searching = done.some((entry) => entry.point === "Sample" || entry.point === "Filter") || pastFilter;
  const chosen = done.some((entry) => entry.point === "SelectHost") || step >= steps.length ? record.cycle.node : null;
  const scores = matrix ? scoresAt(matrix, done, step >= steps.length) : [];
  const totals = matrix?.totals.length && scores.every((score) => score.hasNormalized) ? matrix.totals : null;
  return {
    record,
    matrix,
    step,
    current,
    filters,
    reached,
    searching,
    skippedFilters: skippedFilters(done, filters),
    scores,
    totals,
    soFar: totals ? null : sumScores(scores.filter((score) => score.hasNormalized)),
    dropping: current?.point === "Filter" && current.plugin ? filters.indexOf(current.plugin) : -1,
    ...verdictsAt(matrix, { reached, searching, chosen, filters }),
  };
}

/** Return normalized × weight, summed by feasible node; null without scores. */
function sumScores(scores) {
  if (!scores.length) return null;
  return scores[0].normalized.map((_first, position) =>
    scores.reduce((sum, { normalized, weight }) => sum + normalized[position] * weight, 0),
  );
}

function skippedFilters(done, filters) {
  const skipped = done
    .filter((entry) => entry.point === "PreFilter" && entry.code === "Skip")
    .map((entry) => entry.plugin);
  return skipped.filter((plugin) => !filters.includes(plugin));
}

// A node keeps its row in the matrix for all steps.
const places = new WeakMap();

/** Return {row: Map name → row, position: Map row → feasible position} of a matrix. */
function indexMatrix(matrix) {
  if (!matrix) return { row: new Map(), position: new Map() };
  if (!places.has(matrix)) {
    places.set(matrix, {
      row: new Map(matrix.names.map((name, i) => [name, i])),
      position: new Map(matrix.feasible.map((where, index) => [where, index])),
    });
  }
  return places.get(matrix);
}

function verdictsAt(matrix, { reached, searching, chosen, filters }) {
  const size = matrix?.names.length ?? 0;
  const verdict = new Uint8Array(size);
  const failedBy = new Int16Array(size).fill(-1);
  const { row, position } = indexMatrix(matrix);
  const column = (matrix?.statuses ?? []).map((status) => filters.indexOf(status.plugin));
  const counts = new Array(VERDICTS.length).fill(0);
  const allRan = reached === filters.length;
  for (let i = 0; i < size; i += 1) {
    const status = matrix.status[i];
    let state = IDLE;
    if (searching) {
      // A status outside the filter columns comes from PreFilter or an extender. It is known after all columns ran.
      const known = status !== 0 && (column[status] >= 0 ? column[status] < reached : allRan);
      if (known) {
        state = matrix.statuses[status].code === "Error" ? FAULTY : REJECTED;
        failedBy[i] = column[status];
      } else state = allRan ? FEASIBLE : CANDIDATE;
      if (matrix.names[i] === chosen) state = CHOSEN;
    }
    verdict[i] = state;
    counts[state] += 1;
  }
  return { verdict, failedBy, row, position, counts };
}

function scoresAt(matrix, done, all) {
  const scored = new Set();
  const normalized = new Set();
  for (const entry of done) {
    if (entry.point === "Score") scored.add(entry.plugin);
    if (entry.point === "NormalizeScore") normalized.add(entry.plugin);
  }
  const selected = done.some((entry) => entry.point === "SelectHost");
  return matrix.scorePlugins.map((plugin, index) => ({
    plugin,
    weight: matrix.weights[index],
    raw: matrix.raw[index],
    normalized: matrix.normalized[index],
    hasRaw: all || selected || scored.has(plugin),
    hasNormalized:
      all ||
      selected ||
      normalized.has(plugin) ||
      (scored.has(plugin) && isSameArray(matrix.raw[index], matrix.normalized[index])),
  }));
}

const isSameArray = (a, b) => a === b || (a.length === b.length && a.every((value, index) => value === b[index]));

/**
 * Return one node's part of the frame: {state: VERDICTS entry, status: {plugin, code, reasons} or null, total, soFar,
 * dropped: by this step, row, position}.
 */
export function verdictOf(frame, name) {
  const row = frame?.row.get(name);
  if (row === undefined)
    return {
      state: frame?.searching ? "unseen" : "idle",
      status: null,
      total: null,
      soFar: null,
      dropped: false,
      row: -1,
      position: -1,
    };
  const state = VERDICTS[frame.verdict[row]];
  const position = frame.position.get(row) ?? -1;
  const rejected = state === "rejected" || state === "error";
  return {
    state,
    status: rejected ? frame.matrix.statuses[frame.matrix.status[row]] : null,
    total: position >= 0 && frame.totals ? frame.totals[position] : null,
    soFar: position >= 0 && frame.soFar ? frame.soFar[position] : null,
    dropped: rejected && frame.dropping >= 0 && frame.failedBy[row] === frame.dropping,
    row,
    position,
  };
}

/** Return the rejected nodes by answer, biggest group first: [{key, plugin, code, reasons, names}]. */
export function groupRejections(frame) {
  const groups = new Map();
  frame.verdict.forEach((state, row) => {
    if (state !== REJECTED && state !== FAULTY) return;
    const index = frame.matrix.status[row];
    if (!groups.has(index)) groups.set(index, { key: `r${index}`, ...frame.matrix.statuses[index], names: [] });
    groups.get(index).names.push(frame.matrix.names[row]);
  });
  return [...groups.values()].sort((a, b) => b.names.length - a.names.length || a.key.localeCompare(b.key));
}

/**
 * Return the nodes not rejected so far, best total first: [name]; during scoring by partial totals, before it in
 * visiting order.
 */
export function listSurvivors(frame) {
  const rows = [];
  // Totals are integers: a half puts the chosen node before its equals.
  const rank = new Float64Array(frame.verdict.length);
  const sums = frame.totals ?? frame.soFar;
  frame.verdict.forEach((state, row) => {
    if (state === REJECTED || state === FAULTY) return;
    rows.push(row);
    rank[row] = (sums?.[frame.position.get(row)] ?? 0) + (state === CHOSEN ? 0.5 : 0);
  });
  rows.sort((a, b) => rank[b] - rank[a] || a - b);
  return rows.map((row) => frame.matrix.names[row]);
}

/** Return the PostFilter steps that have run at the moment on the screen. */
export const postFilterSteps = (moment) =>
  moment.record.cycle.steps.slice(0, moment.step).filter((step) => step.point === "PostFilter");
