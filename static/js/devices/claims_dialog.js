/** The claims of a pod in one cycle: requests, each node's devices, and the allocator's search as steps. */
import { html, useState } from "../../vendor/preact.js";
import { of } from "../base/api.js";
import { answerAt } from "../explain/answers.js";
import { sentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { Answer } from "../parts/answer.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { Search } from "./search.js";
import "./sheet.js";
import { kindWord } from "./words.js";

const about = (...parts) => of(store.cluster.value.id, "cycles", ...parts);
const MARKS = { fits: "pass", refused: "rejected", error: "error", elsewhere: "rejected", nothing: "skipped" };

function requestText(request) {
  if (request.alternatives.length)
    return html`<span class="quiet">${_("the first of")}</span> ${request.alternatives.map(
      (one, i) => html`${i > 0 && " · "}<b class="mono">${one.name}</b> ${requestText(one)}`,
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
          claim.inFlight ? _("on its way to being allocated") : claim.allocated ? _("allocated") : _("not allocated")
        }
      </span>
    </p>
    ${
      claim.template &&
      html`<p class="quiet">${_("made from the template")} <span class="mono">${claim.template}</span></p>`
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
  const kinds = Object.entries(node.refused).map(([kind, count]) => `${number(count)} ${kindWord(kind)}`);
  return html`<li>
    <button type="button" class=${`claim-node ${chosen ? "on" : ""}`} aria-pressed=${chosen}
      data-claims-node=${node.node} onClick=${onChoose}
    >
      ${icon(MARKS[node.outcome], node.outcome === "fits" ? "is-pass" : "is-rejected")} <span class="mono cut grow"
        title=${node.node}
      >${node.node}</span>
      <span class="quiet cut" title=${sentence(node.text)}>
        ${kinds.join(" · ") || (node.outcome === "refused" ? _("no device here") : "")}
      </span>
    </button>
  </li>`;
}

function Found({ found, cycle }) {
  const chosenNode = store.shown.value?.record.cycle.number === cycle ? store.shown.value.record.cycle.node : null;
  const start = found.nodes.find(({ node }) => node === (store.pinned.peek().node ?? chosenNode)) ?? found.nodes[0];
  const [node, choose] = useState(start?.node ?? null);
  return html`
    ${found.why && html`<p class="quiet">${sentence(found.why)}</p>`}
    ${found.problem && html`<p class="is-rejected">${found.problem}</p>`}
    <div class="claims">
      <div class="claims-left">
        ${
          found.claims.length > 0 &&
          html`
            <h3 class="caps">${_("What is asked for")}</h3>
            ${found.claims.map((claim) => html`<${Claim} key=${claim.claim} claim=${claim} />`)}
          `
        }
        ${
          found.nodes.length > 0 &&
          html`
            <h3 class="caps">${_("Nodes, and why their devices were refused")}</h3>
            <ul class="claim-nodes">
              ${found.nodes.map(
                (one) => html`<${NodeRow} key=${one.node} node=${one} chosen=${one.node === node}
                  onChoose=${() => choose(one.node)}
                />`,
              )}
            </ul>
            ${
              found.omitted > 0 &&
              html`<p class="quiet">
                ${ngettext("{n} more node is not listed", "{n} more nodes are not listed", found.omitted)}
              </p>`
            }
          `
        }
      </div>
      ${
        node &&
        html`<div class="claims-right">
          <${Answer} answer=${answerAt(about(cycle, "nodes", node, "claims"))}>
            ${(search) => html`<${Search} key=${node} search=${search} />`}
          <//>
        </div>`
      }
    </div>
  `;
}

export function ClaimsDialog({ cycle, pod }) {
  const title = fill(_("Claims of {pod}, cycle {n}"), { pod: podName(pod), n: number(cycle) });
  const foot = html`
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${title} wide="full" foot=${foot}>
    <${Answer} answer=${answerAt(about(cycle, "claims"))}>
      ${(found) => html`<${Found} found=${found} cycle=${cycle} />`}
    <//>
  <//>`;
}
