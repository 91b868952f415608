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
  [_("nodes, pods and everything else as you made and changed them"), ""],
  ...plan.keeps.changes.map((change) => ["", translatedText(change, "what")]),
  plan.keeps.more && ["", ngettext("and {n} more change", "and {n} more changes", plan.keeps.more)],
  planLine(plan.keeps.cordoned, (n) => ngettext("{n} node cordoned", "{n} nodes cordoned", n)),
  planLine(plan.keeps.uncordoned, (n) => ngettext("{n} node uncordoned", "{n} nodes uncordoned", n)),
  [fill(_("the profile, version {n}"), { n: formatNumber(version) }), ""],
];

const listUndone = ({ undoes: gone }, cycles) => [
  cycles && [ngettext("{n} cycle", "{n} cycles", cycles), _("still readable in the history")],
  planLine(gone.placed, (n) => ngettext("{n} pod goes back to its queue", "{n} pods go back to their queues", n)),
  planLine(gone.gone, (n) =>
    ngettext("{n} pod that was evicted or deleted comes back", "{n} pods that were evicted or deleted come back", n),
  ),
  planLine(gone.ended, (n) => ngettext("{n} pod that ended runs again", "{n} pods that ended run again", n)),
  planLine(gone.nodes, (n) =>
    ngettext("{n} node is as ready as it was given", "{n} nodes are as ready as they were given", n),
  ),
  planLine(gone.written, (n) =>
    ngettext(
      "{n} object as it was before plugins wrote to it",
      "{n} objects as they were before plugins wrote to them",
      n,
    ),
  ),
  gone.seconds > 0 && [fill(_("the clock, {time}, goes to 0"), { time: formatClock(gone.seconds) }), ""],
  gone.seed && [fill(_("the seed {from} is {to} again"), gone.seed), ""],
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
  return html`<${Dialog} title=${_("Back to the start?")} foot=${foot}>
    <p>${_("What you made and changed stays. What has happened since is undone.")}</p>
    ${
      plan &&
      html`
        <${Part} name="keeps" title=${_("Stays")} lines=${listKept(plan, cluster.config_version)} />
        <${Part} name="undoes" title=${_("Is undone")} lines=${listUndone(plan, cycles)}
          none=${_("nothing: it is at its start")}
        />
      `
    }
    ${!plan && html`<p class="quiet" role="status">${failed || _("Working out what stays")}</p>`}
  <//>`;
}
