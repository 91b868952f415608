/** The compare dialog: choose sides, seeds and the moment, then follow the runs and see the results. */
import { html, useEffect } from "../../vendor/preact.js";
import { compare, isOver, leave, loadComparisons, cancelComparison } from "./actions.js";
import { _ } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { CompareProgress } from "./progress.js";
import { CompareResult } from "./result.js";
import { CompareSetup } from "./setup.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";

export function CompareDialog() {
  useEffect(() => {
    leave();
    compare.saved.value = null;
    compare.refused.value = [];
    loadComparisons().catch(report);
    return leave;
  }, []);
  const comparison = compare.open.value;
  if (!comparison) return html`<${Dialog} title=${_("Compare profiles")} wide="full"><${CompareSetup} /><//>`;
  const back = () => {
    leave();
    loadComparisons().catch(report);
  };
  const foot = html`
    <button type="button" class="btn" onClick=${back}>${icon("left")} ${_("All comparisons")}</button>
    <span class="grow" />
    ${
      !isOver(comparison) &&
      html`<button type="button" class="btn" onClick=${cancelComparison}>${_("Cancel the comparison")}</button>`
    }
  `;
  return html`<${Dialog} title=${_("Compare profiles")} wide="full" foot=${foot}>
    <${CompareProgress} comparison=${comparison} />
    <${CompareResult} comparison=${comparison} />
  <//>`;
}
