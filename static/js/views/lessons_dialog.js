/** The lessons there are: each built around a question that users really ask. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { openCluster } from "../actions/clusters.js";
import { _, fill, ngettext } from "../i18n.js";
import { arrive } from "../lesson.js";
import { lessons, loadLessons, startLesson } from "../lesson_walk.js";
import { report } from "../notices.js";
import { progressWords } from "./lesson.js";
import { closeDialog, Dialog } from "./parts/dialog.js";

const level = (n) => [_("for a start"), _("for the curious"), _("for experts")][n - 1];
const ISSUES = "https://github.com/kubernetes/kubernetes/issues/";

function Row({ row, busy, start }) {
  const begun = row.cluster !== null && row.done < row.total;
  const go = () => openCluster(row.cluster).then(() => (closeDialog(), arrive()), report);
  return html`<li class="lesson-row">
    <div class="grow">
      <h3>${row.title}</h3>
      <p class="lesson-question">${row.question}</p>
      <p class="quiet">${level(row.level)} · ${ngettext("{n} minute", "{n} minutes", row.minutes)}
        ${row.issues.map((number) => html` · <a key=${number} href=${`${ISSUES}${number}`} target="_blank" rel="noopener noreferrer">#${number}</a>`)}
        ${begun && html` · ${progressWords(row)}`}${row.cluster !== null && !begun && html` · <span class="is-pass">✓ ${_("done")}</span>`}</p>
    </div>
    ${begun && html`<button type="button" class="btn primary" onClick=${go}>${_("Continue")}</button>`}
    <button type="button" class="btn" disabled=${busy} onClick=${() => start(row.slug)} aria-label=${fill(_("Start: {title}"), { title: row.title })}>${row.cluster === null ? _("Start") : _("Start again")}</button>
  </li>`;
}

export function LessonsDialog() {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    loadLessons().catch(report);
  }, []);
  const start = (slug) => {
    setBusy(true);
    startLesson(slug).then(() => (closeDialog(), arrive()), (error) => (report(error), setBusy(false)));
  };
  const all = lessons.value;
  return html`<${Dialog} title=${_("Lessons")} wide>
    <p>${_("Each lesson has a cluster of its own. It asks before it tells, and the engine checks the answers.")}</p>
    ${!all && html`<p class="quiet">${_("Loading…")}</p>`}
    <ol class="lesson-list">${(all ?? []).map((row) => html`<${Row} key=${row.slug} row=${row} busy=${busy} start=${start} />`)}</ol>
  <//>`;
}
