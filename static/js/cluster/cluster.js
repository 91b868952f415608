/** The cluster at three zoom levels: groups as tiles, nodes as cells on a canvas, nodes as cards; or as a table. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { _, ngettext, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { heatMap, colorsFor } from "./node_colors.js";
import { barsOf, groupLabel, layout, nodesInView } from "../nodes/nodes_model.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { colourResource, setFittingLevel, level, zoomBy } from "./zoom_level.js";
import { placeCards } from "./card_layout.js";
import { Cards } from "./node_cards.js";
import { Controls, Legend } from "./cluster_controls.js";
import { PictureMenu } from "../pictures/picture_menu.js";
import { early, lazy } from "../parts/lazy.js";
import { asPanel, useFrame } from "../cycle/panel_frames.js";

const Cells = early(() => import("./node_cells.js").then((module) => module.Cells));
const Groups = early(() => import("./group_tiles.js").then((module) => module.Groups));
const NodeTable = early(() => import("./node_table.js").then((module) => module.NodeTable));
const NodeGroups = lazy(() => import("../workloads/node_groups.js").then((module) => module.NodeGroups));
const NoNodes = lazy(() => import("../import/no_nodes.js").then((module) => module.NoNodes));
const ALWAYS = 16; // up to this many nodes are always cards
const WHEEL_REST = 350; // ms between two levels, so that one turn of the wheel changes one level

function useSize(ref) {
  const [size, setSize] = useState(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      setSize((old) =>
        old && Math.abs(old.width - width) < 1 && Math.abs(old.height - height) < 1 ? old : { width, height },
      );
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return size;
}

/** Zoom by wheel where nothing scrolls, and everywhere with Ctrl or a pinch. */
function useWheelZoom(ref) {
  useEffect(() => {
    let last = 0;
    const wheel = (event) => {
      if (preferences.map.peek() === "table") return;
      const box = ref.current.querySelector(".scroll");
      const scrolls = box && box.scrollHeight > box.clientHeight + 1;
      if (scrolls && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      if (!event.deltaY || event.timeStamp - last < WHEEL_REST) return;
      last = event.timeStamp;
      zoomBy(
        event.deltaY < 0 ? 1 : -1,
        event.target.closest?.("[data-node]")?.dataset.node ?? store.hovered.peek().node,
      );
    };
    // Not passive: a pinch must not zoom the page too.
    ref.current.addEventListener("wheel", wheel, { passive: false });
    return () => ref.current?.removeEventListener("wheel", wheel);
  }, []);
}

function useFittingLevel(model, size) {
  useEffect(() => {
    if (!model?.groups.length || !size) return;
    const sizes = model.groups.map((group) => group.members.length);
    const few = model.columns.names.length <= ALWAYS;
    setFittingLevel(few || placeCards(sizes, size, barsOf(model)).fits ? "nodes" : "cells");
  }, [model?.groups, model && barsOf(model), size]);
}

function View({ model, size, heat }) {
  if (preferences.map.value === "table") return html`<${NodeTable} model=${model} />`;
  if (level.value === "groups") return html`<${Groups} model=${model} heat=${heat} />`;
  if (level.value === "cells") return html`<${Cells} model=${model} size=${size} heat=${heat} />`;
  return html`<${Cards} model=${model} size=${size} heat=${heat} />`;
}

const loadOwnerColors = () =>
  loadWithMessages(() => import("./owner_colors.js")).then(({ followOwners }) => followOwners(), reportError);

function ClusterView({ bare = false }) {
  const body = useRef(null);
  const size = useSize(body);
  const model = layout.value;
  const moment = useFrame();
  const colour = preferences.colour.value;
  useWheelZoom(body);
  useFittingLevel(model, size);
  useEffect(() => void (colour === "owner" && loadOwnerColors()), [colour]);
  const total = model?.columns.names.length ?? 0;
  const groups = model?.groups.length ?? 0;
  const stale = nodesInView.value.asOf === "now" && moment && !store.following.value;
  const chosenColors = () => colorsFor(colour, model, moment, colourResource.value);
  const heat = total ? (heatMap.value ? heatMap.value(model) : chosenColors()) : null;
  const grouped = groupLabel.value.endsWith("zone")
    ? ngettext("{n} zone", "{n} zones", groups)
    : ngettext("{n} group", "{n} groups", groups);
  const about = [ngettext("{n} node", "{n} nodes", total), groups > 1 && grouped, stale && _("bars: newest")]
    .filter(Boolean)
    .join(" · ");
  return html`<section class="panel cluster" aria-labelledby=${bare ? undefined : "cluster-title"}
    aria-label=${bare ? about : undefined}
  >
    ${
      !bare &&
      html`<div class="head">
        <h2 id="cluster-title">${_("Cluster")}</h2>
        <span class="about" title=${about}>${about}</span>
        <span class="grow" />
        ${total > 0 && html`<${Controls} model=${model} /><${PictureMenu} view="cluster" />`}
      </div>`
    }
    ${total > 0 && !bare && html`<${Legend} moment=${moment} total=${total} heat=${heat} />`}
    ${!bare && store.cluster.value?.actors?.length > 0 && html`<${NodeGroups} />`}
    <div class="cluster-body" ref=${body}>
      ${!model && html`<p class="quiet empty">${_("Loading the nodes")}</p>`}
      ${model && !total && html`<${NoNodes} />`}
      ${size && total > 0 && html`<${View} model=${model} size=${size} heat=${heat} />`}
    </div>
  </section>`;
}

/** `bare`: only the nodes, without controls and legend. */
export const Cluster = asPanel("cluster", ClusterView);
