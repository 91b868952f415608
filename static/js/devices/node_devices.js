/** The devices of a node in its tab, by pool: attributes, capacity, taints, and owners. */
import { html, useState } from "../../vendor/preact.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { cycleToRequest } from "../nodes/pods_on_nodes.js";
import { clusterPath } from "../base/api.js";
import { answerAt } from "../explain/cached_answers.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Answer } from "../parts/answer.js";
import { Cell, devicesWord } from "./device_cells.js";
import "./device_styles.js";
import { deviceName, stateWord } from "./device_texts.js";

const LISTED_DEVICES = 12;
const CELL = 11;

function Holder({ holder }) {
  return html`<li>
    <span class="quiet">${holder.admin ? _("admin access by") : _("allocated to")}</span> <span
      class="mono">${holder.claim}</span>
    ${holder.pods.map(
      (
        pod,
      ) => html` <button type="button" class="link name" key=${pod} onClick=${() => (pinPod(pod), openSideTab("pod"))}>
        ${podName(pod)}
      </button>`,
    )}
    ${Object.entries(holder.consumed).map(
      ([name, amount]) => html` <span class="mono quiet" key=${name}>${name} ${amount}</span>`,
    )}
  </li>`;
}

function Device({ device }) {
  const facts = [
    ...Object.entries(device.attributes).map(([name, value]) => [name, value]),
    ...device.capacity.map(({ name, total, used }) => [
      name,
      used ? fill(_("{used} of {total} consumed"), { used, total }) : total,
    ]),
    ...device.consumes.map(({ set, counter, amount }) => [`${set} ${counter}`, amount]),
  ];
  return html`<li class="device" data-device=${device.device}>
    <p class="row wrap">
      <svg width=${CELL} height=${CELL} aria-hidden="true"><${Cell} cell=${device} size=${CELL} /></svg>
      <b class="mono" title=${device.device}>${deviceName(device.device)}</b> <span class="quiet">
        ${stateWord(device.state)}
      </span>
      ${device.partition && html` <span class="quiet">· ${_("a partition")}</span>`}
    </p>
    ${device.taints.map((taint) => html`<p class="mono is-rejected" key=${taint}>${taint}</p>`)}
    ${
      facts.length > 0 &&
      html`<p class="device-facts">
        ${facts.map(
          ([name, value]) => html`<span key=${name}>
            <span class="quiet mono">${name}</span> <span class="mono">${value}</span>
          </span> `,
        )}
      </p>`
    }
    ${
      device.holders.length > 0 &&
      html`<ul>${device.holders.map(
        (holder) => html`<${Holder} key=${holder.claim + holder.request}
        holder=${holder} />`,
      )}</ul>`
    }
  </li>`;
}

function Pool({ pool }) {
  const [all, setAll] = useState(false);
  const shown = all ? pool.devices : pool.devices.slice(0, LISTED_DEVICES);
  return html`<section class="card">
    <p class="row wrap"><span class="mono grow">${pool.driver}</span><span class="quiet mono">${pool.pool}</span></p>
    ${pool.problem && html`<p class="is-waiting">${pool.problem}</p>`}
    ${pool.counters.map(
      ({ set, counter, total, left }) => html`<p key=${set + counter} class="quiet">
        <span class="mono">${set} ${counter}</span>
        : ${fill(_("{left} of {total} left"), { left, total })}
      </p>`,
    )}
    <ul class="device-list">${shown.map((device) => html`<${Device} key=${device.device} device=${device} />`)}</ul>
    ${
      shown.length < pool.devices.length &&
      html`<button type="button" class="link" onClick=${() => setAll(true)}>
        ${ngettext("{n} more", "{n} more", pool.devices.length - shown.length)}
      </button>`
    }
  </section>`;
}

export function NodeDevices({ node }) {
  const past = cycleToRequest();
  store.shown.value;
  // An answer about the present is valid for this revision.
  const when = past === null ? `now=${store.cluster.value.revision}` : `cycle=${past}`;
  const path = clusterPath(store.cluster.value.id, "nodes", node, "devices");
  return html`<${Answer} answer=${answerAt(`${path}?${when}`)}>
    ${({ pools, omitted }) => {
      const count = pools.reduce((sum, pool) => sum + pool.devices.length, omitted);
      if (!count) return null;
      return html`<div class="node-devices">
        <h4 class="caps">${devicesWord(count)}</h4>
        ${pools.map((pool) => html`<${Pool} key=${pool.driver + pool.pool} pool=${pool} />`)}
        ${
          omitted > 0 &&
          html`<p class="quiet">
            ${ngettext("{n} more is not listed", "{n} more are not listed", omitted)} (
            ${formatNumber(omitted)}
            )
          </p>`
        }
      </div>`;
    }}
  <//>`;
}
