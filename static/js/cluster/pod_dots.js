/** The pods on a node as dots with names under the pointer. The pod of the cycle and its victims stand out. */
import { html, useState } from "../../vendor/preact.js";
import { pinPod, openSideTab } from "../cycle/selection.js";
import { podsByNode } from "../nodes/pods_on_nodes.js";
import { podName } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";

const DOT = 5;
const PITCH = 7;

const dotsPath = (indexes) => indexes.map((i) => `M${i * PITCH} 1h${DOT}v${DOT}h-${DOT}z`).join("");

/** Return the victims that preemption has chosen up to the step on the screen. */
function listVictims(moment) {
  const preemption = moment?.record.cycle.steps?.slice(0, moment.step).find((step) => step.data?.victims?.length);
  return new Set(preemption?.data.victims.map((victim) => victim.pod ?? victim) ?? []);
}

/** `colourOf(pod)`: the class of its color if colors are by owner. */
export function PodDots({ node, moment, width, colourOf }) {
  const [hovered, setHovered] = useState(-1);
  const own = node.state === "chosen" ? moment.record.cycle.pod : null;
  const victims = listVictims(moment);
  const known = (podsByNode.value.get(node.name) ?? []).filter((pod) => pod !== own);
  // Victims come first, so that they are always drawn.
  const pods = victims.size ? [...known].sort((a, b) => Number(victims.has(b)) - Number(victims.has(a))) : known;
  const all = node.pods + (own ? 1 : 0);
  const capacity = Math.max(1, Math.floor((width - 30) / PITCH));
  const count = Math.min(all, all > capacity ? capacity : Math.ceil(Math.max(0, width) / PITCH));
  const rest = all - count;
  // The selected pod is the last one drawn.
  const nameOf = (i) => (own && i === count - 1 ? own : pods[i]);
  const indexes = Array.from({ length: count }, (_unused, i) => i);
  const kindOf = (i) =>
    own && i === count - 1 ? "own" : victims.has(pods[i]) ? "victim" : (colourOf?.(pods[i]) ?? "other");
  const point = (event) =>
    setHovered(Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left) / PITCH));
  const pick = (event) => {
    const pod = nameOf(hovered);
    if (!pod || hovered >= count) return;
    event.stopPropagation();
    pinPod(pod);
    openSideTab("pod");
  };
  return html`<span class="dots" aria-hidden="true">
    <svg width=${count * PITCH} height="7" onPointerMove=${point} onPointerLeave=${() => setHovered(-1)}
      onClick=${pick}>
      ${[...new Set([...indexes.map(kindOf), "victim", "own"])].map(
        (kind) => html`<path class=${kind} key=${kind} d=${dotsPath(indexes.filter((i) => kindOf(i) === kind))} />`,
      )}
      ${
        hovered >= 0 &&
        hovered < count &&
        html`<rect class="at" x=${hovered * PITCH - 1} y="0" width="7"
        height="7" />`
      }
    </svg>
    ${rest > 0 && html`<i>+${formatNumber(rest)}</i>`}
    ${
      hovered >= 0 &&
      hovered < count &&
      html`<span class="dot-name">
        ${nameOf(hovered) ? podName(nameOf(hovered)) : fill(_("pod {n} of {all}"), { n: hovered + 1, all })}
      </span>`
    }
  </span>`;
}
