/** The live re-run: the result of the cycle on the screen with the draft. */
import { html, signal } from "../../vendor/preact.js";
import { rerun } from "./live_rerun.js";
import { profile } from "./profile_actions.js";
import { pinNode } from "../cycle/selection.js";
import { problemText } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { icon } from "../parts/icon.js";

const isOpen = signal(false);
const formatSigned = (value) => (value > 0 ? `+${formatNumber(value)}` : value < 0 ? `−${formatNumber(-value)}` : "0");
const formatPoints = (value) => (value === null ? "–" : formatNumber(value));

/** The winner, in one line. */
function Outcome({ before, after }) {
  if (after.node && after.node === before.node)
    return html`<b class="is-chosen">${icon("chosen")} ${fill(_("{node} still wins"), { node: after.node })}</b>`;
  if (after.node && before.node) {
    return html`<b class="is-chosen" data-winner=${after.node}>
      ${icon("chosen")} ${fill(_("{node} would win"), { node: after.node })}
    </b> <span class="quiet">${fill(_("instead of {node}"), { node: before.node })}</span>`;
  }
  if (after.node)
    return html`<b class="is-chosen" data-winner=${after.node}>
      ${icon("chosen")} ${fill(_("{node} would win"), { node: after.node })}
    </b> <span class="quiet">${_("instead of none")}</span>`;
  const text = before.node
    ? fill(_("no node would fit; the current choice is {node}"), { node: before.node })
    : _("still no node fits");
  return html`<b class="is-rejected">${icon("rejected")} ${text}</b> ${
    after.nominated &&
    html`<span class="quiet">${fill(_("{node} would be nominated"), { node: after.nominated })}</span>`
  }`;
}

function Counts({ answer }) {
  const { moved, passes, fails } = answer;
  if (!moved && !passes.count && !fails.count)
    return html`<p class="effect-counts quiet">${_("no score changed, the same nodes pass")}</p>`;
  return html`<p class="effect-counts">
    ${moved > 0 && html`<span>${ngettext("{n} score changed", "{n} scores changed", moved)}</span>`}
    ${
      passes.count > 0 &&
      html`<span class="is-pass">${icon("pass")} ${ngettext("{n} passes now", "{n} pass now", passes.count)}</span>`
    }
    ${
      fails.count > 0 &&
      html`<span class="is-rejected">
        ${icon("rejected")} ${ngettext("{n} fails now", "{n} fail now", fails.count)}
      </span>`
    }
  </p>`;
}

