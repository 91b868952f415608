/** The divergence of two sides: the first different decision, and the pods on different nodes. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { compare, fileAddress, loadDifference, openMoment } from "./comparison_actions.js";
import { sideLetter, seedsOfBoth } from "./comparison_model.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { outcomeWord } from "../cycle/cycle_texts.js";

function Attempt({ attempt, side, label, onOpen }) {
  return html`<div class="parted">
    <b class=${`side-letter side-${side}`}>${sideLetter(side)}</b>
    <div class="grow">
      <span class="quiet">${label}</span>
      <br />
      ${!attempt && html`<span>${_("had already finished")}</span>`}
      ${
        attempt &&
        html`<span class="mono">${podName(attempt.pod)}</span> → ${
          attempt.node
            ? html`<b class="mono">${attempt.node}</b>`
            : html`<span class="is-rejected">${attempt.message || outcomeWord(attempt.outcome)}</span>`
        }`
      }
    </div>
    ${
      attempt &&
      html`<button type="button" class="btn small"
        title=${_("Open it as a separate cluster with its history")} onClick=${onOpen}
      >${fill(_("Open in {letter}"), { letter: sideLetter(side) })}</button>`
    }
  </div>`;
}

function Divergence({ difference, comparison }) {
  const { divergence, a, b } = difference;
  if (!divergence) return html`<p>${_("Both sides make the same decisions with this seed.")}</p>`;
  const open = (side) => () => openMoment(side, difference.seed, divergence.index + 1);
  const cycle = (divergence.a ?? divergence.b).cycle;
  return html`
    <p>
      ${fill(_("First difference: attempt {n}, cycle {cycle}"), {
        n: formatNumber(divergence.index + 1),
        cycle: formatNumber(cycle),
      })}
    </p>
    <div class="parted-pair">
      <${Attempt} attempt=${divergence.a} side=${a} label=${comparison.sides[a].label} onOpen=${open(a)} />
      <${Attempt} attempt=${divergence.b} side=${b} label=${comparison.sides[b].label} onOpen=${open(b)} />
    </div>
  `;
}

function MovedPods({ difference, comparison }) {
  const { a, b, seed, moved, moved_total: total } = difference;
  if (!total) return null;
  const sides = { a, b, seed };
  return html`
    <div class="head">
      <b>${ngettext("{n} Pod on a different node", "{n} Pods on a different node", total)}</b>
      ${
        moved.length < total &&
        html`<span class="about">${fill(_("the first {n} are listed"), { n: formatNumber(moved.length) })}</span>`
      }
      <span class="grow" />
      <a class="btn" href=${fileAddress(comparison.id, "moved", "csv", sides)} download>CSV</a>
      <a class="btn" href=${fileAddress(comparison.id, "moved", "json", sides)} download>JSON</a>
    </div>
    <div class="scroll moved-pods" tabindex="0" role="group" aria-label=${_("Pods on a different node")}>
      <table class="plain">
        <thead>
          <tr><th scope="col">${_("Pod")}</th><th scope="col">${sideLetter(a)}</th><th
            scope="col">${sideLetter(b)}</th></tr>
        </thead>
        <tbody>
          ${moved.map(
            (row) => html`<tr key=${row.pod}>
              <th scope="row" class="mono">${podName(row.pod)}</th>
              ${[row.a, row.b].map(
                (node, index) => html`<td key=${index} class="mono">
                  ${node ?? html`<span class="is-rejected">${_("no node")}</span>`}
                </td>`,
              )}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

export function CompareDifference({ comparison }) {
  const [pair, setPair] = useState([0, 1]);
  const [chosenSeed, setSeed] = useState(null);
  const [a, b] = pair;
  const seeds = comparison.sides.length > 1 ? seedsOfBoth(comparison, a, b) : [];
  const seed = seeds.includes(chosenSeed) ? chosenSeed : seeds[0];
  useEffect(() => {
    if (seed !== undefined) loadDifference(a, b, seed);
  }, [comparison.id, a, b, seed]);
  if (comparison.sides.length < 2) return null;
  const difference = compare.difference.value;
  const current = difference && difference.a === a && difference.b === b && difference.seed === seed;
  const renderChoice = (position) => html`<select aria-label=${position ? _("compared with") : _("side")}
    onChange=${(event) =>
      setPair(position ? [a, Number(event.currentTarget.value)] : [Number(event.currentTarget.value), b])}
  >
    ${comparison.sides.map(
      (side, index) => html`<option key=${index} value=${index} selected=${index === pair[position]}>
        ${sideLetter(index)} ${side.label}
      </option>`,
    )}
  </select>`;
  return html`<section aria-labelledby="parted-title">
    <div class="head">
      <h3 class="caps" id="parted-title">${_("First difference")}</h3>
      <span class="grow" />
      ${comparison.sides.length > 2 && html`${renderChoice(0)} ${renderChoice(1)}`}
      ${
        seeds.length > 1 &&
        html`<label class="row">
          ${_("seed")} <select onChange=${(event) => setSeed(Number(event.currentTarget.value))}>
            ${seeds.map((each) => html`<option key=${each} value=${each} selected=${each === seed}>${each}</option>`)}
          </select>
        </label>`
      }
    </div>
    ${
      seed === undefined &&
      html`<p class="quiet">${_("Available when both sides finish a run with the same seed.")}</p>`
    }
    ${
      current &&
      html`
        <${Divergence} difference=${difference} comparison=${comparison} />
        <${MovedPods} difference=${difference} comparison=${comparison} />
      `
    }
  </section>`;
}
