/** The capacity dialog: copies of a pod that fit, nodes to add or remove, and the effect of failures. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { closeDialog, showPanel } from "../base/screen.js";
import { podInView } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { pollCapacity } from "./capacity_requests.js";
import { showFailuresOnCluster } from "./heat_map.js";
import { SharedRepairs, OwnerChoice } from "./shared_repairs.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./capacity.css", import.meta.url));

const LISTED_PODS = 8; // pods listed per row

const questions = () => [
  ["failures", _("failure impact"), _("Which Pods find no node if a node or a whole zone fails?")],
  [
    "drain",
    _("drainable nodes"),
    _("Which nodes can you drain one after the other so that every Pod finds another node?"),
  ],
  ["nodes", _("nodes to add"), _("Which new nodes place all pending Pods at the lowest price?")],
  ["many", _("shared fix"), _("Which single change, or which new nodes, would make all of these Pods schedulable?")],
  ["copies", _("copies that fit"), _("How many copies of a Pod fit, and why does the next one not fit?")],
];

function Pods({ names }) {
  const showPod = (name) => (closeDialog(), pinPod(name), openSideTab("pod"));
  return html`<span class="pods">
    ${names.slice(0, LISTED_PODS).map(
      (name, i) => html`<span key=${name}>${i > 0 && ", "}<button type="button" class="link mono"
        onClick=${() => showPod(name)}
      >${podName(name)}</button></span>`,
    )}
    ${names.length > LISTED_PODS && ` ${ngettext("and {n} more", "and {n} more", names.length - LISTED_PODS)}`}
  </span>`;
}

function Failures({ value }) {
  const worst = [...value.failures].sort((a, b) => b.pending.length - a.pending.length || b.lost - a.lost);
  const showHeatMap = () => (showFailuresOnCluster(value.failures), closeDialog(), showPanel("cluster"));
  return html`
    ${
      value.failures.length > 0 &&
      html`<p><button type="button" class="btn" data-heat-map
        onClick=${showHeatMap}>${_("Show on the cluster")}</button></p>`
    }
    <ul class="capacity-rows">
      ${worst.map(
        (row) => html`<li key=${row.what} data-failure=${row.what}>
          <b class="mono">${row.what}</b> <span class="quiet">
            ${ngettext("{n} node", "{n} nodes", row.nodes)} · ${ngettext("{n} pod", "{n} pods", row.lost)}
          </span>
          <span class="block">
            ${
              row.pending.length
                ? html`${icon("rejected", "is-rejected")} ${ngettext("{n} pending", "{n} pending", row.pending.length)}:
                  ${" "}<${Pods} names=${row.pending} />`
                : html`${icon("pass", "is-pass")} ${_("all Pods find another node")}`
            }
          </span>
        </li>`,
      )}
    </ul>
  `;
}

function Drain({ value }) {
  if (value.finished && !value.drained.length) return html`<p>${_("You can drain none of the nodes.")}</p>`;
  return html`<ol class="capacity-rows">
    ${value.drained.map(
      (row) => html`<li key=${row.node} data-drained=${row.node}>
        <b class="mono">${row.node}</b> <span class="quiet">
          ${ngettext("{n} pod finds another node", "{n} pods find another node", Object.keys(row.moved).length)}
        </span>
      </li>`,
    )}
  </ol>`;
}

function Nodes({ value }) {
  const { addition, runs } = value;
  if (!addition) return html`<p class="quiet">${ngettext("{n} run", "{n} runs", runs)}</p>`;
  const nodes = Object.entries(addition.nodes);
  if (!nodes.length && !addition.pending.length) return html`<p>${_("No new nodes needed: no Pod is pending.")}</p>`;
  return html`
    <ul class="capacity-rows" data-addition>
      ${nodes.map(
        ([name, count]) => html`<li key=${name}>
          ${icon("pass", "is-pass")} ${fill(_("{n} × like {node}"), { n: formatNumber(count), node: name })}
        </li>`,
      )}
    </ul>
    <p>
      ${fill(_("Price: {price}. Pending Pods placed: {n}."), {
        price: formatNumber(addition.price),
        n: formatNumber(addition.placed),
      })}
    </p>
    ${
      addition.pending.length > 0 &&
      html`<p>${icon("rejected", "is-rejected")} ${_("still pending")}: <${Pods} names=${addition.pending} /></p>`
    }
  `;
}

function Copies({ value }) {
  const nodes = Object.entries(value.nodes).sort((a, b) => b[1] - a[1]);
  return html`
    <p data-copies=${value.placed}><b>${ngettext("{n} copy fits", "{n} copies fit", value.placed)}</b></p>
    <p class="quiet mono">${nodes.map(([name, count]) => `${name}: ${formatNumber(count)}`).join(" · ")}</p>
    ${value.stopped && html`<p>${_("The next copy does not fit:")} <span class="mono">${value.stopped}</span></p>`}
  `;
}

const ANSWERS = { failures: Failures, drain: Drain, nodes: Nodes, many: SharedRepairs, copies: Copies };

/** Return `NODE=PRICE` of each group for the query; "" if all cost the same. */
const formatPrices = (names, prices) =>
  Object.keys(prices).length ? (names ?? []).map((name) => `${name}=${prices[name] ?? 1}`).join(",") : "";