/** The leading nodes with their totals, and in a wide panel the points of every changed plugin. */
function Nodes({ answer }) {
  const moved = answer.plugins
    .map((plugin, index) => ({ ...plugin, index }))
    .filter((plugin) => plugin.moved || plugin.before !== plugin.after);
  const wide = profile.large.value ? moved : [];
  if (!answer.nodes.length) return html`<p class="quiet">${_("Nothing was scored, before or now.")}</p>`;
  return html`
    <div class="scroll effect-table" tabindex="0" role="region" aria-label=${_("Scores under the draft")}>
      <table class="plain">
        <thead>
          <tr>
            <th>${_("Node")}</th>
            <th class="num">${_("now")}</th>
            <th class="num">${_("draft")}</th>
            <th class="num">Δ</th>
            ${wide.map(({ plugin }) => html`<th key=${plugin} class="num">${plugin}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${answer.nodes.map((row) => {
            const delta = row.before !== null && row.after !== null ? row.after - row.before : null;
            const mark =
              row.node === answer.after.node
                ? icon("chosen", "is-chosen")
                : row.node === answer.before.node
                  ? icon("candidate", "quiet")
                  : html`<i class="mark" />`;
            return html`<tr key=${row.node}>
              <td>
                <button type="button" class="link name" onClick=${() => pinNode(row.node)}>${mark} ${row.node}</button>
              </td>
              <td class="num">${formatPoints(row.before)}</td>
              <td class="num"><b>${formatPoints(row.after)}</b></td>
              <td class="num">${delta === null ? "–" : formatSigned(delta)}</td>
              ${wide.map(
                ({ plugin, index }) => html`<td key=${plugin} class="num">
                  ${formatPoints(row.points[index][0])} → ${formatPoints(row.points[index][1])}
                </td>`,
              )}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
    ${
      answer.omitted > 0 &&
      html`<p class="quiet small">${ngettext("{n} more scored node", "{n} more scored nodes", answer.omitted)}</p>`
    }
    ${
      moved.length > 0 &&
      html`<ul class="effect-plugins">
        ${moved.map(
          ({ plugin, before, after, moved: nodes }) => html`<li key=${plugin}>
            <span class="mono">${plugin}</span>
            <span>
              ${
                before === after
                  ? `×${before}`
                  : `${before === null ? _("off") : `×${before}`} → ${after === null ? _("off") : `×${after}`}`
              }
            </span>
            <span class="quiet">${ngettext("{n} node", "{n} nodes", nodes)}</span>
          </li>`,
        )}
      </ul>`
    }
  `;
}

function VerdictChanges({ title, change, mark }) {
  if (!change.count) return null;
  const more = change.count - change.nodes.length;
  return html`
    <h4>${icon(mark, `is-${mark}`)} ${title}</h4>
    <ul class="effect-nodes">
      ${change.nodes.map(
        (entry) => html`<li key=${entry.node}>
          <button type="button" class="link name" onClick=${() => pinNode(entry.node)}>${entry.node}</button>
          <span class="quiet">${entry.plugin}: ${entry.reasons.join(", ")}</span>
        </li>`,
      )}
      ${more > 0 && html`<li class="quiet">${ngettext("and {n} more", "and {n} more", more)}</li>`}
    </ul>
  `;
}

/** `from`: the signal of the result; by default that of the profile's draft. */
export function RerunResult({ from = rerun }) {
  const { state, answer, problems, took } = from.value;
  if (state === "none") return null;
  const about = answer?.cycle
    ? fill(_("cycle {n} · {pod}"), { n: answer.cycle, pod: podName(answer.pod) })
    : fill(_("next · {pod}"), { pod: podName(answer?.pod) });
  const toggle = () => (isOpen.value = !isOpen.peek());
  return html`<section class=${`effect ${state === "there" ? "" : "stale"}`} aria-label=${_("Live re-run")}
    data-state=${state}
  >
    <div class="row">
      <h3 class="caps">${_("Live re-run")}</h3>
      <span class="mono quiet cut grow">${answer ? about : ""}</span>
      <span class="quiet small">
        ${state === "asking" ? _("running") : state === "there" ? fill(_("{n} ms"), { n: Math.round(took) }) : ""}
      </span>
    </div>
    ${
      state === "refused" &&
      html`<p class="quiet small">
        ${
          problems.length && (from !== rerun || profile.check.value?.ok !== false)
            ? problems.map(problemText).join("; ")
            : answer
              ? _("The draft has problems. This result is for the last draft that could run.")
              : _("The draft has problems and cannot run. Fix them first.")
        }
      </p>`
    }
    ${
      answer &&
      html`
        <p class="effect-outcome" role="status"><${Outcome} before=${answer.before} after=${answer.after} /></p>
        <div class="row">
          <${Counts} answer=${answer} />
          <span class="grow" />
          <button type="button" class="link" aria-expanded=${isOpen.value} onClick=${toggle}>
            ${isOpen.value ? _("Hide nodes") : _("Show nodes")}
          </button>
        </div>
        ${
          isOpen.value &&
          html`<div class="effect-detail">
            <${Nodes} answer=${answer} />
            <${VerdictChanges} title=${_("Would pass now; previous reasons:")} change=${answer.passes} mark="pass" />
            <${VerdictChanges} title=${_("Would fail now")} change=${answer.fails} mark="rejected" />
          </div>`
        }
      `
    }
  </section>`;
}
