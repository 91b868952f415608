/** The repairs of a pod as they are found, best first, each with its side effects. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { appliedRepair, appliedTo } from "./applied_repair.js";
import {
  applyRepair,
  cancelRepairs,
  copyKubectl,
  findRepairs,
  openRepair,
  search,
  undoRepair,
  requestedPod,
} from "./repair_actions.js";
import { hover } from "../cycle/selection.js";
import { mayEdit } from "../access/allowed.js";
import { translateSentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { RepairCosts } from "./repair_costs.js";
import { AppliedRepairCard } from "./applied_repair_card.js";
import { kubectlOf } from "./repair_names.js";
import { claimMeaning, claimWord } from "./repair_claims.js";

/** A shell line that wraps between words; browsers also break after the first hyphen of an option. */
const Command = ({ line }) =>
  html`<code>${line.split(" ").map((word, at) => html`${at > 0 && " "}<span key=${at}>${word}</span>`)}</code>`;

/** The changes before → after: the pod itself, then others. */
function Difference({ pod, repair }) {
  const { side_effects: effects } = repair;
  return html`<dl class="repair-after" data-after>
    <dt class="mono">${podName(pod)}</dt>
    <dd>
      <span class="is-rejected">${_("pending")}</span> → <span class="is-chosen">
        ${icon("chosen", "is-chosen")} ${repair.node}
      </span>
    </dd>
    ${effects.map(
      (effect, index) => html`
        <dt key=${`dt${index}`} class="mono">${effect.pod ? podName(effect.pod) : "…"}</dt>
        <dd key=${`dd${index}`}>${translateSentence(effect.what)}</dd>
      `,
    )}
    ${
      !effects.length &&
      html`<dt class="quiet">${_("all other Pods")}</dt><dd class="quiet">${_("stay on their nodes")}</dd>`
    }
  </dl>`;
}

function Actions({ pod, repair }) {
  const done = appliedRepair.value?.repair === repair;
  const busy = Boolean(store.busy.value);
  if (!mayEdit.value)
    return html`<p class="row">
      <button type="button" class="btn small" onClick=${() => copyKubectl(repair)}>${_("Copy kubectl")}</button>
    </p>`;
  return html`<p class="row repair-actions">
    ${
      done
        ? html`
          <span class="is-pass">${icon("pass", "is-pass")} ${_("Applied")}</span>
          <button type="button" class="btn small" disabled=${busy} onClick=${undoRepair}>
            ${icon("undo")} ${_("Undo")}
          </button>
        `
        : html`
          <button type="button" class="btn small primary" disabled=${busy} onClick=${() => applyRepair(pod, repair)}>
            ${_("Apply")}
          </button>
          <button type="button" class="btn small" disabled=${busy} onClick=${() => openRepair(pod, repair)}>
            ${_("Open as a branch")}
          </button>
        `
    }
    <button type="button" class="btn small" onClick=${() => copyKubectl(repair)}>${_("Copy kubectl")}</button>
  </p>`;
}

function Repair({ pod, repair, open, choose }) {
  const point = () => hover({ node: repair.node });
  const leave = () => hover({ node: null });
  return html`<li class=${`repair ${open ? "on" : ""}`} data-repair=${repair.claim} onPointerEnter=${point}
    onPointerLeave=${leave}
  >
    <button type="button" class="reason-head" aria-expanded=${open} onClick=${choose} onFocus=${point} onBlur=${leave}>
      ${icon(open ? "down" : "right", "quiet")}
      <span class="grow">
        ${repair.edits.map(
          (edit, index) =>
            html`<span key=${index} class="block repair-edit">${translateSentence(edit.sentence)}</span>`,
        )}
        <span class="repair-marks">
          <span class="tag is-pass"
            title=${_("Verified: the scheduler placed the Pod in two test runs.")}
          >✓ ${fill(_("verified on {node}"), { node: repair.node })}</span>
          <span class="tag" title=${claimMeaning(repair.claim)}>${claimWord(repair.claim)}</span>
          <span class="quiet num">${fill(_("cost {n}"), { n: formatNumber(repair.cost) })}</span>
        </span>
      </span>
    </button>
    ${
      open &&
      html`<div class="repair-body">
        ${repair.edits.map(
          (edit, index) => edit.note && html`<p key=${index} class="quiet">${translateSentence(edit.note)}.</p>`,
        )}
        <pre class="mono scroll" tabindex="0" aria-label="kubectl">
          ${kubectlOf(repair)
            .split("\n")
            .map((line, index) => html`<${Command} key=${index} line=${line} />`)}
        </pre>
        ${
          store.cluster.value?.actors?.length > 0 &&
          repair.edits.some((edit) => edit.note?.args.owner) &&
          html`<p class="quiet" data-alone>
            ${_("Controllers are running. Apply recreates only this Pod; its owner's template does not change.")}
          </p>`
        }
        <${Difference} pod=${pod} repair=${repair} />
        <${Actions} pod=${pod} repair=${repair} />
      </div>`
    }
  </li>`;
}

