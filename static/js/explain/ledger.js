/** The ledger of a node's total: a row per plugin, which opens its arithmetic. */
import { html, useState } from "../../vendor/preact.js";
import { hover, pinPlugin } from "../cycle/selection.js";
import { answerOf } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Arithmetic } from "./arithmetic.js";
import { Answer } from "../parts/answer.js";
import { Breakable } from "../parts/breakable.js";
import { GlossaryButton } from "../parts/glossary_button.js";

const SERIES = 8;
export const weightedScore = (score, position) => score.normalized[position] * score.weight;
export const seriesTint = (index) => ({ background: `var(--series-${(index % SERIES) + 1})` });

/** Return the points that extenders added to a node's total. */
const extenderPoints = (moment, position) =>
  moment.totals[position] - moment.scores.reduce((sum, score) => sum + weightedScore(score, position), 0);

/** Return the plugin with the largest weighted difference between nodes. */
function decidingPlugin(scores) {
  const gap = ({ normalized, weight }) =>
    (normalized.reduce((most, value) => Math.max(most, value), 0) -
      normalized.reduce((least, value) => Math.min(least, value), Infinity)) *
    weight;
  return scores.reduce((best, score) => (gap(score) > gap(best) ? score : best), scores[0]);
}

function Row({ score, index, row, open, onToggle }) {
  return html`<tr data-ledger=${score.plugin} onPointerEnter=${() => hover({ plugin: score.plugin })}
    onPointerLeave=${() => hover({ plugin: null })}
  >
    <td>
      <span class="ledger-name">
        <i class="square" style=${seriesTint(index)} />
        ${
          onToggle
            ? html`<button type="button" class="link fold" aria-expanded=${open} onClick=${onToggle}>
              <${Breakable} name=${score.plugin} />
            </button>`
            : html`<span class="fold"><${Breakable} name=${score.plugin} /></span>`
        }
        <${GlossaryButton} kind="plugin" name=${score.plugin} />
      </span>
    </td>
    <td class="num">${score.hasRaw ? formatNumber(score.raw[row.position]) : ""}</td>
    <td class="num">${score.hasNormalized ? formatNumber(score.normalized[row.position]) : ""}</td>
    <td class="num">${score.weight}</td>
    <td class="num"><b>${score.hasNormalized ? formatNumber(weightedScore(score, row.position)) : ""}</b></td>
  </tr>`;
}

/**
 * The ledger of a node. Its arithmetic is fetched after all scores are known, and not for a node that is only hovered.
 */
export function Ledger({ moment, row, settled }) {
  const [opened, setOpened] = useState(null);
  const pinned = store.pinned.value.plugin;
  const open =
    opened ?? (moment.scores.some((score) => score.plugin === pinned) ? pinned : decidingPlugin(moment.scores).plugin);
  const explained = Boolean(moment.totals) && settled;
  const answer = explained ? answerOf(moment.record.cycle.number, "nodes", row.name, "ledger") : null;
  const rest = moment.totals ? extenderPoints(moment, row.position) : 0;
  const toggle = (plugin) => {
    setOpened(open === plugin ? "" : plugin);
    if (open !== plugin) pinPlugin(plugin);
  };
  return html`
    <table class="plain ledger">
      <caption class="sr">${fill(_("Score breakdown of {node}"), { node: row.name })}</caption>
      <thead>
        <tr>
          <th>${_("Plugin")}, <span class="mono">${row.name}</span></th>
          <th class="num">${_("raw")}</th>
          <th class="num" title=${_("normalized")}>${_("norm.")}</th>
          <th class="num" title=${_("times the weight in the profile")}>× w</th>
          <th class="num">${_("sum")}</th>
        </tr>
      </thead>
      <tbody>
        ${moment.scores.map((score, index) => [
          html`<${Row} key=${score.plugin} score=${score} index=${index} row=${row} open=${open === score.plugin}
            onToggle=${explained && (() => toggle(score.plugin))}
          />`,
          explained &&
            open === score.plugin &&
            html`<tr key=${`${score.plugin} how`} class="arith-row">
              <td colspan="5">
                <${Answer} answer=${answer}>
                  ${(ledger) => {
                    const found = ledger.plugins?.find((entry) => entry.plugin === score.plugin);
                    return found ? html`<${Arithmetic} score=${found} />` : null;
                  }}
                <//>
              </td>
            </tr>`,
        ])}
        ${
          rest !== 0 &&
          html`<tr><td>${_("extenders")}</td><td /><td /><td /><td class="num"><b>${formatNumber(rest)}</b></td></tr>`
        }
        ${
          moment.soFar &&
          html`<tr class="total">
            <td>${_("Total so far")}</td>
            <td />
            <td />
            <td />
            <td class="num so-far">${formatNumber(moment.soFar[row.position])}</td>
          </tr>`
        }
        ${
          moment.totals &&
          html`<tr class="total">
            <td>${_("Total")}</td>
            <td />
            <td />
            <td />
            <td class="num"><b>${formatNumber(moment.totals[row.position])}</b></td>
          </tr>`
        }
      </tbody>
    </table>
    ${
      answer?.value.state === "there" &&
      html`<p class="quiet standing" data-standing>
        ${
          answer.value.value.total &&
          html`
            <span
              class="mono">${answer.value.value.total.formula} = ${formatNumber(answer.value.value.total.value)}</span>
            . `
        }
        ${translateSentence(answer.value.value.why)}
        .
      </p>`
    }
  `;
}
