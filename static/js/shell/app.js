/** The whole page: header, three columns, transport; tabs on a narrow page. */
import { html, signal, useEffect, useState } from "../../vendor/preact.js";
import { pastQuestion } from "../branches/branches.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { isOffered } from "../access/allowed.js";
import { classPanel, inClass, endedClass } from "../access/class_membership.js";
import { lesson } from "../lesson/lesson_state.js";
import { barsOf, layout } from "../nodes/nodes_model.js";
import { preferences } from "../base/preferences.js";
import { isGuest, isCovered } from "../base/guest.js";
import { arriving, opening } from "../welcome/opening_state.js";
import { showPanel } from "../base/screen.js";
import { dimmed, store } from "../base/store.js";
import { tour } from "../welcome/tour.js";
import { Banners } from "./banners.js";
import { Cluster } from "../cluster/cluster.js";
import { cardsHeight } from "../cluster/card_layout.js";
import { Dialogs } from "./dialogs.js";
import { Header, Logo } from "./header.js";
import { listenToKeys } from "./keys.js";
import { Matrix } from "../matrix/matrix.js";
import { Notices } from "./notice_list.js";
import { Splitter } from "../parts/splitter.js";
import { icon } from "../parts/icon.js";
import { early, lazy } from "../parts/lazy.js";
import { Pipeline } from "../pipeline/pipeline.js";
import { Queues } from "../queues/queues.js";
import { Side } from "./side_panel.js";
import { Transport } from "../drive/transport.js";

const Lesson = lazy(() => import("../lesson/lesson.js").then((module) => module.Lesson));
const sharing = () => loadWithMessages(() => import("../share/shared_views.js"));
const EmbedCover = lazy(() => sharing().then((module) => module.EmbedCover));
const SharedHeader = lazy(() => sharing().then((module) => module.SharedHeader));
const SharedOpening = lazy(() => sharing().then((module) => module.SharedOpening));
const presenter = () => loadWithMessages(() => import("./presenter.js"));
const Presenter = lazy(() => presenter().then((module) => module.Presenter));
const PresenterHeader = lazy(() => presenter().then((module) => module.PresenterHeader));
const ClassBar = lazy(() => import("../class/class_bar.js").then((module) => module.ClassBar));
const ClassOver = lazy(() => import("../class/class_ended.js").then((module) => module.ClassOver));
const Source = lazy(() => import("../source/source.js").then((module) => module.Source));
const Terminal = lazy(() => import("../terminal/terminal_panel.js").then((module) => module.Terminal));
const ClassPanel = lazy(() => import("../class/class_panel.js").then((module) => module.ClassPanel));
const Opening = early(() => import("../welcome/opening.js").then((module) => module.Opening));
const Welcome = early(() => import("../welcome/welcome.js").then((module) => module.Welcome));
const Life = lazy(() => import("../life/over_time.js").then((module) => module.Life));
const BranchQuestion = lazy(() => import("../branches/branch_question.js").then((module) => module.BranchQuestion));
const Tour = lazy(() => import("../welcome/tour_bubble.js").then((module) => module.Tour));

const SIDE = { left: { width: 248, share: 0.18 }, right: { width: 372, share: 0.27 } };
// With a narrow middle, its controls take two lines.
const CLUSTER = { head: 78, narrow: 545, wrapped: 60, least: 132, most: 380, share: 0.42, low: 0.34, cells: 320 };
const NARROW = "(max-width: 899px)";
// Columns need less width than the whole header.
const SHORT_HEADER = "(max-width: 1259px)";
// Separate buttons for lessons, gallery and classes need even more.
const FULL_HEADER = "(max-width: 1419px)";
// With a lesson, three columns need more width.
const LESSON = { width: 340, least: 1240 };
const SOURCE = { width: 400, least: 1240 };

const size = () => ({ width: innerWidth, height: innerHeight });
const viewport = signal(size());
window.addEventListener("resize", () => (viewport.value = size()));

