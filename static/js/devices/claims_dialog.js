/** The claims of a pod in one cycle: requests, each node's devices, and the allocator's search as steps. */
import { html, useState } from "../../vendor/preact.js";
import { clusterPath } from "../base/api.js";
import { answerAt } from "../explain/cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { Answer } from "../parts/answer.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { Search } from "./allocator_search.js";
import "./device_styles.js";
import { kindWord } from "./device_texts.js";

const cyclePath = (...parts) => clusterPath(store.cluster.value.id, "cycles", ...parts);
const MARKS = { fits: "pass", refused: "rejected", error: "error", elsewhere: "rejected", nothing: "skipped" };

function requestText(request) {
  if (request.alternatives.length)
    return html`<span class="quiet">${_("the first of")}</span> ${request.alternatives.map(
      (alternative, i) => html`${i > 0 && " · "}<b class="mono">${alternative.name}</b> ${requestText(alternative)}`,
    )}`;
  const count = request.mode === "All" ? _("all devices") : ngettext("{n} device", "{n} devices", request.count);
  return html`
    ${count} <span class="quiet">${_("of class")}</span> <span class="mono">${request.class}</span>
    ${request.selectors.map((text) => html` <code key=${text}>${text}</code>`)}
    ${Object.entries(request.capacity).map(
      ([name, amount]) => html` <span class="mono" key=${name}>${name} ${amount}</span>`,
    )}
    ${request.admin && html` <span class="quiet">${_("with access for administrators")}</span>`}
  `;
}

function Claim({ claim }) {
  return html`<section class="card claim" data-claim=${claim.claim}>
    <p class="row wrap">
      <b class="mono grow">${claim.claim}</b>
      <span class=${claim.allocated ? "is-pass" : "is-waiting"}>
        ${icon(claim.allocated ? "pass" : "waiting")} ${
          claim.inFlight ? _("being allocated") : claim.allocated ? _("allocated") : _("not allocated")
        }
      </span>
    </p>
    ${
      claim.template &&
      html`<p class="quiet">${_("created from the template")} <span class="mono">${claim.template}</span></p>`
    }
    <ul>
      ${claim.requests.map(
        (request) => html`<li key=${request.name}>
          <span class="mono quiet">${request.name}</span> ${requestText(request)}
        </li>`,
      )}
      ${claim.constraints.map(
        ({ match, distinct }) => html`<li key=${match + distinct}>
          ${match ? _("all of them with the same") : _("no two of them with the same")} <span class="mono">
            ${match || distinct}
          </span>
        </li>`,
      )}
      ${claim.devices.map(
        (device) => html`<li key=${device.request + device.device} class="is-pass">
          ${icon("pass")} <span class="mono quiet">${device.request}</span> <span class="mono" title=${device.device}>
            ${device.device}
          </span>
        </li>`,
      )}
    </ul>
    ${
      claim.reservedFor.length > 0 &&
      html`<p class="quiet">${_("reserved for")} <span class="mono">${claim.reservedFor.join(", ")}</span></p>`
    }
  </section>`;
}

function NodeRow({ node, chosen, onChoose }) {
  const kinds = Object.entries(node.refused).map(([kind, count]) => `${formatNumber(count)} ${kindWord(kind)}`);
  return html`<li>
    <button type="button" class=${`claim-node ${chosen ? "on" : ""}`} aria-pressed=${chosen}
      data-claims-node=${node.node} onClick=${onChoose}
    >
      ${icon(MARKS[node.outcome], node.outcome === "fits" ? "is-pass" : "is-rejected")} <span class="mono cut grow"
        title=${node.node}
      >${node.node}</span>
      <span class="quiet cut" title=${translateSentence(node.text)}>
        ${kinds.join(" · ") || (node.outcome === "refused" ? _("no device here") : "")}
      </span>
    </button>
  </li>`;
}

function ClaimsAnswer({ answer, cycle }) {
  const chosenNode = store.shown.value?.record.cycle.number === cycle ? store.shown.value.record.cycle.node : null;
  const start = answer.nodes.find(({ node }) => node === (store.pinned.peek().node ?? chosenNode)) ?? answer.nodes[0];
  const [node, choose] = useState(start?.node ?? null);
  return html`
    ${answer.why && html`<p class="quiet">${translateSentence(answer.why)}</p>`}
    ${answer.problem && html`<p class="is-rejected">${answer.problem}</p>`}
    <div class="claims">
      <div class="claims-left">
        ${
          answer.claims.length > 0 &&
          html`
            <h3 class="caps">${_("Requested devices")}</h3>
            ${answer.claims.map((claim) => html`<${Claim} key=${claim.claim} claim=${claim} />`)}
          `
        }
        ${
          answer.nodes.length > 0 &&
          html`
            <h3 class="caps">${_("Nodes, and why their devices were refused")}</h3>
            <ul class="claim-nodes">
              ${answer.nodes.map(
                (entry) => html`<${NodeRow} key=${entry.node} node=${entry} chosen=${entry.node === node}
                  onChoose=${() => choose(entry.node)}
                />`,
              )}
            </ul>
            ${
              answer.omitted > 0 &&
              html`<p class="quiet">
                ${ngettext("{n} more node is not listed", "{n} more nodes are not listed", answer.omitted)}
              </p>`
            }
          `
        }
      </div>
      ${
        node &&
        html`<div class="claims-right">
          <${Answer} answer=${answerAt(cyclePath(cycle, "nodes", node, "claims"))}>
            ${(search) => html`<${Search} key=${node} search=${search} />`}
          <//>
        </div>`
      }
    </div>
  `;
}

export function ClaimsDialog({ cycle, pod }) {
  const title = fill(_("Claims of {pod}, cycle {n}"), { pod: podName(pod), n: formatNumber(cycle) });
  const foot = html`
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${title} wide="full" foot=${foot}>
    <${Answer} answer=${answerAt(cyclePath(cycle, "claims"))}>
      ${(answer) => html`<${ClaimsAnswer} answer=${answer} cycle=${cycle} />`}
    <//>
  <//>`;
}