function Prices({ names, prices, change }) {
  return html`<fieldset class="capacity-prices">
    <legend>${_("Price of each node type")}</legend>
    ${names.map(
      (name) => html`<label key=${name} class="row">
        <span class="mono grow">${name}</span>
        <input type="number" min="0.01" step="any" value=${prices[name] ?? 1}
          onChange=${(event) => change({ ...prices, [name]: Number(event.currentTarget.value) || 1 })}
        />
      </label>`,
    )}
  </fieldset>`;
}

function progressText(value) {
  const done = (value.failures ?? value.drained)?.length;
  if (done === undefined || value.finished) return "";
  return fill(_("{done} of {all}"), { done: formatNumber(done), all: formatNumber(value.of) });
}

export function CapacityDialog({ first = "failures" }) {
  const [name, setName] = useState(first);
  const [failureKey, setFailureKey] = useState("");
  const [owner, setOwner] = useState("");
  const [prices, setPrices] = useState({});
  const [state, setState] = useState({ state: "idle", value: null });
  const currentRequest = useRef(null);
  const pod = podInView.value;
  const stop = () => {
    currentRequest.current?.abort();
    currentRequest.current = null;
    setState((known) => ({ ...known, state: "idle" }));
  };
  const pick = (key) => {
    // Abort at once: an answer to the earlier question has another shape.
    currentRequest.current?.abort();
    setState({ state: "idle", value: null });
    setName(key);
  };
  const query = () =>
    ({
      failures: { by: failureKey },
      drain: {},
      nodes: { groups: formatPrices(state.groups, prices) },
      many: { owner },
      copies: { pod: pod ?? "" },
    })[name];
  const ask = async () => {
    currentRequest.current?.abort();
    const request = (currentRequest.current = new AbortController());
    setState((known) => ({ state: "asking", value: null, keys: known.keys, groups: known.groups }));
    try {
      await pollCapacity(name, query(), request.signal, (value) =>
        setState((known) => ({
          state: value.finished ? "there" : "asking",
          value,
          keys: value.keys ?? known.keys,
          groups: value.groups ?? known.groups,
        })),
      );
    } catch (error) {
      setState((known) => ({ ...known, state: "failed", error }));
    }
  };
  useEffect(() => {
    if (name === "copies" && !pod) setState({ state: "idle", value: null });
    else ask();
    return () => currentRequest.current?.abort();
  }, [name, failureKey, owner]);
  const [, , help] = questions().find(([key]) => key === name);
  const Answer = ANSWERS[name];
  const { value } = state;
  const foot = html`
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  return html`<${Dialog} title=${_("Capacity")} wide="full" foot=${foot}>
    <p class="capacity-questions"><${Segments} label=${_("Question")} options=${questions()} value=${name}
      onPick=${pick}
    /></p>
    <p class="quiet">${help} ${_("The scheduler runs on a copy. Your cluster does not change.")}</p>
    ${
      name === "failures" &&
      html`<p class="row wrap">
        <label>${_("Simulate failure of")}${" "}<select value=${failureKey}
          onChange=${(event) => setFailureKey(event.currentTarget.value)}>
          <option value="">${_("each node by itself")}</option>
          ${(state.keys ?? []).map((key) => html`<option key=${key} value=${key}>${key}</option>`)}
        </select></label>
      </p>`
    }
    ${
      name === "nodes" &&
      state.groups?.length > 0 &&
      html`<${Prices} names=${state.groups} prices=${prices} change=${setPrices} />`
    }
    ${name === "many" && value && html`<${OwnerChoice} value=${value} owner=${owner} change=${setOwner} />`}
    ${name === "copies" && !pod && html`<p>${_("choose a pod first")}</p>`}
    <p class="row wrap" role="status" data-capacity=${state.state}>
      ${
        state.state === "asking"
          ? html`<span class="working">${_("Simulating")} ${value && progressText(value)}</span>
            <button type="button" class="btn small" onClick=${stop}>${_("Cancel")}</button>`
          : html`<button type="button" class="btn small" disabled=${name === "copies" && !pod} onClick=${ask}>
            ${_("Run again")}
          </button>`
      }
    </p>
    ${state.state === "failed" && html`<p class="is-rejected" role="alert">${state.error.message}</p>`}
    ${value && html`<${Answer} value=${value} />`}
  <//>`;
}
