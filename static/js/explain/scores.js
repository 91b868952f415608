/** The scores: who wins by how much, by plugin, and the deciding difference. */
import { html } from "../../vendor/preact.js";
import { hover, openSideTab, pinNode } from "../cycle/selection.js";
import { isOffered } from "../access/allowed.js";
import { comparisonOf } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { listSurvivors } from "../cycle/frame.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { nodeInView, store } from "../base/store.js";
import { Ledger, weightedScore, seriesTint } from "./ledger.js";
import { Breakable } from "../parts/breakable.js";
import { icon } from "../parts/icon.js";
import { useFrame } from "../cycle/panel_frames.js";

const BARS = 8;

const formatSigned = (value) => (value > 0 ? `+${formatNumber(value)}` : value < 0 ? `−${formatNumber(-value)}` : "0");

function Title({ moment, best, second }) {
  const { node, ties } = moment.record.cycle;
  if (!node || !moment.totals) {
    const values = { n: moment.scores.filter((score) => score.hasNormalized).length, all: moment.scores.length };
    return html`<h3 class="side-title row wrap">
      ${_("Scores so far")} <span class="quiet">${fill(_("{n} of {all} plugins are in the sum"), values)}</span>
    </h3>`;
  }
  if (ties?.length > 1) {
    return html`<h3 class="side-title row wrap">
      <span class="is-chosen">${icon("chosen")} ${fill(_("{node} wins the random choice"), { node })}</span>
      <span class="quiet">
        ${fill(_("among {n} nodes with total {total}"), {
          n: formatNumber(ties.length),
          total: formatNumber(moment.totals[best.position]),
        })}
      </span>
    </h3>`;
  }
  const gap = second ? moment.totals[best.position] - moment.totals[second.position] : 0;
  return html`<h3 class="side-title row wrap">
    <span class="is-chosen">${icon("chosen")} ${fill(_("{node} wins"), { node })}</span>
    ${
      second &&
      html`<span class="quiet">${fill(_("by {n} over {other}"), { n: formatNumber(gap), other: second.name })}</span>`
    }
  </h3>`;
}

function Bars({ moment, rows, widest, seen }) {
  return html`<ul class="score-bars">
    ${rows.map(
      (row) => html`<li key=${row.name}>
        <button type="button" class=${row.name === seen ? "on" : ""} onClick=${() => pinNode(row.name)}
          onPointerEnter=${() => hover({ node: row.name })} onPointerLeave=${() => hover({ node: null })}
        >
          <span class="mono cut tail" title=${row.name}><bdi>${row.name}</bdi></span>
          <span class="stack">
            ${moment.scores.map(
              (score, index) => html`<i key=${score.plugin}
                style=${{
                  width: `${score.hasNormalized ? (weightedScore(score, row.position) / widest) * 100 : 0}%`,
                  ...seriesTint(index),
                }}
              />`,
            )}
          </span>
          <b class=${`num ${moment.totals ? "" : "so-far"}`}>
            ${
              moment.totals
                ? formatNumber(moment.totals[row.position])
                : moment.soFar
                  ? formatNumber(moment.soFar[row.position])
                  : ""
            }
          </b>
        </button>
      </li>`,
    )}
  </ul>`;
}

/** The deciding difference of two nodes, in the words of the API and the CLI. */
function DecidingDifference({ moment, a, b }) {
  const answer = comparisonOf(moment.record.cycle.number, a, b).value;
  return html`<p class="quiet" data-decided=${answer.value?.decided.by}>
    ${
      answer.state === "there"
        ? translateSentence(answer.value.why)
        : answer.state === "asking"
          ? _("Calculating…")
          : ""
    }
  </p>`;
}

/** A pinned node without scores: why it could not win. */
function OutOfReach({ moment, best, name }) {
  return html`<section class="card">
    <h3>${fill(_("Why not {node}?"), { node: name })}</h3>
    <${DecidingDifference} moment=${moment} a=${best.name} b=${name} />
  </section>`;
}

