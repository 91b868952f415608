/** Nodes as cards: verdict, score, one bar per resource with the pod's share, pods as dots, and the reason in words. */
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { showPodsOf } from "../nodes/pods_on_nodes.js";
import { chooseNode, hover } from "../cycle/selection.js";
import { formatAmount, resourceLabel, formatUsage, unitOf } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { countRemaining, remainingText, barsOf, describeNode, groupName, hasDevices } from "../nodes/nodes_model.js";
import { staleText } from "../cycle/stale_verdicts.js";
import { nodeInView, store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { focusNode } from "./zoom_level.js";
import { cardAt, cardsBetween, findNeighbour, placeCards } from "./card_layout.js";
import { icon, verdictMark } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Track } from "../parts/track.js";
import { PodDots } from "./pod_dots.js";
import { useFrame } from "../cycle/panel_frames.js";

const DeviceCells = lazy(
  () => import("../devices/device_cells.js").then((module) => module.DeviceCells),
  html`<span class="bar-line" />`,
);
const SPARE = 200; // px drawn above and below the visible part
const WIDE = 240; // px of a card that is wide enough for a whole sentence
const PADDING = 18; // px of a card left and right of its content

function Bar({ bar, alive, full }) {
  const text = formatUsage(bar.resource, bar.used, alive ? bar.added : 0, bar.total);
  const track = html`<${Track} bar=${bar} alive=${alive} title=${text} />`;
  if (!full) return track;
  const addition = alive && bar.added ? ` + ${formatAmount(bar.resource, bar.added)}` : "";
  return html`<span class="bar-line">
    <span class="cut quiet" title=${bar.resource}>${resourceLabel(bar.resource)}</span>
    ${track}
    <span class="bar-words" title=${`${bar.resource}: ${text}`}>
      <b>${formatAmount(bar.resource, bar.used)}${addition}</b> / ${formatAmount(bar.resource, bar.total)} ${unitOf(
        bar.resource,
      )}
    </span>
  </span>`;
}

const barsText = (node) =>
  node.bars.map((bar) => formatUsage(bar.resource, bar.used, node.alive ? bar.added : 0, bar.total)).join(", ");

const pixelStyle = ({ x, y, width, height }) => ({
  width: `${width}px`,
  height: `${height}px`,
  left: `${x}px`,
  top: `${y}px`,
});

/** A verdict that is older than a change. A narrow card shows only a mark. */
function BeforeChange({ word, wide }) {
  const fullText = fill(_("before your change: {reason}"), { reason: word });
  if (wide) return fullText;
  return html`<span class="sr">${fullText}</span>
    <span aria-hidden="true">${icon("waiting")} ${word}</span>`;
}

function Card({ node, moment, domain, place, card, full, heat, i, inView, pinned, tabbable }) {
  const step = heat?.step(i);
  const name = node.name.slice(0, node.name.length - domain.length);
  const shownScore = heat
    ? heat.word(i)
    : (node.total ?? node.soFar) !== null && formatNumber(node.total ?? node.soFar);
  const short = node.cordoned ? _("cordoned") : shownScore ? node.sum : node.short;
  const verdictText = node.reason || (full ? (node.cordoned ? _("cordoned") : verdictWord(node.state)) : short);
  const isPartial = !heat && node.total === null && node.soFar !== null;
  const classes = [
    `node v-${node.state}`,
    full && "full",
    heat && `heat-${step ?? "none"}`,
    inView && "in-view",
    pinned && "pinned",
    node.dropped && "dropped",
    node.stale && "stale",
  ];
  return html`<button type="button" class=${classes.filter(Boolean).join(" ")} data-node=${node.name}
    data-verdict=${node.state} aria-pressed=${pinned} tabindex=${tabbable ? 0 : -1}
    style=${pixelStyle({ ...place, ...card })} onClick=${() => chooseNode(node.name)}
    onFocus=${() => hover({ node: node.name })} onPointerEnter=${() => hover({ node: node.name })}
    onPointerLeave=${() => hover({ node: null })}
  >
    <span class="node-head">
      ${verdictMark(node.state)} <span class="mono cut tail grow" title=${node.name}><bdi>${name}</bdi></span>
      <span class="sr"> ${verdictWord(node.state)} ${barsText(node)}
        , ${ngettext("{n} pod", "{n} pods", node.pods)} </span>
    </span>
    <span class="bars">
      ${node.bars.map((bar) => html`<${Bar} key=${bar.resource} bar=${bar} alive=${node.alive} full=${full} />`)}
      ${hasDevices.value && html`<${DeviceCells} node=${node.name} width=${card.width - PADDING} full=${full} />`}
    </span>
    <${PodDots} node=${node} moment=${moment} width=${card.width - PADDING} colourOf=${heat?.ofPod} />
    <span class=${`node-word ${node.nominated ? "is-waiting" : node.reason ? "is-rejected" : ""}`}
      title=${
        (node.stale && staleText(node.stale)) ||
        node.title ||
        [node.cordoned && _("cordoned"), node.numbers].filter(Boolean).join(" · ")
      }
    >
      <span class="cut grow">
        ${node.nominated && icon("waiting")} ${
          node.stale ? html`<${BeforeChange} word=${verdictText} wide=${card.width >= WIDE} />` : verdictText
        }
      </span>
      ${
        shownScore &&
        html`<b class=${`num ${isPartial ? "so-far" : ""}`} title=${isPartial ? _("the scores so far") : undefined}>
          ${isPartial && html`<span class="sr">${_("the scores so far")} </span>Σ `}
          ${shownScore}
        </b>`
      }
    </span>
  </button>`;
}

