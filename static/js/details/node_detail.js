/** The details of a node: verdict in this cycle, use, taints, labels, pods, manifest. */
import { html } from "../../vendor/preact.js";
import { openSideTab, pinNode, pinPod } from "../cycle/selection.js";
import { podName, resourceLabel, formatUsage } from "../base/format.js";
import { _, ngettext, formatNumber } from "../base/i18n.js";
import { describeNode, hasDevices, layout } from "../nodes/nodes_model.js";
import { store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { Manifest } from "./manifest.js";
import { NodeReasons } from "../explain/node_answer.js";
import { verdictMark } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Track } from "../parts/track.js";
import { StaleNote } from "../drive/stale_note.js";
import { NodeActions } from "./node_pod_menu.js";
import { Requests } from "./pod_detail.js";
import { useFrame } from "../cycle/panel_frames.js";

const NodeDevices = lazy(() => import("../devices/node_devices.js").then((module) => module.NodeDevices));
const LISTED_PODS = 200;

function Usage({ bar, alive }) {
  return html`<li>
    <p>
      <span class="quiet">${resourceLabel(bar.resource)}</span> <span class="mono">
        ${formatUsage(bar.resource, bar.used, alive ? bar.added : 0, bar.total)}
      </span>
    </p>
    <${Track} bar=${bar} alive=${alive} />
  </li>`;
}

export function NodeDetail() {
  const moment = useFrame();
  const name = store.pinned.value.node;
  const model = layout.value;
  const detail = store.node.value;
  if (!name) return html`<p class="empty quiet">${_("Choose a node on the map, in the matrix or in the table.")}</p>`;
  const i = model?.index.get(name);
  const node = i === undefined ? null : describeNode(model, i, moment);
  const labels = detail?.name === name ? Object.entries(detail.manifest?.metadata?.labels ?? {}) : [];
  const pods = detail?.name === name ? (detail.pods ?? []) : [];
  return html`
    <h3 class="side-title row">
      <span class="mono grow cut" title=${name}>${name}</span>
      <button type="button" class="btn small" onClick=${() => pinNode(name)}>${_("Unpin")}</button>
      <${NodeActions} />
    </h3>
    <${StaleNote} change=${node?.stale} />
    ${
      node &&
      html`
        <p class=${`verdict-line ${node.stale ? "stale" : ""}`}>
          ${verdictMark(node.state)} <span class=${`is-${node.state}`}>
            ${verdictWord(node.state)}
            ${node.reasons.length ? `: ${node.reasons.join(", ")}` : ""}
          </span>
        </p>
        ${
          node.status &&
          moment &&
          html`<div data-node-reasons=${name}><${NodeReasons} name=${name} moment=${moment} /></div>`
        }
        <ul class="usage">
          ${node.bars.map((bar) => html`<${Usage} key=${bar.resource} bar=${bar} alive=${node.alive} />`)}
        </ul>
        ${node.cordoned && html`<p class=${node.stale ? "stale" : ""}>${_("cordoned: spec.unschedulable is true")}</p>`}
        ${
          node.taints.length > 0 &&
          html`
            <h4 class="caps">${_("Taints")}</h4>
            <ul>${node.taints.map((taint) => html`<li class="mono" key=${taint}>${taint}</li>`)}</ul>
          `
        }
      `
    }
    ${detail?.gone && html`<p class="quiet">${_("This node is no longer in the cluster.")}</p>`}
    ${
      labels.length > 0 &&
      html`
        <h4 class="caps">${_("Labels")}</h4>
        <ul class="labels">
          ${labels.map(
            ([key, value]) => html`<li class="mono" key=${key}><span class="quiet">${key}=</span>${value}</li>`,
          )}
        </ul>
      `
    }
    ${hasDevices.value && html`<${NodeDevices} node=${name} />`}
    <h4 class="caps">${ngettext("{n} pod", "{n} pods", pods.length || node?.pods || 0)}</h4>
    <ul class="node-pods">
      ${pods.slice(0, LISTED_PODS).map(
        (row) => html`<li key=${row.pod} class="row">
          <button type="button" class="link name grow cut" title=${row.pod}
            onClick=${() => (pinPod(row.pod), openSideTab("pod"))}
          >${podName(row.pod)}</button>
          <span class="quiet"><${Requests} requests=${row.requests} /></span>
        </li>`,
      )}
    </ul>
    ${
      pods.length > LISTED_PODS &&
      html`<p class="quiet">
        ${ngettext("{n} more", "{n} more", pods.length - LISTED_PODS)} (${formatNumber(pods.length)})
      </p>`
    }
    ${detail?.name === name && html`<${Manifest} manifest=${detail.manifest} />`}
  `;
}
