/** Why not: upstream's message as it is, then the reasons as a tree down to the nodes, then one node's numbers. */
import { html, useState } from "../../vendor/preact.js";
import { hover, openSide, pinNode } from "../actions/select.js";
import { podName, share } from "../format.js";
import { rejections } from "../frame.js";
import { _, ngettext, fill, number } from "../i18n.js";
import { describeNode, layout } from "../nodes_model.js";
import { frame, store } from "../store.js";
import { verdictWord } from "../words.js";
import { icon, verdictMark } from "./parts/icon.js";

const FEW = 60;

/** One reason: [{reason, plugin, code, names}], biggest first; a node with two reasons counts under both, as in the message. */
function reasonTree(moment) {
  const reasons = new Map();
  for (const group of rejections(moment)) {
    for (const reason of group.reasons.length ? group.reasons : [group.code]) {
      const key = `${group.plugin} ${reason}`;
      if (!reasons.has(key)) reasons.set(key, { key, reason, plugin: group.plugin, code: group.code, names: [] });
      reasons.get(key).names.push(...group.names);
    }
  }
  return [...reasons.values()].sort((a, b) => b.names.length - a.names.length || a.key.localeCompare(b.key));
}

/** What the status code means for preemption. */
function codeNote(code) {
  if (code === "UnschedulableAndUnresolvable") return _("removing pods would not help");
  if (code === "Unschedulable") return _("removing pods might help");
  return code;
}

function Reason({ entry, share: part }) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const names = all ? entry.names : entry.names.slice(0, FEW);
  return html`<li class="reason">
    <button type="button" class="reason-head" aria-expanded=${open} onClick=${() => setOpen(!open)}>
      ${icon(open ? "down" : "right", "quiet")}
      <b class="num reason-count">${number(entry.names.length)}</b>
      <span class="grow"><span class="reason-text">${entry.reason}</span>
        <span class="quiet block">${entry.plugin ? `${entry.plugin} · ` : ""}${codeNote(entry.code)}</span>
        <span class="bar"><i class="over" style=${{ width: `${part * 100}%` }} /></span></span>
    </button>
    ${open && html`<ul class="name-list">${names.map(
      (name) => html`<li key=${name}><button type="button" class="link name" onClick=${() => pinNode(name)} onPointerEnter=${() => hover({ node: name })} onPointerLeave=${() => hover({ node: null })}>${name}</button></li>`,
    )}${entry.names.length > names.length && html`<li><button type="button" class="link" onClick=${() => setAll(true)}>${ngettext("{n} more", "{n} more", entry.names.length - names.length)}</button></li>`}</ul>`}
  </li>`;
}

/** "Why not node-7?": its answer and its numbers. */
function OneNode({ name }) {
  const model = layout.value;
  const i = model?.index.get(name);
  if (i === undefined) return null;
  const node = describeNode(model, i);
  const question = node.alive ? fill(_("{node} could take it"), { node: name }) : fill(_("Why not {node}?"), { node: name });
  return html`<section class="card" data-node-answer=${name}>
    <h3 class="row">${verdictMark(node.state)} <span class="grow">${question}</span>
      <button type="button" class="link" onClick=${() => openSide("node")}>${_("Node")}</button></h3>
    ${node.status && html`<p class="is-rejected">${node.status.plugin}: ${node.reasons.join(", ")}</p>`}
    ${node.state === "unseen" && html`<p>${_("The search had enough feasible nodes before it came to this one.")}</p>`}
    ${!node.status && node.state !== "unseen" && html`<p class="quiet">${verdictWord(node.state)}${node.total === null ? "" : fill(_(", total {n}"), { n: number(node.total) })}</p>`}
    <ul class="usage">${node.bars.map((bar) => {
      const over = bar.added > 0 && bar.used + bar.added > bar.total;
      return html`<li key=${bar.resource} class=${over ? "is-rejected" : ""}><span class="mono">${share(bar.resource, bar.used, bar.added, bar.total)}</span>${over ? html` <span>${icon("rejected")} ${_("too much")}</span>` : ""}</li>`;
    })}
      ${node.cordoned && html`<li>${_("cordoned: spec.unschedulable is true")}</li>`}
      ${node.taints.map((taint) => html`<li key=${taint}><span class="quiet">${_("taint")}</span> <span class="mono">${taint}</span></li>`)}
    </ul>
  </section>`;
}

