/** The results of a comparison: figures as bars with a dot per seed, pending reasons, node use. */
import { html } from "../../vendor/preact.js";
import { fileAddress } from "./comparison_actions.js";
import { nodeHistograms, sideLetter, pendingReasons, resourceTitle, comparisonRows } from "./comparison_model.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { CompareDifference } from "./comparison_difference.js";

const formatRounded = (value) => formatNumber(Math.round(value * 10) / 10);

function Cell({ row, cell, side }) {
  if (!cell) return html`<td class="num quiet">–</td>`;
  const widthOf = (value) => `${row.max ? (value / row.max) * 100 : 0}%`;
  const several = cell.values.length > 1;
  const range = several
    ? fill(_("{low} to {high} over {n} seeds"), {
        low: row.show(Math.min(...cell.values)),
        high: row.show(Math.max(...cell.values)),
        n: cell.values.length,
      })
    : "";
  return html`<td title=${range}>
    <span class="figure">
      <span class="num">${row.show(cell.mean)}</span>
      <span class="figure-bar" aria-hidden="true">
        <i class=${`side-fill side-${side}`} style=${{ width: widthOf(cell.mean) }} />
        ${
          several &&
          cell.values.map((value, index) => html`<i key=${index} class="dot-mark" style=${{ left: widthOf(value) }} />`)
        }
      </span>
      ${several && html`<span class="sr">${range}</span>`}
    </span>
  </td>`;
}

function deltaText(row) {
  if (row.delta === null) return "";
  const sign = row.delta > 0 ? "+" : row.delta < 0 ? "−" : "±";
  return `${sign}${(row.change ?? row.show)(Math.abs(row.delta))}`;
}

function toneOf(row) {
  if (!row.delta || !row.better) return "";
  return row.delta * row.better > 0 ? "is-pass" : "is-rejected";
}

const binText = (count, bin) =>
  fill(_("{n} nodes at {low} to {high} %"), { n: formatRounded(count), low: bin * 10, high: bin * 10 + 10 });

function Figures({ comparison }) {
  const rows = comparisonRows(comparison);
  const two = comparison.sides.length === 2;
  const finishedRun = comparison.runs.find((run) => run.metrics);
  return html`<section aria-labelledby="figures-title">
    <div class="head">
      <h3 class="caps" id="figures-title">${_("Figures")}</h3>
      <span class="about">
        ${fill(_("{pods} pods on {nodes} nodes"), {
          pods: formatNumber(finishedRun.metrics.pods),
          nodes: formatNumber(finishedRun.metrics.nodes),
        })}
        ${
          comparison.seeds.length > 1
            ? ` · ${fill(_("mean of {n} seeds, one dot per seed"), { n: comparison.seeds.length })}`
            : ""
        }
      </span>
      <span class="grow" />
      <a class="btn" href=${fileAddress(comparison.id, "metrics", "csv")} download>CSV</a>
      <a class="btn" href=${fileAddress(comparison.id, "metrics", "json")} download>JSON</a>
    </div>
    <div class="scroll" tabindex="0" role="group" aria-label=${_("Figures side by side")}>
      <table class="plain compare-table">
        <thead>
          <tr>
            <th scope="col">${_("Figure")}</th>
            ${comparison.sides.map(
              (side, index) => html`<th scope="col" key=${index}>
                <b class=${`side-letter side-${index}`}>${sideLetter(index)}</b> ${side.label}
              </th>`,
            )}
            ${two && html`<th scope="col" class="num">${_("B − A")}</th>`}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) => html`<tr key=${row.key}>
              <th scope="row" title=${row.title}>${row.label}</th>
              ${row.cells.map((cell, index) => html`<${Cell} key=${index} row=${row} cell=${cell} side=${index} />`)}
              ${two && html`<td class=${`num ${toneOf(row)}`}>${deltaText(row)}</td>`}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function Pending({ comparison }) {
  const rows = pendingReasons(comparison);
  if (!rows.length) return null;
  return html`<section aria-labelledby="pending-title">
    <h3 class="caps" id="pending-title">${_("Why pods are pending")}</h3>
    <div class="scroll" tabindex="0" role="group" aria-label=${_("Why pods are pending")}>
      <table class="plain compare-table">
        <thead>
          <tr>
            <th scope="col">${_("Reason")}</th>
            ${comparison.sides.map(
              (_side, index) => html`<th scope="col" class="num" key=${index}>${sideLetter(index)}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) => html`<tr key=${row.reason}>
              <th scope="row" class="mono">${row.reason}</th>
              ${row.counts.map((count, index) => html`<td class="num" key=${index}>${formatRounded(count)}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Histograms of nodes by tenth of use, one per resource and side, on one scale. */
function Histograms({ comparison }) {
  return html`<section aria-labelledby="histogram-title">
    <h3 class="caps" id="histogram-title">${_("Nodes by how full they are")}</h3>
    <div class="histograms">
      ${nodeHistograms(comparison).map(({ resource, sides }) => {
        const most = Math.max(1, ...sides.flatMap((bins) => bins ?? []));
        return html`<figure key=${resource}>
          <figcaption>
            ${resourceTitle(resource)} <span class="quiet">
              ${fill(_("up to {n} nodes"), { n: formatNumber(Math.round(most)) })}
            </span>
          </figcaption>
          ${sides.map(
            (bins, side) =>
              bins &&
              html`<div key=${side} class="histogram" role="img"
                aria-label=${`${sideLetter(side)}: ${bins.map(binText).join(", ")}`}
              >
                <b class=${`side-letter side-${side}`}>${sideLetter(side)}</b>
                ${bins.map(
                  (count, bin) => html`<i key=${bin}
                    title=${fill(_("{n} nodes at {low} to {high} %"), {
                      n: formatRounded(count),
                      low: bin * 10,
                      high: bin * 10 + 10,
                    })}
                  ><i class=${`side-fill side-${side}`} style=${{ height: `${(count / most) * 100}%` }} /></i>`,
                )}
              </div>`,
          )}
          <div class="histogram-axis" aria-hidden="true"><span>0 %</span><span>100 %</span></div>
        </figure>`;
      })}
    </div>
  </section>`;
}

export function CompareResult({ comparison }) {
  if (!comparison.runs?.some((run) => run.metrics)) return null;
  return html`
    <${Figures} comparison=${comparison} />
    <${Pending} comparison=${comparison} />
    <${Histograms} comparison=${comparison} />
    <${CompareDifference} comparison=${comparison} />
  `;
}