function useNarrow(query) {
  const [narrow, setNarrow] = useState(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const listen = () => setNarrow(media.matches);
    media.addEventListener("change", listen);
    return () => media.removeEventListener("change", listen);
  }, []);
  return narrow;
}

/**
 * Return the view beside the cluster: [id, title, view], null for none. The user's choice comes first, the class before
 * a lesson.
 */
function besideView() {
  if (preferences.source.value && isOffered("source")) return ["source", _("Source"), Source];
  if (preferences.terminal.value && isOffered("terminal")) return ["terminal", _("Terminal"), Terminal];
  if (inClass.value && classPanel.value) return ["class", _("Questions"), ClassPanel];
  return lesson.value ? ["lesson", _("Lesson"), Lesson] : null;
}

const widthFor = (beside) => (["source", "terminal"].includes(beside[0]) ? SOURCE : LESSON);

const panels = (beside) => [
  ...(beside ? [beside.slice(0, 2)] : []),
  ["cluster", _("Cluster")],
  ["matrix", _("Matrix")],
  ["queues", _("Queues")],
  ["details", _("Details")],
];

function Narrow({ beside = null }) {
  const requested = store.panel.value;
  const open =
    ["lesson", "class", "source", "terminal"].includes(requested) && beside?.[0] !== requested ? "cluster" : requested;
  return html`<main class="work narrow" id="main">
    <div class="tabs" role="tablist" aria-label=${_("Panels")}>
      ${panels(beside).map(
        ([id, label]) => html`<button type="button" role="tab" id=${`panel-tab-${id}`} aria-selected=${open === id}
          aria-controls="panel" onClick=${() => showPanel(id)}
        >${label}</button>`,
      )}
    </div>
    <div class="narrow-panel scroll" id="panel" role="tabpanel" aria-labelledby=${`panel-tab-${open}`} tabindex="-1">
      ${open === beside?.[0] && html`<${beside[2]} />`}
      ${open === "cluster" && html`<${Cluster} /><${Pipeline} />`}
      ${open === "matrix" && html`<${Matrix} />`}
      ${open === "queues" && html`<${Queues} />`}
      ${open === "details" && html`<${Side} />`}
    </div>
  </main>`;
}

function Rail({ side, label }) {
  const open = () => (preferences.closed.value = { ...preferences.closed.peek(), [side]: false });
  return html`<button type="button" class=${`rail ${side}`} aria-label=${label} title=${label} onClick=${open}>
    ${icon(side === "left" ? "right" : "left")}
  </button>`;
}

/** Return the height of the node cards within bounds; too many nodes become a map of cells. */
function clusterHeight(width, high) {
  const most = Math.min(CLUSTER.most, high * (high < 800 ? CLUSTER.low : CLUSTER.share));
  const sizes = layout.value?.groups.map((group) => group.members.length) ?? [];
  const head = CLUSTER.head + (width < CLUSTER.narrow ? CLUSTER.wrapped : 0);
  const height = sizes.length
    ? cardsHeight(sizes, width - 16, barsOf(layout.value), most - head) + head
    : CLUSTER.least;
  return Math.round(height <= most ? Math.max(CLUSTER.least, height) : Math.min(most, CLUSTER.cells));
}