/** What a PostFilter plugin did; for preemption the nodes it could have made room on, and at whose expense. */
function PostFilter({ step }) {
  const { candidates = {}, nominatedNode, ties = [] } = step.data ?? {};
  const names = Object.keys(candidates).sort((a, b) => (b === nominatedNode) - (a === nominatedNode));
  return html`<section class="card" data-post-filter=${step.plugin}>
    <h3>PostFilter ${step.plugin}</h3>
    ${nominatedNode && html`<p>${fill(_("{node} is nominated: its victims are evicted, and the pod is tried again."), { node: nominatedNode })}
      ${ties.length > 1 ? ` ${ngettext("Drawn with the seed among {n} equals.", "Drawn with the seed among {n} equals.", ties.length)}` : ""}</p>`}
    ${names.length > 0 && html`<table class="plain candidates">
      <caption class="sr">${_("Candidates for preemption")}</caption>
      <thead><tr><th>${_("Candidate")}</th><th>${_("would evict")}</th><th class="num" title=${_("victims that a PodDisruptionBudget protects")}>${_("PDB")}</th></tr></thead>
      <tbody>${names.slice(0, FEW).map((name) => html`<tr key=${name} class=${name === nominatedNode ? "is-chosen" : ""}>
        <td><button type="button" class="link name" onClick=${() => pinNode(name)}>${name === nominatedNode && icon("chosen")} ${name}</button></td>
        <td class="mono">${candidates[name].victims.map(podName).join(", ")}</td><td class="num">${number(candidates[name].pdbViolations)}</td></tr>`)}</tbody>
    </table>`}
    ${step.reasons?.length > 0 && html`<p class="quiet">${step.reasons.join(", ")}</p>`}
    ${!nominatedNode && !step.reasons?.length && html`<p class="quiet">${step.code}</p>`}
  </section>`;
}

export function WhyNot() {
  const moment = frame.value;
  const pinned = store.pinned.value.node;
  // Previewed below everything else: what the pointer is on must not move.
  const hovered = store.hovered.value.node;
  if (!moment) return html`<p class="empty quiet">${_("Why a pod finds no node is told here, once a cycle has run.")}</p>`;
  const { cycle } = moment.record;
  const tree = reasonTree(moment);
  const rejected = moment.counts[3] + moment.counts[4];
  const over = moment.step >= moment.record.cycle.steps.length;
  const total = cycle.nodes.total;
  const left = Math.max(0, moment.verdict.length - rejected);
  const postFilter = moment.record.cycle.steps.slice(0, moment.step).filter((step) => step.point === "PostFilter");
  if (!moment.searching) return html`<h3 class="side-title">${podName(cycle.pod)}</h3><p class="quiet">${_("The search for nodes has not begun at this step.")}</p>`;
  const title = over && cycle.outcome !== "scheduled" && cycle.nodes.feasible === 0
    ? fill(_("0 of {total} nodes can take {pod}"), { total: number(total), pod: podName(cycle.pod) })
    : fill(_("{n} of {total} nodes rejected {pod}"), { n: number(rejected), total: number(total), pod: podName(cycle.pod) });
  return html`
    <h3 class="side-title">${title}</h3>
    ${rejected > 0 && left > 0 && html`<p class="quiet">${ngettext("{n} node left", "{n} nodes left", left)}${cycle.node && over ? fill(_("; {node} was chosen"), { node: cycle.node }) : ""}</p>`}
    ${pinned && html`<${OneNode} name=${pinned} />`}
    ${tree.length > 0 && html`<ul class="reasons">${tree.map((entry) => html`<${Reason} key=${entry.key} entry=${entry} share=${entry.names.length / total} />`)}</ul>`}
    ${!tree.length && html`<p class="quiet">${_("No node has been rejected up to this step.")}</p>`}
    ${postFilter.map((step) => html`<${PostFilter} key=${step.plugin} step=${step} />`)}
    ${over && cycle.message && html`<section class="verbatim"><h3>${_("FailedScheduling, as kube-scheduler says it")}</h3><p class="mono" data-message>${cycle.message}</p></section>`}
    ${hovered && hovered !== pinned && html`<div class="preview"><${OneNode} name=${hovered} /></div>`}
  `;
}
