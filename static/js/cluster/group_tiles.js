/**
 * The cluster as one tile per group, with verdicts and total use. Chosen, failing and selected nodes keep their names.
 */
import { html, useRef } from "../../vendor/preact.js";
import { chooseNode, hover } from "../cycle/selection.js";
import { VERDICTS } from "../cycle/frame.js";
import { formatAmount, resourceLabel, unitOf } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { remainingText, groupName, isNominated, sumUsage } from "../nodes/nodes_model.js";
import { verdictsByNode } from "./node_verdicts.js";
import { nodeInView, store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { zoomBy } from "./zoom_level.js";
import { findNeighbour } from "./card_layout.js";
import { icon, verdictMark } from "../parts/icon.js";
import { useFrame } from "../cycle/panel_frames.js";

const ORDER = ["chosen", "pass", "candidate", "error", "rejected", "unseen"];
const FEW = 6; // up to this many rejected nodes of a group have names too

/** Return the nodes of a group by verdict: {state: [name]}. */
function groupByVerdict(model, members, moment) {
  const byVerdict = Object.fromEntries(VERDICTS.map((state) => [state, []]));
  const states = verdictsByNode(model, moment);
  for (const i of members) byVerdict[VERDICTS[states[i]]].push(model.columns.names[i]);
  return byVerdict;
}

/** Return the nodes with a name: chosen, nominated, in error, selected, and a few rejected ones. */
function listNamed(model, members, byVerdict, moment) {
  const names = new Set([...byVerdict.chosen, ...byVerdict.error]);
  const inside = (name) => name && members.includes(model.index.get(name));
  for (const name of [moment?.record.cycle.nominated, store.pinned.value.node, nodeInView.value]) {
    if (
      inside(name) &&
      (name !== moment?.record.cycle.nominated || isNominated(moment, name) || name === store.pinned.value.node)
    )
      names.add(name);
  }
  if (byVerdict.rejected.length <= FEW) for (const name of byVerdict.rejected) names.add(name);
  return [...names];
}

function Verdicts({ byVerdict, total }) {
  return html`
    <span class="verdicts" aria-hidden="true">
      ${ORDER.filter((state) => byVerdict[state].length).map(
        (state) =>
          html`<i key=${state} class=${`is ${state}`} style=${{ width: `${(byVerdict[state].length / total) * 100}%` }}
            title=${`${formatNumber(byVerdict[state].length)} ${verdictWord(state)}`}
          />`,
      )}
    </span>
    <span class="verdict-counts">
      ${ORDER.filter((state) => byVerdict[state].length).map(
        (state) => html`<span key=${state}>
          ${verdictMark(state)} ${formatNumber(byVerdict[state].length)}
          <span class="sr"> ${verdictWord(state)}</span>
        </span>`,
      )}
    </span>
  `;
}

/** Format a total of many nodes without fractions. */
const formatTotal = (resource, value) => {
  const total = Number(formatAmount(resource, value));
  return formatNumber(total >= 1000 ? Math.round(total) : total);
};

function Use({ use }) {
  const part = Math.min(100, (use.used / use.total) * 100);
  return html`<li>
    <span class="cut quiet" title=${use.resource}>${resourceLabel(use.resource)}</span>
    <span class="bar"><i style=${{ width: `${part}%` }} /></span>
    <span
      class="num">${formatTotal(use.resource, use.used)} / ${formatTotal(use.resource, use.total)} ${unitOf(
        use.resource,
      )}</span>
  </li>`;
}

function Tile({ model, group, moment, heat, tabbable }) {
  const { label, members } = group;
  const byVerdict = groupByVerdict(model, members, moment);
  const alive = byVerdict.chosen.length + byVerdict.pass.length + byVerdict.candidate.length;
  const uses = model.resources.map((resource) => sumUsage(model, members, resource)).filter((use) => use.total > 0);
  const steps = heat ? members.map((i) => heat.step(i)).filter((step) => step !== null) : [];
  const pods = members.reduce((sum, i) => sum + model.columns.pods[i], 0);
  const pinned = store.pinned.value.node;
  return html`<section class="tile" aria-label=${groupName(label)}>
    <h3>
      <button type="button" class="tile-name" data-tile=${label} tabindex=${tabbable ? 0 : -1}
        title=${_("Show the nodes")} onClick=${() => zoomBy(1, model.columns.names[members[0]])}
      >${groupName(label)}</button>
    </h3>
    <p class="quiet">
      ${
        moment?.searching
          ? remainingText(moment, alive, members.length)
          : ngettext("{n} node", "{n} nodes", members.length)
      } · ${ngettext("{n} pod", "{n} pods", pods)}
    </p>
    ${
      heat
        ? html`<span class="verdicts" aria-hidden="true">
          ${[...new Set(steps)]
            .sort((a, b) => a - b)
            .map(
              (step) => html`<i key=${step} class=${`heat-${step}`}
              style=${{ width: `${(steps.filter((one) => one === step).length / members.length) * 100}%` }}
            />`,
            )}
        </span>`
        : moment?.searching && html`<${Verdicts} byVerdict=${byVerdict} total=${members.length} />`
    }
    <ul class="tile-uses">${uses.map((use) => html`<${Use} key=${use.resource} use=${use} />`)}</ul>
    <p class="tile-named">
      ${listNamed(model, members, byVerdict, moment).map((name) => {
        const state = VERDICTS[verdictsByNode(model, moment)[model.index.get(name)]];
        return html`<button type="button" key=${name} tabindex="-1"
          class=${`chip mono ${name === pinned ? "pinned" : ""}`} data-node=${name} data-verdict=${state}
          aria-pressed=${name === pinned} onClick=${() => chooseNode(name)}
          onPointerEnter=${() => hover({ node: name })} onPointerLeave=${() => hover({ node: null })}
        >${isNominated(moment, name) ? icon("waiting", "is-waiting") : verdictMark(state)} ${name}</button>`;
      })}
    </p>
  </section>`;
}

export function Groups({ model, heat }) {
  const root = useRef(null);
  const moment = useFrame();
  const handleKey = (event) => {
    if (!event.key.startsWith("Arrow") && event.key !== "Home" && event.key !== "End") return;
    const all = [...root.current.querySelectorAll(".tile button")];
    const current = all.indexOf(document.activeElement);
    if (current < 0) return;
    event.preventDefault();
    const boxes = all.map((element) => element.getBoundingClientRect()).map(({ x, y }) => ({ x, y }));
    const next =
      event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : findNeighbour(boxes, current, event.key);
    if (next < 0) return;
    all[next].focus();
    hover({ node: all[next].dataset.node ?? null });
  };
  return html`<div class="tiles scroll" ref=${root} role="group"
    aria-label=${fill(_("{n} groups of nodes"), { n: formatNumber(model.groups.length) })} onKeyDown=${handleKey}
  >
    ${model.groups.map(
      (group, g) => html`<${Tile} key=${group.label} model=${model} group=${group} moment=${moment} heat=${heat}
        tabbable=${g === 0}
      />`,
    )}
  </div>`;
}
