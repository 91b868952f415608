/** Topology spread by constraint: domains, pods counted in each, and the resulting skew. */
import { html, useState } from "../../vendor/preact.js";
import { clusterPath } from "../base/api.js";
import { hover, openSideTab, pinNode, pinPod } from "../cycle/selection.js";
import { answerOf, answerAt } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Answer } from "../parts/answer.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";
import { useFrame } from "../cycle/panel_frames.js";

const LISTED_DOMAINS = 12;

const originWord = (origin) =>
  ({
    pod: _("the pod's own constraints"),
    profile: _("default constraints of the profile"),
    system: _("kube-scheduler's built-in default constraints"),
  })[origin];

function DomainPods({ cycle, index, domain }) {
  const path = clusterPath(store.cluster.value.id, "cycles", cycle, "spread", index, "pods");
  return html`<${Answer} answer=${answerAt(`${path}?domain=${encodeURIComponent(domain)}`)}>
    ${({ pods }) => html`<ul class="victims" data-domain-pods=${domain}>
      ${pods.length === 0 && html`<li class="quiet">${_("no pod that the selector matches")}</li>`}
      ${pods.map(
        (pod) => html`<li key=${pod.pod} class="row">
          ${icon(pod.counts ? "pass" : "skipped", pod.counts ? "is-pass" : "is-unseen")}
          <button type="button" class="link name cut" title=${pod.pod}
            onClick=${() => (pinPod(pod.pod), openSideTab("pod"))}
          >${podName(pod.pod)}</button>
          <button type="button" class="link name cut quiet" onClick=${() => pinNode(pod.node)}
            onPointerEnter=${() => hover({ node: pod.node })} onPointerLeave=${() => hover({ node: null })}
          >${pod.node}</button>
          <span class="quiet grow">${pod.counts ? "" : translateSentence(pod.why)}</span>
        </li>`,
      )}
    </ul>`}
  <//>`;
}

function Domain({ row, constraint, most, cycle, open, onToggle }) {
  const state = !constraint.hard ? "" : row.eligible === 0 ? "unseen" : row.fits ? "pass" : "rejected";
  const word = !constraint.hard
    ? fill(_("adds {n}"), { n: Number(row.score.toFixed(2)) })
    : row.eligible === 0
      ? _("does not count")
      : row.fits
        ? fill(_("skew {n}, fits"), { n: row.skew })
        : fill(_("skew {n}, too high"), { n: row.skew });
  const extra = constraint.hard && constraint.own ? 1 : 0;
  return html`<li data-domain=${row.domain}>
    <button type="button" class="domain" aria-expanded=${open} onClick=${onToggle}>
      <span class="domain-name">
        ${icon(open ? "down" : "right", "quiet")} <span class="mono cut tail" title=${row.domain}>
          <bdi>${row.domain}</bdi>
        </span>
      </span>
      <span class="skew-bar" title=${ngettext("{n} pod counts", "{n} pods count", row.pods)}>
        <i class="base" style=${{ width: `${(Math.min(row.pods, constraint.lowest) / most) * 100}%` }} />
        <i class="ahead" style=${{ width: `${(Math.max(0, row.pods - constraint.lowest) / most) * 100}%` }} />
        ${
          extra > 0 &&
          row.eligible > 0 &&
          html`<i class=${row.fits ? "one" : "one over"} style=${{ width: `${(1 / most) * 100}%` }} />`
        }
      </span>
      <b class="num">${formatNumber(row.pods)}</b>
      <span class=${`domain-word ${state ? `is-${state}` : "quiet"}`}>${state && icon(state)} ${word}</span>
    </button>
    ${
      open &&
      html`
        <p class="quiet domain-note">
          ${ngettext("{n} node", "{n} nodes", row.nodes)}
          ${row.eligible !== row.nodes ? `, ${fill(_("{n} count"), { n: formatNumber(row.eligible) })}` : ""}
        </p>
        <${DomainPods} cycle=${cycle} index=${constraint.index} domain=${row.domain} />
      `
    }
  </li>`;
}

