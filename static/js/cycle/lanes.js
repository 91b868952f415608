/**
 * The scheduling queues at the moment on the screen. The API and the DOM call a queue or a state beside the queues,
 * such as "bound", a lane (`lanes`, `data-lane`), so this module does, too.
 */
import { computed } from "../../vendor/preact.js";
import { store } from "../base/store.js";
import { isWithin } from "./frame.js";
import { atHeadOf, panelMoments } from "./panel_frames.js";

const detailsAtHead = atHeadOf(panelMoments.details);

/** Return the moves until a cycle's pod was popped, newest first, without the effects of the cycle. */
function movesUntilPopped(moves, { seq, cycle }) {
  const popped = moves.findIndex((move) => move.seq === seq && move.pod === cycle.pod && move.to === "inFlight");
  return popped < 0 ? moves.filter((move) => move.seq < seq) : moves.slice(popped);
}

// The queues of pods whose attempt failed.
const FAILED = new Set(["unschedulable", "backoff", "errorBackoff"]);

/**
 * Return the queues after the cycle of `record`, until the server's arrive. Bound pods leave by `moves` (newest first),
 * and the cycle's pod joins its new queue. Only the server has the details.
 */
function applyMoves(queue, moves, { cycle, t }) {
  const bound = new Set(moves.filter(({ to }) => to === "bound").map(({ pod }) => pod));
  const newLane = moves.find(({ pod }) => pod === cycle.pod)?.to;
  if (!queue || !(bound.size || FAILED.has(newLane))) return queue;
  const hasLeft = ({ pod }) => bound.has(pod) || (pod === cycle.pod && FAILED.has(newLane));
  const lanes = Object.fromEntries(
    Object.entries(queue.lanes).map(([lane, entries]) => [lane, entries.filter((entry) => !hasLeft(entry))]),
  );
  const countLeft = (lane) => queue.lanes[lane].length - lanes[lane].length;
  const counts = Object.fromEntries(
    Object.entries(queue.counts).map(([lane, count]) => [lane, count - (lanes[lane] ? countLeft(lane) : 0)]),
  );
  if (FAILED.has(newLane)) {
    lanes[newLane] = [
      ...(lanes[newLane] ?? []),
      { pod: cycle.pod, uid: cycle.uid, priority: cycle.priority, attempts: cycle.attempt, since: t },
    ];
    counts[newLane] = (counts[newLane] ?? 0) + 1;
  }
  return { ...queue, lanes, counts };
}

let lanesBefore = null;

/**
 * The queues at the moment on the screen: {queue, asOf: number of the cycle before them, or null for now, within:
 * number of the unfinished cycle, or null, t, moves}. Within a cycle, the earlier ones show until the server's arrive;
 * changes since the newest show at once.
 */
export const lanes = computed(() => {
  const shown = panelMoments.details.value;
  const newest = detailsAtHead.value;
  const record = shown?.record;
  const number = record?.cycle.number;
  const then = store.queueAfterCycle.value;
  const isThen = shown && !newest && then?.cycle === number;
  const now = store.queue.value;
  const isBehind = shown && newest && now && now.revision < record.seq && !isWithin(shown);
  // Until the queues of an earlier cycle arrive, show those before it without its moves, never the present ones.
  const before = shown && !newest && !isThen && lanesBefore?.cluster === store.cluster.value?.id ? lanesBefore : null;
  if (before?.within === null && before.asOf === number - 1)
    return (lanesBefore = {
      ...before,
      queue: applyMoves(before.queue, [...(record.moves ?? [])].reverse(), record),
      asOf: number,
      t: record.t,
    });
  if (before && !isWithin(shown)) return before;
  const left = isThen
    ? { queue: then, asOf: number, within: null, t: record.t, moves: then.moves }
    : {
        queue: isBehind
          ? applyMoves(
              now,
              store.moves.value.filter(({ seq }) => seq > now.revision),
              record,
            )
          : now,
        asOf: null,
        within: null,
        t: store.cluster.value?.t ?? 0,
        moves: store.moves.value,
      };
  const isChanged = newest && left.queue?.revision > (record?.last ?? record?.seq);
  const inside = shown && isWithin(shown) && !isChanged;
  const during = store.queueDuringCycle.value;
  const cluster = store.cluster.value?.id;
  if (inside && during?.cycle === number)
    lanesBefore = {
      ...left,
      cluster,
      queue: during,
      within: number,
      t: record.t,
      moves: movesUntilPopped(left.moves, record),
    };
  else if (!inside || !lanesBefore) lanesBefore = { ...left, cluster };
  return lanesBefore;
});
