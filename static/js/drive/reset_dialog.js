/** The confirmation of a reset: the server's list of what stays and what is undone, by name. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { resetCluster } from "./run.js";
import { errorText, get, clusterPath } from "../base/api.js";
import { translatedText } from "../base/sentence.js";
import { formatClock, podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";

const UNAVAILABLE = 503;
const RETRY_AFTER = 1000; // ms

/** Return the first names and how many more there are. */
function listNames({ count, names }) {
  const shown = names.map(podName).join(", ");
  return count > names.length
    ? fill(_("{names} and {n} more"), { names: shown, n: formatNumber(count - names.length) })
    : shown;
}

/** Return [how many, what, which ones] of one list of the plan; null if it is empty. */
const planLine = (list, words) => (list.count ? [words(list.count), listNames(list)] : null);

const listKept = (plan, version) => [
  [_("nodes, Pods and all other objects that you created or changed"), ""],
  ...plan.keeps.changes.map((change) => ["", translatedText(change, "what")]),
  plan.keeps.more && ["", ngettext("and {n} more change", "and {n} more changes", plan.keeps.more)],
  planLine(plan.keeps.cordoned, (n) => ngettext("{n} node cordoned", "{n} nodes cordoned", n)),
  planLine(plan.keeps.uncordoned, (n) => ngettext("{n} node uncordoned", "{n} nodes uncordoned", n)),
  [fill(_("the profile, version {n}"), { n: formatNumber(version) }), ""],
];

const listUndone = ({ undoes: gone }, cycles) => [
  cycles && [ngettext("{n} cycle", "{n} cycles", cycles), _("still readable in the history")],
  planLine(gone.placed, (n) => ngettext("{n} Pod returns to its queue", "{n} Pods return to their queues", n)),
  planLine(gone.gone, (n) =>
    ngettext("{n} evicted or deleted Pod is restored", "{n} evicted or deleted Pods are restored", n),
  ),
  planLine(gone.ended, (n) => ngettext("{n} completed Pod runs again", "{n} completed Pods run again", n)),
  planLine(gone.nodes, (n) =>
    ngettext("{n} node returns to its initial readiness", "{n} nodes return to their initial readiness", n),
  ),
  planLine(gone.written, (n) =>
    ngettext("{n} object loses the changes of plugins", "{n} objects lose the changes of plugins", n),
  ),
  gone.seconds > 0 && [fill(_("the clock ({time}) returns to 0"), { time: formatClock(gone.seconds) }), ""],
  gone.seed && [fill(_("the seed changes from {from} back to {to}"), gone.seed), ""],
];

function Part({ name, title, lines: entries, none = "" }) {
  const lines = entries.filter(Boolean);
  return html`<section class="reset-part" data-part=${name}>
    <h3 class="caps">${title}</h3>
    <ul>
      ${lines.map(
        ([heading, names], index) => html`<li key=${index} class=${heading ? "" : "reset-which"}>
          ${heading}
          ${heading && names && html`<span class="quiet">: ${names}</span>`}
          ${!heading && names}
        </li>`,
      )}
    </ul>
    ${!lines.length && html`<p class="quiet">${none}</p>`}
  </section>`;
}

export function ResetDialog() {
  const [plan, setPlan] = useState(null);
  const [failed, setFailed] = useState("");
  const cluster = store.cluster.value;
  useEffect(() => {
    let isUnmounted = false;
    const requestPlan = () =>
      get(clusterPath(store.cluster.peek().id, "reset")).then(
        (answer) => isUnmounted || setPlan(answer),
        (error) => {
          if (isUnmounted) return;
          setFailed(errorText(error));
          // The worker may still be starting.
          if (error.status === UNAVAILABLE) setTimeout(() => isUnmounted || requestPlan(), RETRY_AFTER);
        },
      );
    requestPlan();
    return () => (isUnmounted = true);
  }, []);
  const cycles = store.history.value.pod.length;
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" autofocus
      onClick=${() => (closeDialog(), resetCluster())}>${_("Reset")}</button>
  `;
  return html`<${Dialog} title=${_("Reset to the start?")} foot=${foot}>
    <p>${_("Your own objects and changes stay. The reset undoes everything else.")}</p>
    ${
      plan &&
      html`
        <${Part} name="keeps" title=${_("Will be kept")} lines=${listKept(plan, cluster.config_version)} />
        <${Part} name="undoes" title=${_("Will be reverted")} lines=${listUndone(plan, cycles)}
          none=${_("nothing: the cluster is at its start")}
        />
      `
    }
    ${!plan && html`<p class="quiet" role="status">${failed || _("Calculating the reset")}</p>`}
  <//>`;
}
