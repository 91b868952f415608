/** The pods on a node as dots with names under the pointer. The pod of the cycle and its victims stand out. */
import { html, useState } from "../../vendor/preact.js";
import { pinPod, openSide } from "../cycle/select.js";
import { placed } from "../nodes/pods_on_nodes.js";
import { podName } from "../base/format.js";
import { _, fill, number } from "../base/i18n.js";

const DOT = 5;
const PITCH = 7;

/** Return the path of the dots `indexes` in one row. */
const path = (indexes) => indexes.map((i) => `M${i * PITCH} 1h${DOT}v${DOT}h-${DOT}z`).join("");

/** Return the victims that preemption has chosen up to the step on the screen. */
function victims(moment) {
  const found = moment?.record.cycle.steps?.slice(0, moment.step).find((step) => step.data?.victims?.length);
  return new Set(found?.data.victims.map((victim) => victim.pod ?? victim) ?? []);
}

/** `colourOf(pod)`: the class of its color if colors are by owner. */
export function PodDots({ node, moment, width, colourOf }) {
  const [at, setAt] = useState(-1);
  const own = node.state === "chosen" ? moment.record.cycle.pod : null;
  const doomed = victims(moment);
  const known = (placed.value.get(node.name) ?? []).filter((pod) => pod !== own);
  // Victims come first, so that they are always drawn.
  const pods = doomed.size ? [...known].sort((a, b) => Number(doomed.has(b)) - Number(doomed.has(a))) : known;
  const all = node.pods + (own ? 1 : 0);
  const room = Math.max(1, Math.floor((width - 30) / PITCH));
  const count = Math.min(all, all > room ? room : Math.ceil(Math.max(0, width) / PITCH));
  const rest = all - count;
  // The selected pod is the last one drawn.
  const name = (i) => (own && i === count - 1 ? own : pods[i]);
  const indexes = Array.from({ length: count }, (_unused, i) => i);
  const is = (i) =>
    own && i === count - 1 ? "own" : doomed.has(pods[i]) ? "victim" : (colourOf?.(pods[i]) ?? "other");
  const point = (event) =>
    setAt(Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left) / PITCH));
  const pick = (event) => {
    const pod = name(at);
    if (!pod || at >= count) return;
    event.stopPropagation();
    pinPod(pod);
    openSide("pod");
  };
  return html`<span class="dots" aria-hidden="true">
    <svg width=${count * PITCH} height="7" onPointerMove=${point} onPointerLeave=${() => setAt(-1)} onClick=${pick}>
      ${[...new Set([...indexes.map(is), "victim", "own"])].map(
        (kind) => html`<path class=${kind} key=${kind} d=${path(indexes.filter((i) => is(i) === kind))} />`,
      )}
      ${at >= 0 && at < count && html`<rect class="at" x=${at * PITCH - 1} y="0" width="7" height="7" />`}
    </svg>
    ${rest > 0 && html`<i>+${number(rest)}</i>`}
    ${
      at >= 0 &&
      at < count &&
      html`<span class="dot-name">
        ${name(at) ? podName(name(at)) : fill(_("pod {n} of {all}"), { n: at + 1, all })}
      </span>`
    }
  </span>`;
}
