/** The list of lessons; each answers a question of real users. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { arrive } from "./lesson_state.js";
import { lessons, loadLessons, startLesson } from "./lesson_progress.js";
import { reportError } from "../base/notices.js";
import { progressWords } from "./lesson.js";
import { LessonMap } from "./lesson_map.js";
import { Dialog } from "../parts/dialog.js";
import { closeDialog } from "../base/screen.js";

const levelText = (n) => [_("beginner"), _("intermediate"), _("expert")][n - 1];
const ISSUES = "https://github.com/kubernetes/kubernetes/issues/";

/** Go from the map to a lesson in the list and focus its first action. */
function goToRow(slug) {
  const row = document.getElementById(`lesson-${slug}`);
  row.scrollIntoView({ block: "center" });
  row.querySelector("button").focus({ preventScroll: true });
}

function Solved({ rows }) {
  const solved = rows.filter((row) => row.solved).length;
  const minutes = rows.reduce((sum, row) => sum + (row.solved ? 0 : row.minutes), 0);
  return html`<p class="lesson-standing">
    <b>${fill(_("{n} of {all} solved"), { n: solved, all: rows.length })}</b>
    ${
      minutes > 0 &&
      html`<span class="quiet">${ngettext("about {n} minute left", "about {n} minutes left", minutes)}</span>`
    }
    ${solved > 0 && html`<a href="/certificate/" target="_blank" rel="noopener">${_("Certificate to print")}</a>`}
  </p>`;
}

function Row({ row, busy, start }) {
  const begun = row.cluster !== null && row.done < row.total;
  const continueRow = () => openCluster(row.cluster).then(() => (closeDialog(), arrive()), reportError);
  return html`<li class="lesson-row" id=${`lesson-${row.slug}`}>
    <div class="grow">
      <h3>${row.title}</h3>
      <p class="lesson-question">${row.question}</p>
      <p class="quiet">
        ${levelText(row.level)} · ${ngettext("{n} minute", "{n} minutes", row.minutes)} · ${row.emulates.split(" ")[0]}
        ${row.issues.map(
          (number) => html` · <a key=${number} href=${`${ISSUES}${number}`} target="_blank" rel="noopener noreferrer">
            #
            ${number}
          </a>`,
        )}
        ${begun && html` · ${progressWords(row)}`}
        ${row.solved && html` · <span class="is-pass">✓ ${_("done")}</span>`}
      </p>
    </div>
    ${begun && html`<button type="button" class="btn primary" onClick=${continueRow}>${_("Continue")}</button>`}
    <button type="button" class="btn" disabled=${busy} onClick=${() => start(row.slug)}
      aria-label=${fill(_("Start: {title}"), { title: row.title })}
    >${row.cluster === null ? _("Start") : _("Start again")}</button>
  </li>`;
}

export function LessonsDialog() {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    loadLessons().catch(reportError);
  }, []);
  const start = (slug) => {
    setBusy(true);
    startLesson(slug).then(
      () => (closeDialog(), arrive()),
      (error) => (reportError(error), setBusy(false)),
    );
  };
  const all = lessons.value;
  return html`<${Dialog} title=${_("Lessons")} wide="full">
    <p>${_("Each lesson has its own cluster. You predict first, and the engine checks your answers.")}</p>
    ${!all && html`<p class="quiet">${_("Loading…")}</p>`}
    ${all && html`<${Solved} rows=${all} /><${LessonMap} rows=${all} pick=${goToRow} />`}
    <ol class="lesson-list">
      ${(all ?? []).map((row) => html`<${Row} key=${row.slug} row=${row} busy=${busy} start=${start} />`)}
    </ol>
  <//>`;
}
