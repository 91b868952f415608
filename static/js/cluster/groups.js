/**
 * The cluster as one tile per group, with verdicts and total use. Chosen, failing and selected nodes keep their names.
 */
import { html, useRef } from "../../vendor/preact.js";
import { chooseNode, hover } from "../cycle/select.js";
import { VERDICTS } from "../cycle/frame.js";
import { amount, resourceWord, unit } from "../base/format.js";
import { _, ngettext, fill, number } from "../base/i18n.js";
import { aliveOf, groupName, isNominated, usageOf } from "../nodes/nodes_model.js";
import { statesOf } from "./states.js";
import { nodeInView, store } from "../base/store.js";
import { verdictWord } from "../cycle/words.js";
import { zoomBy } from "./zoom.js";
import { neighbour } from "./card_layout.js";
import { icon, verdictMark } from "../parts/icon.js";
import { useFrame } from "../cycle/frames.js";

const ORDER = ["chosen", "pass", "candidate", "error", "rejected", "unseen"];
const FEW = 6; // up to this many rejected nodes of a group have names too

/** Return the nodes of a group by verdict: {state: [name]}. */
function byVerdict(model, members, moment) {
  const found = Object.fromEntries(VERDICTS.map((state) => [state, []]));
  const states = statesOf(model, moment);
  for (const i of members) found[VERDICTS[states[i]]].push(model.columns.names[i]);
  return found;
}

/** Return the nodes with a name: chosen, nominated, in error, selected, and a few rejected ones. */
function named(model, members, found, moment) {
  const names = new Set([...found.chosen, ...found.error]);
  const inside = (name) => name && members.includes(model.index.get(name));
  for (const name of [moment?.record.cycle.nominated, store.pinned.value.node, nodeInView.value]) {
    if (
      inside(name) &&
      (name !== moment?.record.cycle.nominated || isNominated(moment, name) || name === store.pinned.value.node)
    )
      names.add(name);
  }
  if (found.rejected.length <= FEW) for (const name of found.rejected) names.add(name);
  return [...names];
}

function Verdicts({ found, total }) {
  return html`
    <span class="verdicts" aria-hidden="true">
      ${ORDER.filter((state) => found[state].length).map(
        (state) =>
          html`<i key=${state} class=${`is ${state}`} style=${{ width: `${(found[state].length / total) * 100}%` }}
            title=${`${number(found[state].length)} ${verdictWord(state)}`}
          />`,
      )}
    </span>
    <span class="verdict-counts">
      ${ORDER.filter((state) => found[state].length).map(
        (state) => html`<span key=${state}>
          ${verdictMark(state)} ${number(found[state].length)}
          <span class="sr"> ${verdictWord(state)}</span>
        </span>`,
      )}
    </span>
  `;
}

/** Format a total of many nodes without fractions. */
const whole = (resource, value) => {
  const found = Number(amount(resource, value));
  return number(found >= 1000 ? Math.round(found) : found);
};

function Use({ use }) {
  const part = Math.min(100, (use.used / use.total) * 100);
  return html`<li>
    <span class="cut quiet" title=${use.resource}>${resourceWord(use.resource)}</span>
    <span class="bar"><i style=${{ width: `${part}%` }} /></span>
    <span class="num">${whole(use.resource, use.used)} / ${whole(use.resource, use.total)} ${unit(use.resource)}</span>
  </li>`;
}

function Tile({ model, group, moment, heat, tabbable }) {
  const { label, members } = group;
  const found = byVerdict(model, members, moment);
  const alive = found.chosen.length + found.pass.length + found.candidate.length;
  const uses = model.resources.map((resource) => usageOf(model, members, resource)).filter((use) => use.total > 0);
  const steps = heat ? members.map((i) => heat.step(i)).filter((step) => step !== null) : [];
  const pods = members.reduce((sum, i) => sum + model.columns.pods[i], 0);
  const pinned = store.pinned.value.node;
  return html`<section class="tile" aria-label=${groupName(label)}>
    <h3>
      <button type="button" class="tile-name" data-tile=${label} tabindex=${tabbable ? 0 : -1}
        title=${_("Look at the nodes")} onClick=${() => zoomBy(1, model.columns.names[members[0]])}
      >${groupName(label)}</button>
    </h3>
    <p class="quiet">
      ${
        moment?.searching ? aliveOf(moment, alive, members.length) : ngettext("{n} node", "{n} nodes", members.length)
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
        : moment?.searching && html`<${Verdicts} found=${found} total=${members.length} />`
    }
    <ul class="tile-uses">${uses.map((use) => html`<${Use} key=${use.resource} use=${use} />`)}</ul>
    <p class="tile-named">
      ${named(model, members, found, moment).map((name) => {
        const state = VERDICTS[statesOf(model, moment)[model.index.get(name)]];
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
  const key = (event) => {
    if (!event.key.startsWith("Arrow") && event.key !== "Home" && event.key !== "End") return;
    const all = [...root.current.querySelectorAll(".tile button")];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    const boxes = all.map((element) => element.getBoundingClientRect()).map(({ x, y }) => ({ x, y }));
    const next = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : neighbour(boxes, at, event.key);
    if (next < 0) return;
    all[next].focus();
    hover({ node: all[next].dataset.node ?? null });
  };
  return html`<div class="tiles scroll" ref=${root} role="group"
    aria-label=${fill(_("{n} groups of nodes"), { n: number(model.groups.length) })} onKeyDown=${key}
  >
    ${model.groups.map(
      (group, g) => html`<${Tile} key=${group.label} model=${model} group=${group} moment=${moment} heat=${heat}
        tabbable=${g === 0}
      />`,
    )}
  </div>`;
}
