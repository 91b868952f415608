/** The life of a pod: each queue move with its event and hint, and its Events in between. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { goToCycle } from "../cycle/walk.js";
import { clock } from "../base/format.js";
import { _, ngettext, fill, number } from "../base/i18n.js";
import { store } from "../base/store.js";
import { laneWord } from "../cycle/words.js";
import { EventLine } from "./events.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { cause } from "../queues/queues.js";

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
      <span class="mono quiet">${clock(move.t)}</span>
    </p>
    ${
      (move.event || move.plugin || move.cycle !== null) &&
      html`<p class="row about-whom event-text">
        <span>${(move.event || move.plugin) && cause(move)}</span>
        ${
          move.cycle !== null &&
          html`<button type="button" class="link quiet" onClick=${() => goToCycle(move.cycle)}>
            ${fill(_("cycle {n}"), { n: number(move.cycle) })}
          </button>`
        }
      </p>`
    }
  </li>`;
}

export function PodLife({ podKey, events }) {
  const [found, setFound] = useState(null);
  const id = store.cluster.value.id;
  useEffect(() => {
    let gone = false;
    get(of(id, "pods", ...podKey.split("/"), "moves")).then(
      (answer) => gone || setFound({ ...answer, key: podKey }),
      () => gone || setFound({ moves: [], omitted: 0, key: podKey }),
    );
    return () => (gone = true);
  }, [id, podKey, events]);
  const moves = found?.key === podKey ? found.moves : [];
  // Within a record, the queue moves precede the Event.
  const life = [
    ...moves.map((move) => ({ ...move, order: 0 })),
    ...events.map((event) => ({ ...event, order: 1 })),
  ].sort((a, b) => a.seq - b.seq || a.order - b.order);
  return html`
    <h4 class="caps">${_("Queue moves and Events")}</h4>
    ${
      found?.omitted > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} earlier move is not told any more", "{n} earlier moves are not told any more", found.omitted)}
      </p>`
    }
    ${
      life.length
        ? html`<ul class="events life">
          ${life.map((entry, index) =>
            entry.order
              ? html`<${EventLine} key=${`e${index}`} event=${entry} bare />`
              : html`<${Move} key=${`m${index}`} move=${entry} />`,
          )}
        </ul>`
        : html`<p class="quiet">${_("None yet.")}</p>`
    }
  `;
}
