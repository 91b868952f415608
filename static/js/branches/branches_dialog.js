/** The dialog of branches: switch, rename, delete, and compare one with the branch on the screen. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { confirmDeleteBranch, branches, compareWith, forkHere, loadBranches, renameBranch } from "./branches.js";
import { openCluster } from "../clusters/clusters.js";
import { goToCycle } from "../cycle/playback.js";
import { formatClock, podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { laneWord, outcomeWord } from "../cycle/cycle_texts.js";
import { listTree, forkText } from "./branch_items.js";
import { Dialog } from "../parts/dialog.js";

const placeText = (where) => (where ? (where.node ?? laneWord(where.lane)) : _("missing"));
const outcomeText = (cycle) =>
  cycle ? `${podName(cycle.pod)}: ${cycle.node ?? outcomeWord(cycle.outcome)}` : _("no such cycle");

/** The cycle where two branches diverge, and the pods that differ now. */
function Difference({ other }) {
  const [difference, setDifference] = useState(null);
  useEffect(() => {
    setDifference(null);
    compareWith(other.id).then(setDifference, reportError);
  }, [other.id]);
  const here = store.cluster.value.name;
  if (!difference) return html`<p class="quiet">${_("Comparing")}</p>`;
  const { divergence, moved, moved_total: total } = difference;
  return html`<section class="difference" aria-label=${fill(_("Compared with {name}"), { name: other.name })}>
    <h3>${fill(_("{a} and {b}"), { a: here, b: other.name })}</h3>
    <p>
      ${
        divergence
          ? html`
            ${
              divergence.cycle > 1 && fill(_("Identical up to cycle {n}."), { n: formatNumber(divergence.cycle - 1) })
            } ${fill(_("First difference: cycle {n}."), {
              n: formatNumber(divergence.cycle),
            })} ${here}: <b class="mono">${outcomeText(divergence.a)}</b> · ${other.name}: <b
              class="mono">${outcomeText(divergence.b)}</b>.
            <button type="button" class="link" onClick=${() => (closeDialog(), goToCycle(divergence.cycle))}>
              ${_("Go to the cycle")}
            </button>
          `
          : _("All cycles are the same.")
      }
    </p>
    ${
      (total > 0 || divergence) &&
      html`<p class="quiet">
        ${ngettext("{n} Pod on a different node", "{n} Pods on a different node", total)}
        ${moved.length < total ? ` (${fill(_("the first {n} are listed"), { n: formatNumber(moved.length) })})` : ""}
      </p>`
    }
    ${
      moved.length > 0 &&
      html`<div class="scroll" tabindex="0">
        <table class="plain">
          <thead><tr><th>${_("Pod")}</th><th>${here}</th><th>${other.name}</th></tr></thead>
          <tbody>
            ${moved.map(
              (row) => html`<tr key=${row.pod}>
                <td class="mono">${podName(row.pod)}</td>
                <td class="mono">${placeText(row.a)}</td>
                <td class="mono">${placeText(row.b)}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
  </section>`;
}

function Row({ branch, depth, comparing, onCompare }) {
  const [name, setName] = useState(null);
  const open = branch.id === store.cluster.value.id;
  const rename = (event) => {
    event.preventDefault();
    const newName = name.trim();
    setName(null);
    if (newName && newName !== branch.name) renameBranch(branch.id, newName);
  };
  return html`<li class="branch" style=${{ paddingLeft: `${depth * 18}px` }} aria-current=${open ? "true" : undefined}>
    ${
      name === null
        ? html`<b class="cut grow">${branch.name}</b>`
        : html`<form class="row grow" onSubmit=${rename}>
          <input type="text" class="small grow" aria-label=${_("New name")} maxlength="100" value=${name}
            onInput=${(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="btn small">${_("Rename")}</button>
        </form>`
    }
    <span class="quiet">
      ${forkText(branch)} · ${fill(_("at cycle {n}"), { n: formatNumber(branch.cycle) })} · ${formatClock(branch.t)}
    </span>
    ${
      open
        ? html`<span class="quiet">${_("in view")}</span>`
        : html`
          <button type="button" class="btn small"
            onClick=${() => (closeDialog(), openCluster(branch.id).catch(() => {}))}
          >${_("Switch")}</button>
          <button type="button" class="btn small" aria-pressed=${comparing} onClick=${onCompare}>
            ${_("Compare")}
          </button>
        `
    }
    ${
      name === null &&
      html`<button type="button" class="btn small bare" onClick=${() => setName(branch.name)}>${_("Rename")}</button>`
    }
    <button type="button" class="btn small bare" onClick=${() => confirmDeleteBranch(branch)}>${_("Delete")}</button>
  </li>`;
}

export function BranchesDialog({ compare = false }) {
  const all = branches.value;
  const current = store.cluster.value.id;
  const [other, setOther] = useState(compare ? (all.find((branch) => branch.id !== current)?.id ?? null) : null);
  const shown = all.find((branch) => branch.id === other);
  useEffect(() => void loadBranches().catch(reportError), []);
  const foot = html`
    <button type="button" class="btn" onClick=${() => (closeDialog(), forkHere())}>${_("Fork here")}</button>
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${_("Branches")} wide foot=${foot}>
    <ul class="branch-list">
      ${listTree(all).map(
        ({ branch, depth }) => html`<${Row} key=${branch.id} branch=${branch} depth=${depth}
          comparing=${branch.id === other} onCompare=${() => setOther(branch.id)}
        />`,
      )}
    </ul>
    ${shown && html`<${Difference} key=${shown.id} other=${shown} />`}
    ${
      all.length < 2 &&
      html`<p class="quiet">
        ${_(
          "A branch is a copy of the cluster from one cycle on. The original cluster does not change. Go " +
            "to a cycle and fork there.",
        )}
      </p>`
    }
  <//>`;
}