/** Return the progress of the search in a line, and what a search without results tried. */
function progressText({ state, value }) {
  if (!value) return _("Searching");
  const { searched, repairs, seconds } = value;
  const text = fill(_("{found} found · {tried} tried · {seconds} s"), {
    found: formatNumber(repairs.length),
    tried: formatNumber(searched.sets + searched.looks),
    seconds: formatNumber(Math.round(seconds * 10) / 10),
  });
  if (state === "asking") return `${text} · ${_("searching")}`;
  return value.exhaustive ? `${text} · ${_("search complete")}` : text;
}

function SearchResult({ pod, shownSearch }) {
  const { state, value, error } = shownSearch;
  const [chosen, setChosen] = useState(0);
  const repairs = value?.repairs ?? [];
  if (state === "failed") {
    return html`<div class="card" role="alert">
      <p>${error.message}</p>
      <p><button type="button" class="btn small" onClick=${() => findRepairs(pod)}>${_("Run again")}</button></p>
    </div>`;
  }
  const over = state !== "asking";
  const stale =
    shownSearch.cycle === null && !appliedRepair.value && store.cluster.value?.revision !== shownSearch.revision;
  return html`
    <p class="quiet row" role="status">
      <span class="grow">${value?.why ? "" : progressText(shownSearch)}</span>
      ${!over && html`<button type="button" class="link" onClick=${() => cancelRepairs()}>${_("Cancel")}</button>`}
      ${
        over &&
        html`<button type="button" class="link" onClick=${() => findRepairs(pod)}>
          ${stale ? _("The cluster has changed. Search again.") : _("Search again")}
        </button>`
      }
    </p>
    ${value?.why && html`<p data-why>${translateSentence(value.why)}.</p>`}
    ${
      repairs.length > 0 &&
      html`<ol class="repairs">
        ${repairs.map(
          (repair, index) => html`<${Repair} key=${index} pod=${pod} repair=${repair} open=${index === chosen}
            choose=${() => setChosen(index === chosen ? -1 : index)}
          />`,
        )}
      </ol>`
    }
    ${
      over &&
      value &&
      !value.why &&
      !repairs.length &&
      html`<p data-none>
        ${
          value.exhaustive
            ? fill(
                _(
                  "No known change makes the Pod fit. The search tried {tried} changes on {nodes} nodes. It " +
                    "excluded locked objects and forbidden changes.",
                ),
                { tried: formatNumber(value.searched.sets), nodes: formatNumber(value.searched.nodes) },
              )
            : fill(_("The search found no fix in time. It tried {tried} changes on {nodes} nodes."), {
                tried: formatNumber(value.searched.sets),
                nodes: formatNumber(value.searched.nodes),
              })
        }
      </p>`
    }
    ${
      value?.searched.unproven > 0 &&
      html`<p class="quiet">
        ${ngettext(
          "{n} rejected: another Pod would take the freed space",
          "{n} rejected: other Pods would take the freed space",
          value.searched.unproven,
        )}
      </p>`
    }
    ${mayEdit.value && html`<${RepairCosts} />`}
  `;
}

/** The repairs of a waiting pod: the button, then the results. */
export function Repairs({ pod, placed = false }) {
  const current = search.value;
  const ownSearch = current?.pod === pod && current.cluster === store.cluster.value?.id ? current : null;
  const done = appliedTo(pod);
  useEffect(() => () => search.peek()?.state === "asking" && cancelRepairs(), [pod]);
  const isWanted = !placed && requestedPod.value === pod;
  useEffect(() => {
    if (!isWanted) return;
    requestedPod.value = null;
    findRepairs(pod);
  }, [isWanted]);
  if (placed)
    return (
      done &&
      html`<section class="make-it-fit" aria-label=${_("What would make it fit?")}>
        <${AppliedRepairCard} repair=${done} />
      </section>`
    );
  return html`<section class="make-it-fit" data-repairs=${ownSearch?.state ?? "unasked"}
    aria-label=${_("What would make it fit?")}
  >
    ${
      ownSearch
        ? html`<h3>${_("What would make it fit?")}</h3><${SearchResult} key=${pod} pod=${pod}
          shownSearch=${ownSearch} />`
        : html`<p>
          <button type="button" class="btn" onClick=${() => findRepairs(pod)}>${_("What would make it fit?")}</button>
        </p>`
    }
  </section>`;
}
