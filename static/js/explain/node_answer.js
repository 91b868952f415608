/** "Why not node-7?": the answer of every filter plugin about one node, with its numbers. */
import { html } from "../../vendor/preact.js";
import { openLedger } from "./open_explanation.js";
import { openSideTab, pinNode } from "../cycle/selection.js";
import { mayEdit } from "../access/allowed.js";
import { answerOf } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { podName, formatUsage } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { describeNode, layout } from "../nodes/nodes_model.js";
import { staleText } from "../cycle/stale_verdicts.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { Answer } from "../parts/answer.js";
import { icon, verdictMark } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";

const editPod = () => openDialog("object", { kind: "Pod", objectKey: store.shown.peek().record.cycle.pod });

/** The pod's requirement beside the node's value; likely typos are marked. */
function ValueComparison({ line }) {
  return html`<p class="beside" data-near=${String(line.near)}>
    <span class="quiet">${line.part}</span> <span>${_("pod")} <code>${line.pod || "–"}</code></span> <b>≠</b> <span>
      ${_("node")} <code>${line.node || "–"}</code>
    </span>
    ${line.near && html` <span class="is-waiting">${icon("waiting")} ${_("typo?")}</span>`}
    ${
      line.near &&
      mayEdit.value &&
      html` <button type="button" class="link" onClick=${editPod}>${_("edit the pod")}</button>`
    }
  </p>`;
}

/** One fact that rejects the pod, with both sides of it. */
export function Fact({ fact }) {
  const about = fact.fails && fact.of && !fact.what.text.includes(fact.of) ? html` <code>${fact.of}</code>` : "";
  return html`<li class=${`fact ${fact.fails ? "is-rejected" : ""}`}>
    ${translateSentence(fact.what)}
    ${about}
    ${fact.fails && fact.data?.compare?.map((line, index) => html`<${ValueComparison} key=${index} line=${line} />`)}
  </li>`;
}

/** A plugin's answer. A plugin that did not run is never drawn as a pass. */
function Plugin({ answer }) {
  const passed = answer.code === "Success";
  const mark = !answer.ran
    ? icon("unseen", "is-unseen")
    : passed
      ? icon("pass", "is-pass")
      : icon("rejected", "is-rejected");
  const verdict = !answer.ran
    ? passed
      ? _("not run; it would pass")
      : fill(_("not run; the result would be: {reasons}"), { reasons: answer.reasons.join(", ") || answer.code })
    : passed
      ? _("pass")
      : answer.reasons.join(", ") || answer.code;
  const shownFacts = answer.facts.filter(
    (fact) => fact.fails || (passed && answer.ran && answer.plugin === "NodeResourcesFit"),
  );
  return html`<li class=${`fact-plugin ${answer.ran ? "" : "not-run"}`} data-plugin=${answer.plugin}
    data-ran=${String(answer.ran)}
  >
    <p class="row">
      ${mark} <b>${answer.plugin}</b> <${GlossaryButton} kind="plugin" name=${answer.plugin} />
      <span class=${`grow ${passed ? "quiet" : ""}`}>${verdict}</span>
    </p>
    ${
      shownFacts.length > 0 &&
      html`<ul>${shownFacts.map(
        (fact, index) => html`<${Fact} key=${index}
      fact=${fact} />`,
      )}</ul>`
    }
  </li>`;
}

function Answers({ answer }) {
  // Rejections come first, passes after them.
  const passed = (plugin) => Number(plugin.code === "Success");
  const plugins = [...answer.plugins].sort((a, b) => passed(a) - passed(b) || b.ran - a.ran);
  return html`
    <p data-why>${translateSentence(answer.why)}.</p>
    ${answer.evicting && html`<p class="quiet">${translateSentence(answer.evicting)}</p>`}
    ${
      answer.nominated.length > 0 &&
      html`<p class="quiet">
        ${fill(_("Counted as already placed: {pods}"), { pods: answer.nominated.map(podName).join(", ") })}
      </p>`
    }
    <ul class="facts-list">${plugins.map((answer) => html`<${Plugin} key=${answer.plugin} answer=${answer} />`)}</ul>
  `;
}

/** The answers of every filter plugin about a node, after the whole attempt is known. */
export function NodeReasons({ name, moment }) {
  if (moment.step < moment.record.cycle.steps.length) return null;
  return html`<${Answer} answer=${answerOf(moment.record.cycle.number, "nodes", name)}>
    ${(reasons) => html`<${Answers} answer=${reasons} />`}
  <//>`;
}

/** `brief`: only known facts, without a request, for a node that is only hovered. */
export function NodeAnswer({ name, moment, brief = false }) {
  const model = layout.value;
  const i = model?.index.get(name);
  if (i === undefined) return null;
  const node = describeNode(model, i, moment);
  const question = node.alive
    ? fill(_("{node} is feasible"), { node: name })
    : fill(_("Why not {node}?"), { node: name });
  return html`<section class="card" data-node-answer=${name}>
    <h3 class="row">
      ${verdictMark(node.state)} <span class="grow">${question}</span>
      ${
        !brief &&
        node.total !== null &&
        html`<button type="button" class="link" onClick=${() => openLedger(name)}>${_("Score breakdown")}</button>`
      }
      <button type="button" class="link" onClick=${() => openSideTab("node")}>${_("Node")}</button>
      ${
        !brief &&
        html`<button type="button" class="btn bare icon" aria-label=${_("Unpin")} title=${_("Unpin")}
          onClick=${() => pinNode(name)}
        >${icon("close")}</button>`
      }
    </h3>
    ${brief && node.stale && html`<p class="quiet">${staleText(node.stale)}</p>`}
    ${
      node.status &&
      html`<p class=${`is-rejected ${node.stale ? "stale" : ""}`}>${node.status.plugin}: ${node.reasons.join(", ")}</p>`
    }
    ${
      node.state === "unseen" && html`<p>${_("The search found enough feasible nodes before it reached this one.")}</p>`
    }
    ${
      !node.status &&
      node.state !== "unseen" &&
      html`<p class="quiet">
        ${verdictWord(node.state)}
        ${node.total === null ? "" : ` · ${fill(_("total {n}"), { n: formatNumber(node.total) })}`}
      </p>`
    }
    <ul class="usage">
      ${node.bars.map((bar) => {
        const over = bar.added > 0 && bar.used + bar.added > bar.total;
        return html`<li key=${bar.resource} class=${over ? "is-rejected" : ""}>
          <span class="mono">${formatUsage(bar.resource, bar.used, bar.added, bar.total)}</span>
          ${over ? html` <span>${icon("rejected")} ${_("too much")}</span>` : ""}
        </li>`;
      })}
      ${node.cordoned && html`<li>${_("cordoned: spec.unschedulable is true")}</li>`}
      ${node.taints.map(
        (taint) => html`<li key=${taint}>
          <span class="quiet">${_("taint")}</span> <span class="mono">${taint}</span>
        </li>`,
      )}
    </ul>
    ${!brief && html`<${NodeReasons} name=${name} moment=${moment} />`}
  </section>`;
}
