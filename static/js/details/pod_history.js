/** The life of a pod: each queue move with its event and hint, and its Events in between. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { goToCycle } from "../cycle/playback.js";
import { formatClock } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { laneWord } from "../cycle/cycle_texts.js";
import { EventLine } from "./events.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { moveCause } from "../queues/queues.js";

const TONE = {
  bound: ["chosen", "is-chosen"],
  inFlight: ["candidate", "is-candidate"],
  unschedulable: ["rejected", "is-rejected"],
  backoff: ["waiting", "is-waiting"],
  errorBackoff: ["error", "is-error"],
  waiting: ["waiting", "is-waiting"],
  gated: ["idle", "is-idle"],
  active: ["pass", "is-pass"],
};

/** A move, or a hint that left the pod in its queue. */
function Move({ move }) {
  const [mark, tone] = TONE[move.to] ?? ["idle", "quiet"];
  const stayed = move.from === move.to;
  return html`<li class="life-move" data-move=${`${move.from} ${move.to}`}>
    <p class="row">
      ${icon(mark, tone)} <span class="grow">
        ${
          stayed
            ? fill(_("stays in {lane}"), { lane: laneWord(move.to) })
            : html`<span class="quiet">${laneWord(move.from)} →</span> <b>${laneWord(move.to)}</b>`
        } <${GlossaryButton} kind="lane" name=${move.to} />
      </span>
      <span class="mono quiet">${formatClock(move.t)}</span>
    </p>
    ${
      (move.event || move.plugin || move.cycle !== null) &&
      html`<p class="row about-whom event-text">
        <span>${(move.event || move.plugin) && moveCause(move)}</span>
        ${
          move.cycle !== null &&
          html`<button type="button" class="link quiet" onClick=${() => goToCycle(move.cycle)}>
            ${fill(_("cycle {n}"), { n: formatNumber(move.cycle) })}
          </button>`
        }
      </p>`
    }
  </li>`;
}

export function PodHistory({ podKey, events }) {
  const [history, setHistory] = useState(null);
  const id = store.cluster.value.id;
  useEffect(() => {
    let isUnmounted = false;
    get(clusterPath(id, "pods", ...podKey.split("/"), "moves")).then(
      (answer) => isUnmounted || setHistory({ ...answer, key: podKey }),
      () => isUnmounted || setHistory({ moves: [], omitted: 0, key: podKey }),
    );
    return () => (isUnmounted = true);
  }, [id, podKey, events]);
  const moves = history?.key === podKey ? history.moves : [];
  // Within a record, the queue moves precede the Event.
  const entries = [
    ...moves.map((move) => ({ ...move, order: 0 })),
    ...events.map((event) => ({ ...event, order: 1 })),
  ].sort((a, b) => a.seq - b.seq || a.order - b.order);
  return html`
    <h4 class="caps">${_("Queue moves and Events")}</h4>
    ${
      history?.omitted > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} earlier move is no longer listed", "{n} earlier moves are no longer listed", history.omitted)}
      </p>`
    }
    ${
      entries.length
        ? html`<ul class="events life">
          ${entries.map((entry, index) =>
            entry.order
              ? html`<${EventLine} key=${`e${index}`} event=${entry} bare />`
              : html`<${Move} key=${`m${index}`} move=${entry} />`,
          )}
        </ul>`
        : html`<p class="quiet">${_("None yet.")}</p>`
    }
  `;
}
