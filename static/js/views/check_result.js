/** What an import would bring: counts by kind, what scheduling does not use, and every problem. */
import { html } from "../../vendor/preact.js";
import { _, fill, ngettext, number } from "../i18n.js";
import { icon } from "./parts/icon.js";
import { ProblemList } from "./problem_list.js";

const unusedText = (entry) => (typeof entry === "string" ? entry : entry.path);

/** A trace is not imported: it is held against the cluster's own records. */
function TraceCheck({ trace }) {
  const count = ngettext("{n} record", "{n} records", trace.records);
  if (trace.same) return html`<p class="is-pass">${icon("pass")} <b>${fill(_("A trace of {count}: this cluster has the very same."), { count })}</b></p>`;
  return html`<p class="is-rejected">${icon("rejected")} <b>${fill(_("A trace of {count}: this cluster differs from record {n} on."), { count, n: number(trace.differs_at) })}</b></p>`;
}

export function CheckResult({ answer, onPick, good: word }) {
  if (!answer) return null;
  const kinds = Object.entries(answer.counts ?? {}).filter(([, count]) => count > 0);
  const unused = answer.unused ?? [];
  const good = !answer.problems?.length && kinds.length > 0;
  if (answer.trace) return html`<${TraceCheck} trace=${answer.trace} />`;
  return html`<div class="check-result" data-check=${good ? "ok" : "problems"}>
    ${good && html`<p class="is-pass">${icon("pass")} <b>${word ?? _("ready to import")}</b></p>`}
    ${kinds.length > 0 && html`<ul class="kinds">${kinds.map(([kind, count]) => html`<li key=${kind}><b class="num">${number(count)}</b> <span class="mono">${kind}</span></li>`)}</ul>`}
    <${ProblemList} problems=${answer.problems} onPick=${onPick} />
    ${unused.length > 0 && html`<details><summary>${ngettext("{n} field not used by scheduling, kept as it is", "{n} fields not used by scheduling, kept as they are", unused.length)}</summary>
      <ul class="unused scroll" tabindex="0">${unused.map((entry, index) => html`<li class="mono" key=${index}>${unusedText(entry)}${entry.count ? html` <span class="quiet">×${number(entry.count)}</span>` : ""}</li>`)}</ul></details>`}
  </div>`;
}