/** Return the visible part of a scrolling box, in px of its content. */
function useVisibleRange(root, height) {
  const [view, setView] = useState({ from: 0, to: height });
  const measure = () => {
    const { scrollTop, clientHeight } = root.current;
    const from = Math.max(0, Math.floor(scrollTop / SPARE) * SPARE - SPARE);
    const to = Math.ceil((scrollTop + clientHeight) / SPARE) * SPARE + SPARE;
    setView((old) => (old.from === from && old.to === to ? old : { from, to }));
  };
  useLayoutEffect(measure, [height]);
  return [view, measure];
}

/** Return the domain that all names share, from the first dot on, as in cloud providers' names; a card omits it. */
function sharedDomain(names) {
  const domain = /\..*$/.exec(names[0])?.[0];
  return domain && names.every((name) => name.endsWith(domain)) ? domain : "";
}

export function Cards({ model, size, heat }) {
  const root = useRef(null);
  const sizes = useMemo(() => model.groups.map((group) => group.members.length), [model.groups]);
  const plan = useMemo(() => placeCards(sizes, size, barsOf(model)), [sizes, size, barsOf(model)]);
  const [view, measure] = useVisibleRange(root, size.height);
  const [active, setActive] = useState(null);
  const domain = useMemo(() => sharedDomain(model.columns.names), [model.columns.names]);
  const moment = useFrame();
  const inView = nodeInView.value;
  const pinned = store.pinned.value.node;
  const names = model.columns.names;

  const cardBox = (name) => {
    const i = model.index.get(name);
    const g = model.groups.findIndex((group) => group.members.includes(i));
    if (g < 0) return null;
    const place = cardAt(plan, model.groups[g].members.indexOf(i));
    return { top: plan.blocks[g].y + place.y, bottom: plan.blocks[g].y + place.y + plan.card.height };
  };
  const reveal = (name) => {
    const box = cardBox(name);
    if (!box) return;
    const { scrollTop, clientHeight } = root.current;
    if (box.top < scrollTop + 28 || box.bottom > scrollTop + clientHeight)
      root.current.scrollTop = Math.max(0, box.top - clientHeight / 3);
    measure();
  };
  useLayoutEffect(() => {
    if (focusNode.peek()) reveal(focusNode.peek());
    focusNode.value = null;
  }, [focusNode.value]);

  const visible = model.groups.map(({ members }, g) => {
    const [first, end] = plan.fits
      ? [0, members.length]
      : cardsBetween(plan, plan.blocks[g], members.length, view.from, view.to);
    return members.slice(first, end).map((i, k) => ({ i, place: cardAt(plan, first + k) }));
  });
  const drawn = visible.flat().map(({ i }) => names[i]);
  useEffect(() => {
    showPodsOf(drawn);
  }, [drawn.join(" "), moment?.record, model.columns.pods]);

  const first = active !== null && drawn.includes(active) ? active : drawn.includes(pinned) ? pinned : drawn[0];
  const handleKey = (event) => {
    const focused = document.activeElement?.dataset.node;
    if (!focused || !(event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const all = model.groups.flatMap(({ members }, g) =>
      members.map((i, k) => {
        const place = cardAt(plan, k);
        return { i, x: plan.blocks[g].x + place.x, y: plan.blocks[g].y + place.y };
      }),
    );
    const focusedIndex = all.findIndex(({ i }) => names[i] === focused);
    const next =
      event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : findNeighbour(all, focusedIndex, event.key);
    if (next < 0) return;
    const name = names[all[next].i];
    setActive(name);
    reveal(name);
    requestAnimationFrame(() =>
      root.current?.querySelector(`[data-node="${CSS.escape(name)}"]`)?.focus({ preventScroll: true }),
    );
  };
  return html`<div class="cards scroll" ref=${root} role="group" aria-label=${_("Nodes")} onKeyDown=${handleKey}
    onScroll=${measure}
  >
    <div class="cards-area" style=${{ height: `${plan.height}px` }}>
      ${model.groups.map(
        ({ label, members }, g) => html`<section class="group" key=${label} style=${pixelStyle(plan.blocks[g])}>
          <h3 class="row">
            <span class="cut grow" title=${groupName(label)}>${groupName(label)}</span>
            <span class="quiet">
              ${
                moment?.searching
                  ? remainingText(moment, countRemaining(model, members, moment), members.length)
                  : formatNumber(members.length)
              }
            </span>
          </h3>
          ${visible[g].map(({ i, place }) => {
            const node = describeNode(model, i, moment);
            return html`<${Card} key=${node.name} node=${node} moment=${moment} domain=${domain} i=${i} place=${place}
              card=${plan.card} full=${plan.style === "full"} heat=${heat} inView=${node.name === inView}
              pinned=${node.name === pinned} tabbable=${node.name === first}
            />`;
          })}
        </section>`,
      )}
    </div>
  </div>`;
}
