/** The map of lessons: prerequisites and progress. Lessons stand in columns, after all their prerequisites. */
import { html } from "../../vendor/preact.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { nextLesson } from "./lesson_progress.js";
import { icon } from "../parts/icon.js";

/** Return `at`: {slug: {x, y}}, both from 0 to 1, the center of each lesson; `most` is the largest column. */
function placeLessons(rows) {
  const columns = [];
  const depth = {};
  for (const row of rows) {
    depth[row.slug] = Math.max(-1, ...row.after.map((slug) => depth[slug] ?? -1)) + 1;
    (columns[depth[row.slug]] ??= []).push(row);
  }
  const at = {};
  // Sort a column by the position of its prerequisites, so that fewer lines cross.
  const averageY = (row) => row.after.reduce((sum, slug) => sum + (at[slug]?.y ?? 0.5), 0) / (row.after.length || 1);
  columns.forEach((column, x) => {
    const sorted = column.map((row) => [averageY(row), row]).sort(([a], [b]) => a - b);
    sorted.forEach(([, row], y) => {
      at[row.slug] = { x: (x + 0.5) / columns.length, y: (y + 0.5) / column.length };
    });
  });
  return { at, columns: columns.length, most: Math.max(...columns.map((column) => column.length)) };
}

const isBegun = (row) => !row.solved && row.cluster !== null && row.done > 0;
const progressOf = (row, next) =>
  row.solved ? "solved" : isBegun(row) ? "begun" : row.slug === next ? "next" : "later";
const MARKS = { solved: "pass", begun: "waiting", next: "right", later: "idle" };

function progressText(row, next) {
  const words = { solved: _("solved"), begun: fill(_("{done} of {total} done"), row), next: _("recommended next") };
  return words[progressOf(row, next)] ?? "";
}

function Way({ from, to, isSolved }) {
  const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map((part) => part * 100);
  const middle = (x1 + x2) / 2;
  return html`<path class=${isSolved ? "solved" : ""} d=${`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
    vector-effect="non-scaling-stroke"
  />`;
}

function Place({ row, position, next, pick }) {
  const words = progressText(row, next);
  const minutes = ngettext("{n} minute", "{n} minutes", row.minutes);
  return html`<li style=${`left:${position.x * 100}%;top:${position.y * 100}%`}>
    <button type="button" class=${`lesson-place ${progressOf(row, next)}`} onClick=${() => pick(row.slug)}
      aria-label=${[row.title, minutes, words].filter(Boolean).join(", ")}
    >
      ${icon(MARKS[progressOf(row, next)])}
      <span class="lesson-place-title">${row.title}</span>
      <span class="quiet num">${words || minutes}</span>
    </button>
  </li>`;
}

/** `pick(slug)` opens a lesson of the list below. */
export function LessonMap({ rows, pick }) {
  const { at, columns, most } = placeLessons(rows);
  const next = nextLesson(rows)?.slug ?? null;
  const solved = rows.filter((row) => row.solved);
  const ways = rows.flatMap((row) => row.after.map((slug) => ({ from: slug, to: row.slug })));
  const isSolved = (slug) => solved.some((row) => row.slug === slug);
  return html`<nav class="lesson-map" aria-label=${_("Map of lessons")} style=${`--rows:${most};--columns:${columns}`}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      ${ways.map(
        (way) => html`<${Way} key=${`${way.from} ${way.to}`} from=${at[way.from]} to=${at[way.to]}
          isSolved=${isSolved(way.from)}
        />`,
      )}
    </svg>
    <ol>
      ${rows.map(
        (row) => html`<${Place} key=${row.slug} row=${row} position=${at[row.slug]} next=${next}
        pick=${pick} />`,
      )}
    </ol>
  </nav>`;
}