function Versus({ moment, a, b, settled }) {
  const lines = moment.scores
    .map((score) => ({ name: score.plugin, a: weightedScore(score, a.position), b: weightedScore(score, b.position) }))
    .sort((x, y) => Math.abs(y.a - y.b) - Math.abs(x.a - x.b));
  const differing = lines.filter((line) => line.a !== line.b);
  const same = lines.length - differing.length;
  const gap = moment.totals[a.position] - moment.totals[b.position];
  const title = gap > 0 ? _("Why {a} beat {b}") : gap < 0 ? _("Why {b} beat {a}") : _("{a} and {b} score the same");
  return html`<section class="card">
    <h3>${fill(title, { a: a.name, b: b.name })}</h3>
    ${settled && html`<${DecidingDifference} moment=${moment} a=${a.name} b=${b.name} />`}
    <table class="plain versus">
      <thead class="sr">
        <tr><th>${_("Plugin")}</th><th>${a.name} / ${b.name}</th><th>${_("difference")}</th></tr>
      </thead>
      <tbody>
        ${differing.map(
          (line) => html`<tr key=${line.name}>
            <td><${Breakable} name=${line.name} /></td>
            <td class="num">${fill(_("{a} vs {b}"), { a: formatNumber(line.a), b: formatNumber(line.b) })}</td>
            <td
              class=${`num ${line.a > line.b ? "is-pass" : "is-rejected"}`}><b>${formatSigned(line.a - line.b)}</b></td>
          </tr>`,
        )}
        ${
          same > 0 &&
          html`<tr>
            <td class="quiet" colspan="2">
              ${ngettext("{n} plugin gives both the same", "{n} plugins give both the same", same)}
            </td>
            <td class="num quiet">0</td>
          </tr>`
        }
      </tbody>
    </table>
  </section>`;
}

export function Scores() {
  const moment = useFrame();
  if (!moment)
    return html`<p class="empty quiet">${_("Scores of the feasible nodes appear here after the first cycle.")}</p>`;
  const { cycle } = moment.record;
  if (!moment.matrix || !moment.scores.length) {
    const isOnlyFeasible = cycle.nodes?.feasible === 1;
    return html`
      <h3 class="side-title">${_("Nothing was scored")}</h3>
      <p class="quiet">
        ${
          isOnlyFeasible
            ? fill(_("{node} was the only feasible node, so kube-scheduler does not score."), {
                node: cycle.node ?? "",
              })
            : _("No node was feasible, so there was nothing to score.")
        }
      </p>
    `;
  }
  const started = moment.scores.some((score) => score.hasRaw);
  if (!started)
    return html`
      <h3 class="side-title">${_("Not scored yet")}</h3>
      <p class="quiet">${_("The filters are still running at this step.")}</p>
    `;
  const rows = listSurvivors(moment).map((name) => ({ name, position: moment.position.get(moment.row.get(name)) }));
  const best = rows.find((row) => row.name === cycle.node) ?? rows[0];
  const second = rows.find((row) => row !== best);
  const nodeOfInterest = nodeInView.value;
  const viewed = rows.find((row) => row.name === nodeOfInterest) ?? best;
  const shown = rows.slice(0, BARS);
  if (!shown.includes(viewed)) shown[BARS - 1] = viewed;
  // Relative to the final totals, so that bars only grow during scoring.
  const widest =
    Math.max(
      1,
      ...rows.map((row) => moment.scores.reduce((sum, score) => sum + weightedScore(score, row.position), 0)),
    ) * 1.04;
  const other = viewed === best ? second : viewed;
  const hovered = store.hovered.value.node;
  const { node: pinned } = store.pinned.value;
  const unscored =
    pinned && store.nodes.value?.names.includes(pinned) && !rows.some((row) => row.name === pinned) ? pinned : null;
  const settled = hovered === null || hovered === store.pinned.value.node || viewed.name !== hovered;
  return html`
    <${Title} moment=${moment} best=${best} second=${second} />
    <${Bars} moment=${moment} rows=${shown} widest=${widest} seen=${viewed.name} />
    ${
      rows.length > BARS &&
      html`<p class="quiet">
        ${ngettext(
          "{n} more feasible node in the matrix",
          "{n} more feasible nodes in the matrix",
          rows.length - shown.length,
        )}
      </p>`
    }
    <${Ledger} moment=${moment} row=${viewed} settled=${settled} />
    ${moment.totals && unscored && html`<${OutOfReach} moment=${moment} best=${best} name=${unscored} />`}
    ${moment.totals && other && html`<${Versus} moment=${moment} a=${best} b=${other} settled=${settled} />`}
    ${
      moment.totals &&
      isOffered("apply-profile") &&
      html`<p>
        <button type="button" class="btn small" onClick=${() => openSideTab("profile")}
          title=${_("The cycle in view is run again under every change of a weight")}
        >${_("Try other weights")}</button>
      </p>`
    }
  `;
}
