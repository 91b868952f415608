/** The scheduling queues: where each pod waits, how long and why; and its last moves. */
import { html } from "../../vendor/preact.js";
import { secondsUntilBackoffEnds } from "../drive/waiting_time.js";
import { advanceClock, answerPermit } from "../drive/run.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { mayEdit } from "../access/allowed.js";
import { plainCause } from "../cycle/plain_reasons.js";
import { formatClock, formatDuration, podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { laneWord, shortPlugin } from "../cycle/cycle_texts.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { useFrame } from "../cycle/panel_frames.js";
import { isWithin } from "../cycle/frame.js";
import { lanes } from "../cycle/lanes.js";

const Workloads = lazy(() => import("../workloads/workloads_panel.js").then((module) => module.Workloads));
const OWNER_KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet"];

const GroupedLane = lazy(() => import("../gang/grouped_lane.js").then((module) => module.GroupedLane));
const LISTED_PODS = 5;
const LANES = [
  ["inFlight", "chosen"],
  ["waiting", "waiting"],
  ["active", "pass"],
  ["backoff", "waiting"],
  ["errorBackoff", "error"],
  ["unschedulable", "rejected"],
  ["gated", "idle"],
];
// A rarely used queue shows only when it has pods.
const SELDOM = new Set(["waiting", "errorBackoff"]);
const MOVES = 12;
// Queues whose detail is a list of plugins, which may be long.
const LISTED = new Set(["unschedulable", "gated"]);
// Queues that explain the move of a pod.
const EXPLAINED = new Set(["backoff", "errorBackoff", "unschedulable"]);

function podDetail(lane, entry, now) {
  // A pod that has just arrived has neither until the server answers.
  if (lane === "backoff" || lane === "errorBackoff")
    return entry.backoff_until === undefined ? "" : formatDuration(entry.backoff_until - now);
  if (lane === "unschedulable") return entry.plugins ? entry.plugins.map(shortPlugin).join(", ") || _("unknown") : "";
  if (lane === "gated") return entry.gate ?? entry.plugins?.join(", ") ?? "";
  if (lane === "active") return fill(_("prio {n}"), { n: entry.priority });
  return fill(_("attempt {n}"), { n: entry.attempts });
}

function Entry({ lane, entry, moved, now, inView, live }) {
  const why = moved && plainCause(moved);
  const showPod = () => (pinPod(entry.pod), openSideTab("pod"));
  return html`<li>
    <button type="button" class=${`pod-row ${entry.pod === inView ? "on" : ""}`} aria-pressed=${entry.pod === inView}
      onClick=${showPod} title=${entry.pod}
    >
      <span class="mono cut tail grow"><bdi>${podName(entry.pod)}</bdi></span>
      <span class=${`mono quiet cut detail ${LISTED.has(lane) ? "" : "short"}`}
        title=${entry.plugins?.join(", ") || entry.pod}
      >${podDetail(lane, entry, now)}</span>
    </button>
    ${why && EXPLAINED.has(lane) && html`<p class="moved-by quiet cut" title=${moveCause(moved)}>${why}</p>`}
    ${
      live &&
      lane === "waiting" &&
      html`<span class="row answers">
        <button type="button" class="btn small" onClick=${() => answerPermit(entry.pod, "allow")}>${_("Allow")}</button>
        <button type="button" class="btn small"
          onClick=${() => answerPermit(entry.pod, "reject")}>${_("Reject")}</button>
      </span>`
    }
  </li>`;
}

function Lane({ lane, tone, queue, moved, now, inView, live }) {
  const entries = queue?.lanes[lane] ?? [];
  const count = queue?.counts[lane] ?? entries.length;
  if (SELDOM.has(lane) && !count) return null;
  const shown = entries.slice(0, LISTED_PODS);
  const row = (entry) => html`<${Entry} key=${entry.pod} lane=${lane} entry=${entry} moved=${moved.get(entry.pod)}
    now=${now} inView=${inView} live=${live}
  />`;
  const renderRest = (more) =>
    more > 0 &&
    html`<button type="button" class="link more" onClick=${() => openDialog("lane", { lane })}>
      ${
        lane === "active"
          ? ngettext("{n} more in order", "{n} more in order", more)
          : ngettext("{n} more", "{n} more", more)
      }
    </button>`;
  const wait = lane === "backoff" && count ? secondsUntilBackoffEnds() : null;
  return html`<section class="lane" data-lane=${lane}>
    <h3 class="row">
      <i class=${`square is-${tone}`} /> <span class="grow">
        ${laneWord(lane)} <${GlossaryButton} kind="lane" name=${lane} />
      </span>
      ${
        live &&
        wait > 0 &&
        html`<button type="button" class="btn small bare" onClick=${() => advanceClock(wait)}
          title=${_("Let virtual time pass until the first backoff ends")}
        >${fill(_("pass {time}"), { time: formatDuration(wait) })}</button>`
      }
      <span class="num count">${formatNumber(count)}</span>
    </h3>
    ${
      entries.some(({ group }) => group)
        ? html`<${GroupedLane} lane=${lane} queue=${queue} few=${LISTED_PODS} inView=${inView} row=${row}
          rest=${renderRest} />`
        : html`${shown.length > 0 && html`<ul>${shown.map(row)}</ul>`}${renderRest(count - shown.length)}`
    }
  </section>`;
}

/** Return why a move happened, in upstream's terms: the event, the plugin, its hint. */
export function moveCause({ event, plugin, hint, from, to, during }) {
  const pluginText = plugin && hint ? `${shortPlugin(plugin)}: ${hint}` : plugin ? shortPlugin(plugin) : "";
  const reason = during ? fill(_("{event} meanwhile, {said}"), { event: during, said: pluginText }) : pluginText;
  return [event, reason].filter(Boolean).join(", ") || (from === to ? _("hint: Skip") : "");
}

/** Join a pod's moves in one record: Active → In flight → Bound. Newest first, at most MOVES. */
function joinMoves(moves) {
  const journeys = [];
  for (const move of moves) {
    const last = journeys.at(-1);
    if (last && last.seq === move.seq && last.pod === move.pod && last.lanes[0] === move.to)
      last.lanes.unshift(move.from);
    else if (journeys.length === MOVES) break;
    else journeys.push({ ...move, lanes: [move.from, move.to] });
  }
  return journeys;
}

/** Return pod → its newest move; the list has the newest first. */
function lastMoves(moves) {
  const last = new Map();
  for (const move of moves) if (!last.has(move.pod)) last.set(move.pod, move);
  return last;
}

function Journey({ journey }) {
  const { pod, from, to, lanes } = journey;
  const why = plainCause(journey);
  // A new pod comes from its creator, not from a queue.
  const isNew = from === "new" && why;
  const way =
    from === to
      ? fill(_("stays in {lane}"), { lane: laneWord(to) })
      : [isNew ? why : laneWord(lanes[0]), ...lanes.slice(1).map(laneWord)].join(" → ");
  return html`<li>
    <button type="button" class="link name cut tail" title=${pod} onClick=${() => (pinPod(pod), openSideTab("pod"))}>
      <bdi>${podName(pod)}</bdi>
    </button>
    <p title=${moveCause(journey) || undefined}>
      ${way}
      ${why && !isNew && html`<span class="quiet"> · ${why}</span>`}
      ${journey.event && html` <${GlossaryButton} kind="event" name=${journey.event} />`}
    </p>
  </li>`;
}

/** Return the moment of the queues on the screen, if it is not now. */
export function lanesMomentText({ asOf, within }) {
  return within === null
    ? fill(_("as cycle {n} left them"), { n: formatNumber(asOf) })
    : fill(_("while cycle {n} runs"), { n: formatNumber(within) });
}

const hasPodOwners = (cluster) =>
  mayEdit.value && cluster && (cluster.actors?.length || OWNER_KINDS.some((kind) => cluster.counts[kind]));

export function Queues() {
  const { queue, asOf, within, t: now, moves: all } = lanes.value;
  const moment = useFrame();
  const inView = store.pinned.value.pod ?? moment?.record.cycle.pod;
  const moves = joinMoves(all);
  const moved = lastMoves(all);
  const close = () => (preferences.closed.value = { ...preferences.closed.peek(), left: true });
  return html`<section class=${`panel queues scroll ${moment && isWithin(moment) ? "in-cycle" : ""}`} id="queues"
    tabindex="-1" aria-labelledby="queues-title"
  >
    <div class="head">
      <h2 id="queues-title">${_("Queues")}</h2>
      <span class="about grow" title=${_("virtual time since the cluster's start")}>
        <span class="mono">${formatClock(now)}</span>
      </span>
      <button type="button" class="btn bare icon closer" aria-label=${_("Close the queues")}
        title=${_("Close the queues")} onClick=${close}
      >${icon("left")}</button>
    </div>
    ${hasPodOwners(store.cluster.value) && html`<${Workloads} />`}
    ${asOf !== null && html`<p class="as-of quiet">${lanesMomentText(lanes.value)}</p>`}
    ${LANES.map(
      ([lane, tone]) => html`<${Lane} key=${lane} lane=${lane} tone=${tone} queue=${queue} moved=${moved} now=${now}
        inView=${inView} live=${asOf === null && within === null && mayEdit.value}
      />`,
    )}
    <section class="moves">
      <h3 class="caps">${_("Last moves")}</h3>
      ${
        moves.length
          ? html`<ul>
            ${moves.map((journey) => html`<${Journey} key=${`${journey.seq} ${journey.pod}`} journey=${journey} />`)}
          </ul>`
          : html`<p class="quiet">${_("No pod has moved yet.")}</p>`
      }
    </section>
  </section>`;
}
