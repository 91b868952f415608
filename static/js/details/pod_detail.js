/** The details of a pod: state, requests, attempts, Events, manifest. */
import { html } from "../../vendor/preact.js";
import { goToCycle } from "../cycle/playback.js";
import { isOffered } from "../access/allowed.js";
import { openSideTab, pinNode, pinPod } from "../cycle/selection.js";
import { formatAmount, podName, unitOf } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { podInView, store } from "../base/store.js";
import { laneWord, outcomeWord } from "../cycle/cycle_texts.js";
import { Manifest } from "./manifest.js";
import { outcomeMark } from "../parts/outcome.js";
import { PodActions } from "./node_pod_menu.js";
import { PodHistory } from "./pod_history.js";
import { Repairs } from "../repair/lazy_repairs.js";
import { useFrame } from "../cycle/panel_frames.js";

function Attempt({ cycle, current }) {
  return html`<li>
    <button type="button" class=${`attempt ${current ? "on" : ""}`} aria-current=${current ? "true" : undefined}
      onClick=${() => goToCycle(cycle.number)}
    >
      ${outcomeMark(cycle.outcome)} <span>${fill(_("cycle {n}"), { n: formatNumber(cycle.number) })}</span>
      <span class="grow cut" title=${cycle.message}>
        ${
          cycle.node
            ? html`<span class="mono">${cycle.node}</span>`
            : html`<span class="quiet">${cycle.message || outcomeWord(cycle.outcome)}</span>`
        }
      </span>
    </button>
  </li>`;
}

/** Requests as chips with units. */
export function Requests({ requests }) {
  const listed = Object.entries(requests ?? {}).filter(([name, value]) => value > 0 && name !== "pods");
  if (!listed.length) return html`<span class="quiet">${_("nothing")}</span>`;
  return html`<span class="mono">
    ${listed.map(([name, value]) => `${formatAmount(name, value)} ${unitOf(name)}`).join(", ")}
  </span>`;
}

/** The button from a waiting or placed pod to its newest attempt. */
function WhyButton({ pod }) {
  const last = pod.cycles.reduce((newest, cycle) => (cycle.number > (newest?.number ?? 0) ? cycle : newest), null);
  if (!last) return null;
  const show = () => (goToCycle(last.number), openSideTab(pod.node ? "scores" : "why"));
  return html`<p>
    <button type="button" class="btn small" onClick=${show}>
      ${pod.node ? fill(_("Why {node}?"), { node: pod.node }) : _("Why is it pending?")}
    </button>
  </p>`;
}

/** The button to the pod's claims: requests and results. */
function ClaimsButton({ pod }) {
  const uses = pod.manifest?.spec?.resourceClaims?.length;
  const last = pod.cycles.reduce((newest, cycle) => Math.max(newest, cycle.number), 0);
  if (!last || (!uses && !pod.manifest?.status?.extendedResourceClaimStatus)) return null;
  const show = () => (goToCycle(last), openDialog("claims", { cycle: last, pod: pod.key }));
  return html`<p>
    <button type="button" class="btn small" data-claims onClick=${show}>${_("Claims and devices")}</button>
  </p>`;
}

export function PodDetail() {
  const key = podInView.value;
  const pod = store.pod.value;
  const shown = useFrame()?.record.cycle.number;
  if (!key) return html`<p class="empty quiet">${_("Choose a pod in the queues, or run a cycle.")}</p>`;
  const pinned = store.pinned.value.pod === key;
  const head = html`<h3 class="side-title row">
    <span class="mono grow cut tail" title=${key}><bdi>${podName(key)}</bdi></span>
    ${pinned && html`<button type="button" class="btn small" onClick=${() => pinPod(null)}>${_("Unpin")}</button>`}
    <${PodActions} />
  </h3>`;
  if (pod?.key !== key) return html`${head}<p class="quiet">${_("Loading the Pod")}</p>`;
  if (pod.gone) return html`${head}<p class="quiet">${_("This Pod is no longer in the cluster.")}</p>`;
  return html`
    ${head}
    <dl class="facts">
      <dt>${_("location")}</dt>
      <dd>
        ${
          pod.node
            ? html`${_("on")} <button type="button" class="link name"
              onClick=${() => (pinNode(pod.node), openSideTab("node"))}
            >${pod.node}</button>`
            : laneWord(pod.lane)
        }
      </dd>
      <dt>${_("requests")}</dt>
      <dd><${Requests} requests=${pod.requests} /></dd>
      <dt>${_("namespace")}</dt>
      <dd class="mono">${key.split("/")[0]}</dd>
      <dt>${_("priority")}</dt>
      <dd>${formatNumber(pod.manifest?.spec?.priority ?? 0)}</dd>
      <dt>${_("profile")}</dt>
      <dd class="mono">${pod.manifest?.spec?.schedulerName ?? "default-scheduler"}</dd>
    </dl>
    <${WhyButton} pod=${pod} />
    <${ClaimsButton} pod=${pod} />
    ${!pod.node && isOffered("repair") && html`<${Repairs} pod=${key} />`}
    <h4 class="caps">${ngettext("{n} attempt", "{n} attempts", pod.cycles.length)}</h4>
    ${
      pod.cycles.length
        ? html`<ul class="attempts">
          ${pod.cycles.map(
            (cycle) => html`<${Attempt} key=${cycle.number} cycle=${cycle} current=${cycle.number === shown} />`,
          )}
        </ul>`
        : html`<p class="quiet">${_("Not tried yet.")}</p>`
    }
    <${PodHistory} podKey=${key} events=${pod.events} />
    <${Manifest} manifest=${pod.manifest} />
  `;
}
