/** The compare dialog: choose sides, seeds and the moment, then follow the runs and see the results. */
import { html, useEffect } from "../../vendor/preact.js";
import { compare, isFinished, closeComparison, loadComparisons, cancelComparison } from "./comparison_actions.js";
import { _ } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { CompareProgress } from "./comparison_progress.js";
import { CompareResult } from "./comparison_result.js";
import { CompareSetup } from "./comparison_setup.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";

export function CompareDialog() {
  useEffect(() => {
    closeComparison();
    compare.saved.value = null;
    compare.refused.value = [];
    loadComparisons().catch(reportError);
    return closeComparison;
  }, []);
  const comparison = compare.open.value;
  if (!comparison) return html`<${Dialog} title=${_("Compare profiles")} wide="full"><${CompareSetup} /><//>`;
  const back = () => {
    closeComparison();
    loadComparisons().catch(reportError);
  };
  const foot = html`
    <button type="button" class="btn" onClick=${back}>${icon("left")} ${_("All comparisons")}</button>
    <span class="grow" />
    ${
      !isFinished(comparison) &&
      html`<button type="button" class="btn" onClick=${cancelComparison}>${_("Cancel the comparison")}</button>`
    }
  `;
  return html`<${Dialog} title=${_("Compare profiles")} wide="full" foot=${foot}>
    <${CompareProgress} comparison=${comparison} />
    <${CompareResult} comparison=${comparison} />
  <//>`;
}
