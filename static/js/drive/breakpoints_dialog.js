/** The breakpoints of the cluster: what stops a run; add one, remove one. */
import { html, useState } from "../../vendor/preact.js";
import { addBreakpoint, breakpointText, breakpoints, removeBreakpoint } from "./breakpoints.js";
import { PHASES } from "../cycle/steps.js";
import { _, fill } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { frame, podInView } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";

const MOST = 50;
const POINTS = PHASES.flatMap(([, points]) => points).filter((point) => !["PreEnqueue", "QueueSort"].includes(point));

const kinds = () => [
  ["pod", _("an attempt of a pod")],
  ["rejection", _("a plugin rejects a node")],
  ["failure", _("an error at an extension point")],
  ["preemption", _("a preemption")],
];

/** The plugins that may reject, from the profile in use as the last cycle showed it. */
const plugins = () => [...new Set((frame.value?.filters ?? []).concat(frame.value?.skippedFilters ?? []))];

function Text({ label, value, hint, list, onText }) {
  return html`<label class="form-cell">
    <span class="quiet">${label}</span>
    <input type="text" class="small mono" value=${value} placeholder=${hint} list=${list} maxlength="253"
      onInput=${(event) => onText(event.currentTarget.value.trim())}
    />
  </label>`;
}

/** What of the wish belongs to its kind; null while something is missing. */
function wanted({ kind, pod, plugin, node, point }) {
  if (kind === "pod") return pod ? { kind, pod: pod.includes("/") ? pod : `default/${pod}` } : null;
  if (kind === "rejection") return plugin ? { kind, plugin, ...(node ? { node } : {}) } : null;
  return kind === "failure" ? { kind, point } : { kind };
}

export function BreakpointsDialog() {
  const [wish, setWish] = useState({
    kind: "pod",
    pod: podInView.value ?? "",
    plugin: plugins()[0] ?? "NodeResourcesFit",
    node: "",
    point: "Bind",
  });
  const all = breakpoints.value;
  const set = (part) => setWish({ ...wish, ...part });
  const one = wanted(wish);
  const add = (event) => {
    event.preventDefault();
    if (one) addBreakpoint(one);
  };
  const foot = html`
    <span class="quiet grow">${_("Play stops at these; they count on the server, however fast it goes.")}</span>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${_("Breakpoints")} foot=${foot}>
    ${
      all.length
        ? html`<ul class="breakpoints">
          ${all.map(
            (row) => html`<li key=${JSON.stringify(row)} class="row">
              ${icon("break", "is-rejected")} <span class="grow">${breakpointText(row)}</span>
              <button type="button" class="btn bare icon"
                aria-label=${fill(_("remove: {what}"), { what: breakpointText(row) })} title=${_("Remove")}
                onClick=${() => removeBreakpoint(row)}
              >${icon("close")}</button>
            </li>`,
          )}
        </ul>`
        : html`<p class="quiet">${_("None yet. A run stops after the cycle that meets one.")}</p>`
    }
    <form class="form-row" onSubmit=${add}>
      <label class="form-cell">
        <span class="quiet">${_("stop at")}</span>
        <select class="small" value=${wish.kind} onChange=${(event) => set({ kind: event.currentTarget.value })}>
          ${kinds().map(([kind, label]) => html`<option key=${kind} value=${kind}>${label}</option>`)}
        </select>
      </label>
      ${
        wish.kind === "pod" &&
        html`<${Text} label=${_("pod")} value=${wish.pod} hint="default/web-1" onText=${(pod) => set({ pod })} />`
      }
      ${
        wish.kind === "rejection" &&
        html`
          <${Text} label=${_("plugin")} value=${wish.plugin} list="break-plugins"
            onText=${(plugin) => set({ plugin })}
          />
          <${Text} label=${_("node, or any")} value=${wish.node} hint=${_("any")} onText=${(node) => set({ node })} />
          <datalist id="break-plugins">
            ${plugins().map((plugin) => html`<option key=${plugin} value=${plugin} />`)}
          </datalist>
        `
      }
      ${
        wish.kind === "failure" &&
        html`<label class="form-cell">
          <span class="quiet">${_("extension point")}</span>
          <select class="small" value=${wish.point} onChange=${(event) => set({ point: event.currentTarget.value })}>
            ${POINTS.map((point) => html`<option key=${point}>${point}</option>`)}
          </select>
        </label>`
      }
      <button type="submit" class="btn" disabled=${!one || all.length >= MOST}>${_("Add")}</button>
    </form>
  <//>`;
}
