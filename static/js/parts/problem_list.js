/** Problems by document and path. */
import { html } from "../../vendor/preact.js";
import { problemText } from "../base/api.js";
import { _, ngettext, fill } from "../base/i18n.js";
import { icon } from "./icon.js";

const LISTED_PROBLEMS = 100;

function placeText({ file, document: number, line }) {
  const parts = file ? [file] : [];
  if (number !== undefined && number !== null) parts.push(fill(_("document {n}"), { n: number }));
  if (line !== undefined && line !== null) parts.push(fill(_("line {n}"), { n: line }));
  return parts.join(", ");
}

/** `problems`: as the API returns them; `onPick(problem)` if the user can jump to a problem. */
export function ProblemList({ problems, onPick }) {
  if (!problems?.length) return null;
  return html`<div class="problem-box" role="alert">
    <p class="is-rejected"><b>${ngettext("{n} problem", "{n} problems", problems.length)}</b></p>
    <ul class="problems scroll" tabindex="0" aria-label=${_("Problems")}>
      ${problems.slice(0, LISTED_PROBLEMS).map(
        (problem, index) => html`<li key=${index}>
          ${icon("rejected", "is-rejected")}
          <span class="grow">
            ${
              placeText(problem) &&
              (onPick && problem.line
                ? html`<button type="button" class="link"
                  onClick=${() => onPick(problem)}>${placeText(problem)}</button>`
                : html`<b>${placeText(problem)}</b>`)
            } <span class="mono">${problemText(problem)}</span>
          </span>
        </li>`,
      )}
    </ul>
    ${
      problems.length > LISTED_PROBLEMS &&
      html`<p class="quiet">${ngettext("and {n} more", "and {n} more", problems.length - LISTED_PROBLEMS)}</p>`
    }
  </div>`;
}
