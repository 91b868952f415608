/** The progress of a comparison: a bar for all, a line per side with a mark per seed, and lost workers. */
import { html } from "../../vendor/preact.js";
import { isFinished } from "./comparison_actions.js";
import { sideLetter, stateWord } from "./comparison_model.js";
import { formatDuration } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { verdictMark } from "../parts/icon.js";
import { ProblemList } from "../parts/problem_list.js";

const MARKS = { queued: "idle", running: "candidate", done: "pass", failed: "error", cancelled: "skipped" };

function progressText(comparison) {
  const { runs } = comparison;
  const done = runs.filter((run) => run.state === "done").length;
  const counted = fill(_("{done} of {all} runs done"), { done: formatNumber(done), all: formatNumber(runs.length) });
  if (comparison.state === "cancelled") return `${_("Canceled")}: ${counted}`;
  if (comparison.state === "failed") return `${_("Failed")}: ${counted}`;
  return counted;
}

export function CompareProgress({ comparison }) {
  const runs = comparison.runs ?? [];
  if (!runs.length) return html`<p class="quiet">${_("Loading…")}</p>`;
  const percent = Math.floor(comparison.progress * 100);
  const lost = runs.find((run) => run.lease?.lost);
  const problems = runs.flatMap((run) => run.problems);
  const working = runs.filter((run) => run.state === "running");
  const over = isFinished(comparison);
  return html`<section class="compare-progress" aria-label=${_("Progress")}>
    <div class="row">
      <b>${progressText(comparison)}</b>
      <span class="grow" />
      ${
        !over &&
        html`<span class="quiet">${ngettext("{n} worker process", "{n} worker processes", working.length)}</span>`
      }
      <span>${percent} %</span>
    </div>
    ${
      !over &&
      html`<div class="bar tall" role="progressbar" aria-label=${_("Progress of the comparison")} aria-valuemin="0"
        aria-valuemax="100" aria-valuenow=${percent}
      ><i class="add" style=${{ width: `${comparison.progress * 100}%` }} /></div>`
    }
    ${
      lost &&
      html`<p class="is-waiting" role="status">
        ${fill(_("A worker stopped; another takes over in {time}."), { time: formatDuration(lost.lease.expires_in) })}
      </p>`
    }
    ${
      !over &&
      html`<ul class="run-lines">
        ${comparison.sides.map(
          (side, index) => html`<li key=${index} class="row">
            <b class=${`side-letter side-${index}`}>${sideLetter(index)}</b> <span class="cut">${side.label}</span>
            <span class="grow" />
            ${runs
              .filter((run) => run.side === index)
              .map((run) => {
                const cycles = run.total ? `, ${formatNumber(run.cycles)} / ${formatNumber(run.total)}` : "";
                const text = `${fill(_("seed {seed}"), { seed: run.seed })}: ${stateWord(run.state)}${cycles}`;
                return html`<span key=${run.seed} class="run-mark" title=${text}>
                  ${verdictMark(MARKS[run.state])}
                  <span class="sr">${text}</span>
                  ${
                    run.state === "running" &&
                    html`<span class="quiet"
                      aria-hidden="true">${formatNumber(run.cycles)} / ${formatNumber(run.total)}</span>`
                  }
                </span>`;
              })}
          </li>`,
        )}
      </ul>`
    }
    <${ProblemList} problems=${problems} />
  </section>`;
}
