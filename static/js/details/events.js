/** Kubernetes Events of the cluster, newest first; a click opens the cycle that sent one. */
import { html } from "../../vendor/preact.js";
import { openDecoder } from "../explain/open_explanation.js";
import { isOffered } from "../access/allowed.js";
import { goToCycle } from "../cycle/playback.js";
import { formatClock, podName } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";

const LISTED_EVENTS = 100;

/** `bare`: without the object, for the list of one pod. */
export function EventLine({ event, bare = false }) {
  const warns = event.type === "Warning";
  return html`<li class="event">
    <p class="row">
      ${icon(warns ? "rejected" : "idle", warns ? "is-rejected" : "quiet")} <b>${event.reason}</b>
      <span class="grow" />
      ${event.t !== undefined && html`<span class="mono quiet">${formatClock(event.t)}</span>`}
    </p>
    ${
      (!bare || event.cycle) &&
      html`<p class="row about-whom">
        ${!bare && html`<span class="mono cut tail" title=${event.object}><bdi>${podName(event.object)}</bdi></span>`}
        ${
          event.cycle &&
          html`<button type="button" class="link quiet" onClick=${() => goToCycle(event.cycle)}>
            ${fill(_("cycle {n}"), { n: formatNumber(event.cycle) })}
          </button>`
        }
      </p>`
    }
    <p class="event-text">${event.message}</p>
  </li>`;
}

export function Events() {
  const events = store.events.value;
  if (!events.length)
    return html`<p class="empty quiet">
      ${_("Events of kube-scheduler appear here, as in kubectl get events.")}
    </p>`;
  const decoderButton =
    isOffered("decode") &&
    html`<p>
      <button type="button" class="btn small" onClick=${() => openDecoder()}>${_("What does a message mean?")}</button>
    </p>`;
  return html`
    ${decoderButton}
    <ul class="events">
      ${events
        .slice(0, LISTED_EVENTS)
        .map((event, index) => html`<${EventLine} key=${`${event.seq}.${index}`} event=${event} />`)}
    </ul>
  `;
}
