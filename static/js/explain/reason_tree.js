/** The reason tree of an attempt: from "0/5,000 nodes are available" by plugin and reason to the nodes. */
import { html, useState } from "../../vendor/preact.js";
import { hover, pinNode } from "../cycle/selection.js";
import { answerOf } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { Fact } from "./node_answer.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";

const LISTED_NODES = 60;
const TONE = {
  feasible: ["pass", "is-pass"],
  plugin: ["rejected", "is-rejected"],
  reason: ["rejected", "is-rejected"],
  preFilter: ["rejected", "is-rejected"],
  error: ["error", "is-error"],
  extender: ["rejected", "is-rejected"],
};

/** Return nodes by name: those of the matrix with these statuses, else the ranges. */
function nodeNames(branch, moment) {
  const { matrix } = moment;
  if (branch.statuses && matrix) {
    const statuses = new Set(branch.statuses);
    return matrix.names.filter((_name, row) => statuses.has(matrix.status[row]));
  }
  return null;
}

/** Nodes by name; a button shows the rest. */
export function Names({ names }) {
  const [all, setAll] = useState(false);
  const shown = all ? names : names.slice(0, LISTED_NODES);
  return html`<ul class="name-list">
    ${shown.map(
      (name) =>
        html`<li key=${name}>
          <button type="button" class="link name" onClick=${() => pinNode(name)}
            onPointerEnter=${() => hover({ node: name })} onPointerLeave=${() => hover({ node: null })}
          >${name}</button>
        </li>`,
    )}
    ${
      names.length > shown.length &&
      html`<li>
        <button type="button" class="link" onClick=${() => setAll(true)}>
          ${ngettext("{n} more", "{n} more", names.length - shown.length)}
        </button>
      </li>`
    }
  </ul>`;
}

/** Return `{count, ranges: [[first, last, how many]], omitted}` in words. */
export function Ranges({ nodes }) {
  const words = nodes.ranges.map(([first, last, count]) => (count === 1 ? first : `${first} … ${last}`));
  return html`<p class="mono ranges">
    ${words.join(", ")}
    ${nodes.omitted > 0 && `, ${ngettext("and {n} more", "and {n} more", nodes.omitted)}`}
  </p>`;
}

/** Return on how many of the nodes evictions could help, which preemption uses. */
function evictingWord({ could, cannot }) {
  if (!cannot) return _("removing pods might help");
  if (!could) return _("removing pods would not help");
  return fill(_("removing pods might help on {could}, not on {cannot}"), {
    could: formatNumber(could),
    cannot: formatNumber(cannot),
  });
}

function Meaning({ branch }) {
  return branch.meaning ? html`<div class="meaning"><p>${translateSentence(branch.meaning)}.</p></div>` : null;
}

const isTypo = (fact) => fact.data?.compare?.some((line) => line.near);

/**
 * The first node of a reason, with the pod's side and the node's side. `onlyTypos`: only likely typos, which show
 * before the reason is unfolded.
 */
function ExampleNode({ name, plugin, moment, onlyTypos }) {
  const answer = answerOf(moment.record.cycle.number, "nodes", name).value;
  const failing =
    answer.state === "there"
      ? (answer.value.plugins.find((entry) => entry.plugin === plugin)?.facts ?? []).filter((fact) => fact.fails)
      : [];
  const facts = onlyTypos ? failing.filter(isTypo) : failing;
  if (!facts.length) return null;
  return html`<div class="such" data-such=${name}>
    <p class="quiet">
      ${_("such as")} <button type="button" class="link name" onClick=${() => pinNode(name)}>${name}</button>
    </p>
    <ul>${facts.map((fact, index) => html`<${Fact} key=${index} fact=${fact} />`)}</ul>
  </div>`;
}

/** `alone`: there is no other reason; `plugin`: the plugin of the reason. */
function Branch({ branch, moment, total, level = 1, alone = false, plugin = "" }) {
  const [open, setOpen] = useState(level === 1 && branch.kind === "plugin" && (alone || branch.children?.length === 1));
  const [mark, tone] = TONE[branch.kind] ?? ["unseen", "is-unseen"];
  const names = open ? nodeNames(branch, moment) : null;
  const unfolded = open || alone;
  // Where evictions could help, resources are short, so the cause is no typo.
  const such = plugin && (unfolded || !branch.evicting?.could) ? (names ?? nodeNames(branch, moment))?.[0] : undefined;
  const isLeaf = !branch.children?.length;
  const text = branch.reason && branch.kind === "reason" ? branch.reason : translateSentence(branch.text);
  const share = total && branch.count ? branch.count / total : 0;
  return html`<li class=${`branch b-${branch.kind}`} data-branch=${branch.kind}
    data-plugin=${branch.plugin || undefined}
  >
    <div class="row branch-row">
      <button type="button" class="reason-head" aria-expanded=${open} onClick=${() => setOpen(!open)}>
        ${icon(open ? "down" : "right", "quiet")} ${icon(mark, tone)}
        ${
          branch.kind === "reason" &&
          branch.count > 0 &&
          html`<b
          class="num reason-count">${formatNumber(branch.count)}</b>`
        }
        <span class="grow">
          <span class="reason-text">${text}</span>
          ${
            branch.kind === "reason" &&
            branch.evicting?.could !== undefined &&
            html`<span class="quiet block">${evictingWord(branch.evicting)}</span>`
          }
          ${
            share > 0 &&
            branch.kind !== "reason" &&
            html`<span class="bar">
              <i class=${tone === "is-rejected" ? "over" : tone === "is-pass" ? "fine" : ""}
                style=${{ width: `${share * 100}%` }}
              />
            </span>`
          }
        </span>
      </button>
      ${branch.plugin && branch.kind !== "reason" && html`<${GlossaryButton} kind="plugin" name=${branch.plugin} />`}
    </div>
    ${
      open &&
      html`<div class="branch-body">
        ${branch.kind !== "reason" && branch.reason && html`<p class="mono">${branch.reason}</p>`}
        <${Meaning} branch=${branch} />
        ${branch.reasons?.length > 0 && html`<p class="mono">${branch.reasons.join(", ")}</p>`}
        ${
          !isLeaf &&
          html`<ul>
            ${branch.children.map(
              (child, index) => html`<${Branch} key=${index} branch=${child} moment=${moment} total=${total}
                level=${level + 1} alone=${alone && branch.children.length === 1} plugin=${branch.plugin}
              />`,
            )}
          </ul>`
        }
        ${isLeaf && names && html`<${Names} names=${names} />`}
        ${isLeaf && !names && branch.nodes && html`<${Ranges} nodes=${branch.nodes} />`}
      </div>`
    }
    ${such && html`<${ExampleNode} name=${such} plugin=${plugin} moment=${moment} onlyTypos=${!unfolded} />`}
  </li>`;
}

/** `tree`: the answer of `reasons/`. PostFilter has its own view. */
export function ReasonTree({ tree, moment }) {
  const branches = tree.children.filter((branch) => branch.kind !== "postFilter");
  return html`<ul class="reasons tree" aria-label=${_("Reasons")}>
    ${branches.map(
      (branch, index) => html`<${Branch} key=${`${branch.kind} ${branch.plugin ?? index}`} branch=${branch}
        moment=${moment} total=${tree.count} alone=${branches.length === 1}
      />`,
    )}
  </ul>`;
}
