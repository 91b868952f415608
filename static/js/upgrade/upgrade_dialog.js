/**
 * The upgrade dialog: how another version of kube-scheduler, or other feature gates, changes the pods' results, grouped
 * by cause.
 */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { get, clusterPath } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { VERSIONS } from "../clusters/new_cluster_dialog.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./upgrade.css", import.meta.url));

const LISTED_PODS = 20; // pods listed at first

const kindWord = (kind, count) =>
  ({
    placement: ngettext("{n} pod on another node", "{n} pods on other nodes", count),
    verdict: ngettext("{n} different verdict", "{n} different verdicts", count),
    score: ngettext("{n} Pod with different scores", "{n} Pods with different scores", count),
    message: ngettext("{n} different message", "{n} different messages", count),
  })[kind];

const outcomeWord = ({ outcome, node }) =>
  ({
    placed: fill(_("placed on {node}"), { node }),
    preempts: _("evicts pods"),
    unschedulable: _("unschedulable"),
    error: _("error"),
    gated: _("gated"),
    ignored: _("ignored"),
  })[outcome];

function Pod({ name }) {
  const show = () => (closeDialog(), pinPod(name), openSideTab("pod"));
  return html`<button type="button" class="link name mono" title=${name} onClick=${show}>${podName(name)}</button>`;
}

function Example({ example }) {
  const { kind, old, new: next, node, scores } = example;
  const sides =
    kind === "score"
      ? [formatNumber(scores[0]), formatNumber(scores[1])]
      : kind === "message"
        ? [old.message, next.message]
        : [outcomeWord(old), outcomeWord(next)];
  return html`<li>
    <${Pod} name=${example.pod} />
    ${node && html` <span class="quiet">${_("on")} <span class="mono">${node}</span></span>`}
    : ${sides[0]} → <b>${sides[1]}</b>
  </li>`;
}

function Group({ group }) {
  const kinds = Object.entries(group.counts).map(([kind, count]) => kindWord(kind, count));
  return html`<section class="card" data-upgrade-group=${group.plugins.join(" ")}>
    <h3 class="row wrap">
      <span class="mono grow">${group.plugins.filter(Boolean).join(", ") || _("the scheduler itself")}</span>
      <span class="quiet">${kinds.join(" · ")}</span>
    </h3>
    ${group.changes.map(
      (change) => html`<p key=${change.sentence}>
        <b class="num">${change.since}</b> ${_(change.sentence)}
        <br />
        <span class="mono quiet upstream">${change.upstream}</span>
      </p>`,
    )}
    <ul>${group.examples.map((example, i) => html`<${Example} key=${i} example=${example} />`)}</ul>
  </section>`;
}

function Moved({ moved }) {
  const [all, setAll] = useState(false);
  if (!moved.length) return null;
  const shown = all ? moved : moved.slice(0, LISTED_PODS);
  return html`<section>
    <h3 class="caps">${_("Where pods end up")}</h3>
    <ul>
      ${shown.map(
        (entry) => html`<li key=${entry.pod}>
          <${Pod} name=${entry.pod} />
          : <span class="mono">${entry.old ?? _("no node")}</span> → <b
            class="mono">${entry.new ?? _("no node")}</b> <span
            class="quiet"
          >${entry.direct ? _("directly by a change") : _("because of earlier Pods")}</span>
        </li>`,
      )}
    </ul>
    ${
      shown.length < moved.length &&
      html`<button type="button" class="link" onClick=${() => setAll(true)}>
        ${ngettext("{n} more", "{n} more", moved.length - shown.length)}
      </button>`
    }
  </section>`;
}

function Report({ report }) {
  const { pods, moved, groups, configuration, errors } = report;
  const elsewhere = moved.length
    ? ngettext("{n} Pod gets a different node", "{n} Pods get a different node", moved.length)
    : pods
      ? ngettext("Your Pod gets the same node.", "All of your {n} Pods get the same nodes.", pods)
      : _("No Pod is pending, so there is nothing to try.");
  return html`
    <p class="row" role="status" data-upgrade-result>
      ${icon(
        moved.length || errors.length ? "waiting" : "pass",
        moved.length || errors.length ? "is-waiting" : "is-pass",
      )} <b>${errors.length ? _("The configuration is refused by the other version.") : elsewhere}</b>
    </p>
    ${
      errors.length > 0 &&
      html`<ul>${errors.map((error) => html`<li key=${error} class="is-rejected">${error}</li>`)}</ul>`
    }
    <${Moved} moved=${moved} />
    ${
      groups.length > 0 &&
      html`
        <h3 class="caps">${_("Differences by change")}</h3>
        ${groups.map((group) => html`<${Group} key=${group.plugins.join(" ")} group=${group} />`)}
      `
    }
    ${
      pods > 0 &&
      !groups.length &&
      !errors.length &&
      html`<p class="quiet">${_("No differences in filter results, scores or messages.")}</p>`
    }
    ${
      configuration.length > 0 &&
      html`<section>
        <h3 class="caps">${_("Configuration")}</h3>
        <ul>${configuration.map((line) => html`<li key=${line}>${line}</li>`)}</ul>
      </section>`
    }
  `;
}

