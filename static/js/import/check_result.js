/** The result of an import check: counts by kind, unused fields, and every problem. */
import { html } from "../../vendor/preact.js";
import { formatKindCounts } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { LegacyNotice } from "../profile/legacy_notice.js";
import { ProblemList } from "../parts/problem_list.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./import.css", import.meta.url));

const fieldText = (entry) => (typeof entry === "string" ? entry : `${entry.kind} ${entry.path}`);

/** Kinds and fields that scheduling does not read, with counts. */
function Unused({ unused }) {
  const kinds = Object.fromEntries(unused.filter((entry) => entry.path === "").map(({ kind, count }) => [kind, count]));
  const fields = unused.filter((entry) => entry.path !== "");
  return html`
    ${
      Object.keys(kinds).length > 0 &&
      html`<p class="quiet">${_("Not used by scheduling:")} <span class="mono">${formatKindCounts(kinds)}</span></p>`
    }
    ${
      fields.length > 0 &&
      html`<details>
        <summary>
          ${ngettext(
            "{n} field not used by scheduling, kept as it is",
            "{n} fields not used by scheduling, kept as they are",
            fields.length,
          )}
        </summary>
        <ul class="unused scroll" tabindex="0">
          ${fields.map(
            (entry, index) => html`<li class="mono" key=${index}>
              ${fieldText(entry)}
              ${entry.count ? html` <span class="quiet">×${formatNumber(entry.count)}</span>` : ""}
            </li>`,
          )}
        </ul>
      </details>`
    }
  `;
}

/** Unknown fields, each with the likely intended one. */
function Misspelt({ fields }) {
  if (!fields?.length) return null;
  return html`<div class="is-waiting" data-misspelt>
    <p>
      ${icon("waiting")} ${ngettext(
        "{n} unknown field without effect",
        "{n} unknown fields without effect",
        fields.length,
      )}
    </p>
    <ul class="unused scroll" tabindex="0">
      ${fields.map(
        ({ kind, path, count, hint }) => html`<li key=${`${kind} ${path}`}>
          <span class="mono">${kind} ${path}</span>
          ${count > 1 && html` <span class="quiet">×${formatNumber(count)}</span>`}
          ${hint && html` <span>${hint}</span>`}
        </li>`,
      )}
    </ul>
  </div>`;
}

/** Notes on omitted objects and missing effects. */
function Notes({ notes, podless, workloads, lives }) {
  const living = lives || store.cluster.value?.actors?.length ? (workloads ?? {}) : {};
  const ownerKinds = Object.fromEntries(Object.entries(podless ?? {}).filter(([kind]) => !(kind in living)));
  return html`
    ${
      Object.keys(ownerKinds).length > 0 &&
      html`<p class="is-waiting" data-podless>
        ${icon("waiting")} ${fill(_("{kinds} create no Pods, so only imported Pods are scheduled."), {
          kinds: formatKindCounts(ownerKinds),
        })}
      </p>`
    }
    ${
      notes?.length > 0 &&
      html`<ul class="notes">${notes.map((note, index) => html`<li key=${index} class="quiet">${note}</li>`)}</ul>`
    }
  `;
}

/** The configuration found in the import, and why it was left out, if it was. */
function Configuration({ configuration, onPick }) {
  if (!configuration) return null;
  const words = configuration.taken
    ? _("The configuration comes from {where}.")
    : _("A configuration was found and ignored: {where}.");
  return html`
    <p class=${configuration.taken ? "quiet" : "is-waiting"}
      data-configuration=${configuration.taken ? "taken" : "left"}>
      ${fill(words, { where: configuration.where })}
    </p>
    <${ProblemList} problems=${configuration.problems} onPick=${onPick} />
    <${LegacyNotice} past=${configuration.past} onGo=${onPick} />
    ${configuration.taken && html`<${Lost} lost=${configuration.lost} />`}
  `;
}

/** The parts that a configuration loses, a sentence per plugin. */
function Lost({ lost }) {
  return (
    lost?.length > 0 && html`<ul class="notes">${lost.map((text, index) => html`<li key=${index}>${text}</li>`)}</ul>`
  );
}

/** The offer to import without the missing plugins. */
function Offer({ answer, onWithout }) {
  const { offers, lost } = answer.offers?.length ? answer : (answer.configuration ?? {});
  if (!onWithout || !offers?.includes("without_plugins") || answer.configuration?.taken) return null;
  return html`<div class="offer">
    <${Lost} lost=${lost} />
    <button type="button" class="btn" onClick=${onWithout}>${_("Import without these plugins")}</button>
  </div>`;
}

/** The check of a trace, which is compared with the cluster's own records, not imported. */
function TraceCheck({ trace }) {
  const count = ngettext("{n} record", "{n} records", trace.records);
  if (trace.same)
    return html`<p class="is-pass">
      ${icon("pass")} <b>${fill(_("Trace of {count}: identical to this cluster."), { count })}</b>
    </p>`;
  return html`<p class="is-rejected">
    ${icon("rejected")} <b>
      ${fill(_("Trace of {count}: differs from this cluster from record {n} on."), {
        count,
        n: formatNumber(trace.differs_at),
      })}
    </b>
  </p>`;
}

/** `lives`: controllers will create pods for the imported workloads. */
export function CheckResult({ answer, onPick, onWithout, good: word, lives }) {
  if (!answer) return null;
  const kinds = Object.entries(answer.counts ?? {}).filter(([, count]) => count > 0);
  const unused = answer.unused ?? [];
  const good = !answer.problems?.length && kinds.length > 0;
  if (answer.trace) return html`<${TraceCheck} trace=${answer.trace} />`;
  return html`<div class="check-result" data-check=${good ? "ok" : "problems"}>
    ${good && html`<p class="is-pass">${icon("pass")} <b>${word ?? _("ready to import")}</b></p>`}
    ${
      kinds.length > 0 &&
      html`<ul class="kinds">
        ${kinds.map(
          ([kind, count]) => html`<li key=${kind}>
            <b class="num">${formatNumber(count)}</b> <span class="mono">${kind}</span>
          </li>`,
        )}
      </ul>`
    }
    <${ProblemList} problems=${answer.problems} onPick=${onPick} />
    <${Configuration} configuration=${answer.configuration} onPick=${onPick} />
    <${Offer} answer=${answer} onWithout=${onWithout} />
    <${Misspelt} fields=${answer.misspelt} />
    <${Notes} notes=${answer.notes} podless=${answer.podless} workloads=${answer.workloads} lives=${lives} />
    <${Unused} unused=${unused} />
  </div>`;
}