function Constraint({ constraint, cycle }) {
  const [open, setOpen] = useState(null);
  const [all, setAll] = useState(false);
  const shown = all ? constraint.domains : constraint.domains.slice(0, LISTED_DOMAINS);
  const most = Math.max(1, ...constraint.domains.map((row) => row.pods)) + (constraint.own ? 1 : 0);
  const { nodes } = constraint;
  const out = [
    nodes.missingKey && ngettext("{n} node has no such label", "{n} nodes have no such label", nodes.missingKey),
    nodes.affinity &&
      ngettext(
        "{n} node is left out by the pod's node affinity",
        "{n} nodes are left out by the pod's node affinity",
        nodes.affinity,
      ),
    nodes.taints &&
      ngettext("{n} node is left out by its taints", "{n} nodes are left out by their taints", nodes.taints),
  ].filter(Boolean);
  return html`<section class="card constraint" data-constraint=${constraint.index}>
    <h4 class="row wrap">
      <span class="mono grow">${constraint.topologyKey}</span>
      <span class=${constraint.hard ? "" : "quiet"}>${constraint.hard ? _("DoNotSchedule") : _("ScheduleAnyway")}</span>
    </h4>
    <p class="quiet">
      ${fill(_("maxSkew {n}"), { n: constraint.maxSkew })}
      ${
        constraint.minDomains > 1 ? ` · ${fill(_("minDomains {n}"), { n: constraint.minDomains })}` : ""
      } · ${_("counts pods with")} <span class="mono">${constraint.selector}</span>
      ${constraint.own ? "" : ` · ${_("the pod itself does not count")}`}
    </p>
    ${
      !constraint.enforced &&
      html`<p class="is-waiting">
        ${_("The profile does not run the plugin here, so this constraint has no effect.")}
      </p>`
    }
    <p class="quiet spread-legend">
      <span>
        <i class="swatch base" /> ${
          constraint.hard ? fill(_("the lowest count, {n}"), { n: formatNumber(constraint.lowest) }) : _("pods")
        }
      </span>
      ${constraint.hard && html`<span><i class="swatch ahead" /> ${_("above the lowest count")}</span>`}
      ${constraint.hard && constraint.own && html`<span><i class="swatch one" /> ${_("this pod")}</span>`}
    </p>
    <ul class="domains">
      ${shown.map(
        (row) => html`<${Domain} key=${row.domain} row=${row} constraint=${constraint} most=${most} cycle=${cycle}
          open=${open === row.domain} onToggle=${() => setOpen(open === row.domain ? null : row.domain)}
        />`,
      )}
    </ul>
    ${
      constraint.domains.length > shown.length &&
      html`<button type="button" class="link" onClick=${() => setAll(true)}>
        ${ngettext("{n} more", "{n} more", constraint.domains.length - shown.length)}
      </button>`
    }
    ${
      constraint.omitted > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} more domain is not listed", "{n} more domains are not listed", constraint.omitted)}
      </p>`
    }
    ${out.length > 0 && html`<p class="quiet">${out.join("; ")}</p>`}
  </section>`;
}

export function Spread() {
  const moment = useFrame();
  if (!moment)
    return html`<p class="empty quiet">
      ${_("The spread of Pods over zones and nodes appears here after the first cycle.")}
    </p>`;
  const { cycle } = moment.record;
  return html`
    <h3 class="side-title row">
      <span class="grow">${fill(_("Spread of {pod}"), { pod: podName(cycle.pod) })}</span> <${GlossaryButton}
        kind="plugin" name="PodTopologySpread"
      />
    </h3>
    <${Answer} answer=${answerOf(cycle.number, "spread")}>
      ${({ origin, constraints }) =>
        constraints.length
          ? html`
            <p class="quiet">${originWord(origin)}, ${_("as of this cycle")}</p>
            ${constraints.map(
              (constraint) => html`<${Constraint} key=${constraint.index} constraint=${constraint}
                cycle=${cycle.number}
              />`,
            )}
          `
          : html`<p class="quiet">${_("This pod has no spread constraints, and no default ones apply to it.")}</p>`}
    <//>
  `;
}