/** The attempts so far. There can be more than expected, because evicted Pods are tried again. */
function Progress({ attempts, expected }) {
  const all = Math.max(attempts, expected);
  return html`<progress max=${all} value=${attempts} aria-label=${_("Progress of the report")} />
    <span class="quiet num" data-upgrade-progress>
      ${fill(_("{n} of {all} attempts"), { n: formatNumber(attempts), all: formatNumber(all) })}
    </span>`;
}

/** `gates`: in the format of `--feature-gates`, for the other version; `to`: the version selected first. */
export function UpgradeDialog({ to = "", gates = "" }) {
  const version = store.cluster.value.emulates.split(" ")[0];
  const others = VERSIONS.map(([value]) => value).filter((value) => value !== version || gates);
  const [otherVersion, setOtherVersion] = useState(to || others[0]);
  const [state, setState] = useState({ state: "idle" });
  const currentRequest = useRef(null);
  const stop = () => currentRequest.current?.abort();
  const begin = useRef(null);
  const cancelled = useRef(false);
  const cancel = () => {
    cancelled.current = true;
    stop();
  };
  // The pressed button disappears, so the focus moves to its successor.
  useEffect(() => {
    if (state.state !== "asking" && cancelled.current) begin.current?.focus();
    if (state.state !== "asking") cancelled.current = false;
  }, [state.state]);
  const ask = async () => {
    stop();
    const ownRequest = (currentRequest.current = new AbortController());
    setState({ state: "asking", attempts: 0, expected: 0 });
    try {
      const query = new URLSearchParams({ to: otherVersion, gates });
      const path = clusterPath(store.cluster.peek().id, "upgrade", "part");
      // Each answer takes about half a second of work; a page that stops asking cancels the rest.
      let part = await get(`${path}?${query}`, ownRequest.signal);
      while (!part.finished) {
        setState({ state: "asking", ...part });
        query.set("revision", part.revision);
        part = await get(`${path}?${query}`, ownRequest.signal);
      }
      setState({ state: "there", report: part.report });
    } catch (error) {
      if (currentRequest.current !== ownRequest) return;
      setState(error.name === "AbortError" ? { state: "idle" } : { state: "failed", error });
    }
  };
  useEffect(() => {
    if (gates) ask();
    return () => {
      const last = currentRequest.current;
      currentRequest.current = null;
      last?.abort();
    };
  }, []);
  const foot = html`
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${_("Effects of an upgrade")} wide="full" foot=${foot}>
    <p class="quiet">
      ${_(
        "Runs the same Pods from the start under both versions. Each difference is listed under the " +
          "change that causes it. Your cluster does not change.",
      )}
    </p>
    <p class="row wrap">
      <span>${fill(_("from {version} to"), { version: store.cluster.value.emulates })}</span>
      <select aria-label=${_("the other version")} onChange=${(event) => setOtherVersion(event.currentTarget.value)}>
        ${others.map(
          (value) => html`<option key=${value} value=${value}
          selected=${value === otherVersion}>${value}</option>`,
        )}
      </select>
      ${gates && html`<span class="mono">${gates}</span>`}
      ${
        state.state === "asking"
          ? html`
            <button type="button" class="btn" data-upgrade-cancel onClick=${cancel}>${_("Cancel")}</button>
            <span class="quiet working" role="status">${_("Running all Pods under both versions")}</span>
            ${state.expected > 0 && html`<${Progress} attempts=${state.attempts} expected=${state.expected} />`}
          `
          : html`<button type="button" class="btn primary" data-upgrade ref=${begin} onClick=${ask}>
            ${_("Compare")}
          </button>`
      }
    </p>
    ${state.state === "failed" && html`<p class="is-rejected" role="alert">${state.error.message}</p>`}
    ${state.state === "there" && html`<div class="upgrade-report"><${Report} report=${state.report} /></div>`}
  <//>`;
}