function Wide() {
  const { left, right } = preferences.sizes.value;
  const { height: high, width: whole } = viewport.value;
  const beside = besideView();
  const wide = whole - (beside ? widthFor(beside).width : 0);
  // The queues shrink for a lesson, the details do not, because sums would not fit.
  const fit = (side) => Math.round(Math.min(SIDE[side].width, (side === "left" ? wide : whole) * SIDE[side].share));
  const closed = preferences.closed.value;
  const middle = wide - (closed.left ? 20 : (left ?? fit("left"))) - (closed.right ? 20 : (right ?? fit("right")));
  const cluster = preferences.sizes.value.cluster ?? clusterHeight(middle, high);
  // Until the user drags them, the side panels shrink before the middle: at 1024 px, or with a lesson, all three fit.
  const width = (side, size) => (size === null ? `${fit(side)}px` : `min(${size}px, 40vw)`);
  const atLeft = closed.left ? "20px 0" : `${width("left", left)} 1px`;
  const atRight = closed.right ? "0 20px" : `1px ${width("right", right)}`;
  const columns = `${atLeft} minmax(0, 1fr) ${atRight}`;
  return html`<main class="work wide" id="main" style=${{ gridTemplateColumns: columns }}>
    ${
      closed.left
        ? html`<${Rail} side="left" label=${_("Open the queues")} /><i />`
        : html`
          <${Queues} />
          <${Splitter} name="left" axis="x" size=${left ?? fit("left")} min=${180} max=${420}
            label=${_("Width of the queues")}
          />
        `
    }
    <div class="centre" style=${{ "--cluster": `${cluster}px` }}>
      <${Cluster} />
      <${Splitter} name="cluster" axis="y" size=${cluster} min=${120} max=${560} label=${_("Height of the cluster")} />
      <${Pipeline} />
      <${Matrix} />
    </div>
    ${
      closed.right
        ? html`<i /><${Rail} side="right" label=${_("Open the details")} />`
        : html`
          <${Splitter} name="right" axis="x" size=${right ?? fit("right")} grows=${-1} min=${260} max=${720}
            label=${_("Width of the details")}
          />
          <${Side} />
        `
    }
  </main>`;
}

function Work({ narrow }) {
  const beside = besideView();
  if (narrow) return html`<${Narrow} beside=${beside} />`;
  if (!beside) return html`<${Wide} />`;
  return html`<div class="with-lesson">
    <${beside[2]} />
    ${viewport.value.width < widthFor(beside).least ? html`<${Narrow} />` : html`<${Wide} />`}
  </div>`;
}

const Spoken = () => html`<p class="sr" role="status" aria-live="polite">${store.spoken.value}</p>`;

export function App() {
  const narrow = useNarrow(NARROW);
  const shortHeader = useNarrow(SHORT_HEADER);
  const roomy = !useNarrow(FULL_HEADER);
  const cluster = store.cluster.value;
  if (opening.value)
    return html`<div class="app">
      <${Header} narrow=${shortHeader} tabs=${narrow} roomy />
      <div><${Banners} /></div>
      <${Opening} />
      <i />
      <${Notices} />
      <${Dialogs} />
      <${Spoken} />
    </div>`;
  if (endedClass.value) return html`<div class="app"><i /><i /><${ClassOver} /><i /><${Notices} /><${Spoken} /></div>`;
  const presenting = Boolean(cluster) && !isGuest && preferences.presenting.value;
  const header = presenting
    ? html`<${PresenterHeader} />`
    : html`<${Header} narrow=${shortHeader} tabs=${narrow} roomy=${roomy} />`;
  return html`
    ${isGuest && html`<${EmbedCover} onTouch=${listenToKeys} />`}
    <div
      class=${`app ${dimmed.value ? "busy" : ""} ${presenting ? "presenting" : ""} ${arriving.value ? "arriving" : ""}`}
      inert=${isCovered.value}
    >
      ${isGuest ? html`<${SharedHeader} narrow=${shortHeader} logo=${html`<${Logo} />`} />` : header}
      <div><${Banners} />${inClass.value && html`<${ClassBar} />`}</div>
      ${
        !cluster &&
        (isGuest
          ? html`<${SharedOpening} />`
          : store.clusters.value
            ? html`<${Welcome} />`
            : html`<main class="welcome" id="main"><p class="quiet">${_("Opening")}</p></main>`)
      }
      ${cluster && (presenting ? html`<${Presenter} beside=${besideView()} />` : html`<${Work} narrow=${narrow} />`)}
      <div class="foot">
        ${cluster && (cluster.actors?.length || preferences.charts.value) && !isGuest ? html`<${Life} />` : null}
        ${cluster && html`<${Transport} />`}
      </div>
      <${Notices} />
      <${Dialogs} />
      ${tour.value && html`<${Tour} />`}
      ${pastQuestion.value && html`<${BranchQuestion} />`}
      <${Spoken} />
    </div>
  `;
}
