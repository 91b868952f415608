/** The right panel: why not, scores, pod, node, events, profile. */
import { html } from "../../vendor/preact.js";
import { refusal } from "../access/allowed.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { preferences } from "../base/preferences.js";
import { showTab } from "../base/screen.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { useFrame } from "../cycle/panel_frames.js";

const Reasons = lazy(() => import("../explain/why_not.js").then((module) => module.WhyNot));
const scores = () => loadWithMessages(() => import("../explain/scores.js"));
const Scores = lazy(() => scores().then((module) => module.Scores));
const Events = lazy(() => import("../details/events.js").then((module) => module.Events));
const Spread = lazy(() => import("../explain/topology_spread.js").then((module) => module.Spread));
const Preemption = lazy(() => import("../explain/preemption.js").then((module) => module.Preemption));
const PodDetail = lazy(() => import("../details/pod_detail.js").then((module) => module.PodDetail));
const NodeDetail = lazy(() => import("../details/node_detail.js").then((module) => module.NodeDetail));
const Time = lazy(() => import("../explain/plugin_times.js").then((module) => module.Time));
const Profile = lazy(
  () => import("../profile/profile.js").then((module) => module.Profile),
  html`<p class="quiet empty">${_("Loading the profile")}</p>`,
);

/** The first tab; its module is loaded with the first cycle. */
const WhyNot = () =>
  useFrame()
    ? html`<${Reasons} />`
    : html`<p class="empty quiet">${_("Rejection reasons appear here after a cycle.")}</p>`;

const tabs = () => [
  ["why", _("Why not"), WhyNot],
  ["scores", _("Scores"), Scores],
  ["spread", _("Spread"), Spread],
  ["preemption", _("Preemption"), Preemption],
  ["time", _("Time"), Time],
  ["pod", _("Pod"), PodDetail],
  ["node", _("Node"), NodeDetail],
  ["events", _("Events"), Events],
  ["profile", _("Profile"), Profile],
];

// The first row has the views of the cycle, the second those of objects.
const FIRST_OBJECT = "pod";

export function Side() {
  const all = tabs();
  const open = store.side.value;
  const View = all.find(([id]) => id === open)[2];
  const close = () => (preferences.closed.value = { ...preferences.closed.peek(), right: true });
  const handleKey = (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const free = all.filter(([id]) => id === open || !refusal(id));
    const index = free.findIndex(([id]) => id === open);
    const [next] = free[(index + way + free.length) % free.length];
    showTab(next);
    document.getElementById(`tab-${next}`).focus();
  };
  return html`<aside class="panel side" aria-label=${_("Details")}>
    <h2 class="sr">${_("Details")}</h2>
    <div class="side-head">
      <div class="tabs scroll" role="tablist" aria-label=${_("Details")} onKeyDown=${handleKey}
        onPointerEnter=${scores}>
        ${all.map(
          ([id, label]) => html`
            ${id === FIRST_OBJECT && html`<i class="tab-break" role="presentation" />`}
            <button type="button" role="tab" key=${id} id=${`tab-${id}`} aria-selected=${id === open}
              aria-controls="side-panel" tabindex=${id === open ? 0 : -1} title=${refusal(id) || undefined}
              disabled=${id !== open && Boolean(refusal(id))} onClick=${() => showTab(id)}
            >${label}</button>
          `,
        )}
      </div>
      <button type="button" class="btn bare icon closer" aria-label=${_("Close the details")}
        title=${_("Close the details")} onClick=${close}
      >${icon("right")}</button>
    </div>
    <div class=${`side-body scroll side-${open}`} id="side-panel" role="tabpanel" aria-labelledby=${`tab-${open}`}
      tabindex="0"
    ><${View} /></div>
  </aside>`;
}
