/** The written arithmetic of one plugin's score of one node, line by line, so that readers can check it. */
import { html } from "../../vendor/preact.js";
import { translateSentence } from "../base/sentence.js";
import { _, formatNumber } from "../base/i18n.js";

const formatValue = (value) => (Number.isInteger(value) ? formatNumber(value) : String(Number(value.toFixed(6))));

function Line({ line }) {
  return html`<li class="arith-line">
    ${
      (line.formula || line.value !== null) &&
      html`<p class="arith-formula mono">
        ${line.of && html`<span class="quiet">${line.of}: </span>`}
        ${line.formula}
        ${line.value !== null && html`${line.formula ? " = " : ""}<b>${formatValue(line.value)}</b>`}
      </p>`
    }
    <p class="quiet">
      ${!line.formula && line.value === null && line.of ? html`<span class="mono">${line.of}</span>: ` : ""}
      ${translateSentence(line.what)}
    </p>
  </li>`;
}

function Part({ title, calculation }) {
  if (!calculation) return null;
  return html`<section>
    <h4 class="row"><span class="grow">${title}</span> <b class="num">${formatNumber(calculation.value)}</b></h4>
    ${
      calculation.lines.length > 0 &&
      html`<ul>${calculation.lines.map((line, index) => html`<${Line} key=${index} line=${line} />`)}</ul>`
    }
  </section>`;
}

/** `score`: an entry of the ledger's `plugins`. */
export function Arithmetic({ score }) {
  const bare = !score.raw.lines.length && !score.normalized?.lines.length;
  return html`<div class="arith" data-arithmetic=${score.plugin}>
    <${Part} title=${score.strategy ? `${_("Raw score")}, ${score.strategy}` : _("Raw score")}
      calculation=${score.raw}
    />
    <${Part} title=${_("Normalized over all feasible nodes")} calculation=${score.normalized} />
    <section>
      <h4 class="row">
        <span class="grow">${_("Times its weight")}</span> <span class="num mono">
          ${score.weighted.formula} = <b>${formatNumber(score.weighted.value)}</b>
        </span>
      </h4>
    </section>
    ${
      bare &&
      html`<p class="quiet">
        ${_("This plugin is not one of kube-scheduler's own, so its formula is not known here.")}
      </p>`
    }
  </div>`;
}
