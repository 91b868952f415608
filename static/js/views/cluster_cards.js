/** Nodes as cards: verdict, score, bars with what the pod would add, and the reason in words. */
import { html, useRef } from "../../vendor/preact.js";
import { hover, pinNode } from "../actions/select.js";
import { share } from "../format.js";
import { _, fill, number } from "../i18n.js";
import { aliveOf, describeNode, groupName } from "../nodes_model.js";
import { nodeInView, store } from "../store.js";
import { verdictWord } from "../words.js";
import { icon, verdictMark } from "./parts/icon.js";

const CARD = { width: 116, height: 70, gap: 8 };
const GROUP_HEAD = 28;
const GROUP_GAP = 16;
const MARGIN = 18; // px kept free at the right
const WIDEST = 200; // px, so that a lone node does not fill the panel
const ALWAYS = 16; // so few nodes are cards even where they must scroll

/** How many groups stand side by side, how many cards are in a row, and how high that is: the lowest way. */
function arrange(model, width) {
  const sizes = model.groups.map((group) => group.members.length);
  let best = { columns: 1, perRow: 1, height: Infinity };
  for (let columns = 1; columns <= sizes.length; columns += 1) {
    const inner = (width - MARGIN - GROUP_GAP * (columns - 1)) / columns;
    const fits = Math.floor((inner + CARD.gap) / (CARD.width + CARD.gap));
    if (fits < 1 && columns > 1) break;
    const most = Math.max(...sizes);
    // As many rows as are needed, and these filled evenly: four cards are 2 + 2, not 3 + 1.
    const perRow = Math.max(1, Math.ceil(most / Math.ceil(most / Math.max(1, fits))));
    let height = 0;
    for (let i = 0; i < sizes.length; i += columns) {
      const rows = Math.ceil(Math.max(...sizes.slice(i, i + columns)) / perRow);
      height += GROUP_HEAD + rows * (CARD.height + CARD.gap) + GROUP_GAP;
    }
    if (height < best.height) best = { columns, perRow, height };
  }
  return best;
}

/** Height in px that the nodes take as cards in `width` px; infinite without nodes. */
export const cardsHeight = (model, width) => arrange(model, width).height - GROUP_GAP;

/** Do all nodes fit as cards? */
export function cardsFit(model, { width, height }) {
  return model.columns.names.length <= ALWAYS || cardsHeight(model, width) <= height;
}

function Bar({ bar, alive }) {
  const used = Math.min(100, (bar.used / bar.total) * 100);
  const added = alive && bar.added ? Math.min(100 - used, (bar.added / bar.total) * 100) : 0;
  return html`<span class="bar" title=${share(bar.resource, bar.used, alive ? bar.added : 0, bar.total)}>
    <i style=${{ width: `${used}%` }} />${added > 0 && html`<i class="add" style=${{ left: `${used}%`, width: `${added}%` }} />`}
  </span>`;
}

/** The bars in words, for those who do not see them. */
const barsInWords = (node) => node.bars.map((bar) => share(bar.resource, bar.used, node.alive ? bar.added : 0, bar.total)).join(", ");

function Card({ node, inView, pinned, tabbable }) {
  const word = node.reason || (node.cordoned ? `${_("cordoned")} · ${node.numbers}` : node.numbers);
  return html`<button type="button" class=${`node v-${node.state} ${inView ? "in-view" : ""} ${pinned ? "pinned" : ""}`} data-node=${node.name} data-verdict=${node.state}
    aria-pressed=${pinned} tabindex=${tabbable ? 0 : -1} onClick=${() => pinNode(node.name)}
    onPointerEnter=${() => hover({ node: node.name })} onPointerLeave=${() => hover({ node: null })}>
    <span class="node-head">${verdictMark(node.state)} <span class="mono cut grow">${node.name}</span><span class="sr"> ${verdictWord(node.state)} ${barsInWords(node)} </span></span>
    <span class="bars">${node.bars.map((bar) => html`<${Bar} key=${bar.resource} bar=${bar} alive=${node.alive} />`)}</span>
    <span class=${`node-word ${node.nominated ? "is-waiting" : node.reason ? "is-rejected" : ""}`} title=${node.reasons.join(", ") || word}><span class="cut grow">${node.nominated && icon("waiting")} ${word}</span>${node.total !== null && html`<b class="num">${number(node.total)}</b>`}</span>
  </button>`;
}

export function Cards({ model, width }) {
  const root = useRef(null);
  const { columns, perRow } = arrange(model, width);
  const inView = nodeInView.value;
  const pinned = store.pinned.value.node;
  const first = pinned ?? model.columns.names[model.groups[0].members[0]];
  const key = (event) => {
    const cards = [...root.current.querySelectorAll(".node")];
    const at = cards.indexOf(document.activeElement);
    const way = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" }[event.key];
    if (at < 0 || way === undefined) return;
    event.preventDefault();
    const next = typeof way === "number" ? cards[at + way] : neighbour(cards, at, way);
    next?.focus();
    if (next) hover({ node: next.dataset.node });
  };
  return html`<div class="cards scroll" ref=${root} role="group" aria-label=${_("Nodes")} data-keys onKeyDown=${key} style=${{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
    ${model.groups.map(({ label: name, members }) => {
      const nodes = members.map((i) => describeNode(model, i));
      const feasible = nodes.filter((node) => node.alive).length;
      const searched = nodes.some((node) => node.state !== "idle");
      return html`<section class="group" key=${name}>
        <h3 class="row"><span class="cut grow">${groupName(name)}</span>
          <span class="quiet">${searched ? aliveOf(feasible, nodes.length) : number(nodes.length)}</span></h3>
        <div class="group-cards" style=${{ gridTemplateColumns: `repeat(${perRow}, minmax(0, ${WIDEST}px))` }}>${nodes.map((node) => html`<${Card} key=${node.name} node=${node} inView=${node.name === inView} pinned=${node.name === pinned} tabbable=${node.name === first} />`)}</div>
      </section>`;
    })}
  </div>`;
}

/** The card above or below, by where it is drawn; the first and the last by order. */
function neighbour(cards, at, way) {
  if (way === "first") return cards[0];
  if (way === "last") return cards.at(-1);
  const here = cards[at].getBoundingClientRect();
  const ahead = (box) => (way === "down" ? box.top >= here.bottom - 1 : box.bottom <= here.top + 1);
  const distance = (box) => Math.abs(box.left - here.left) + Math.abs(box.top - here.top) * 3;
  const candidates = cards.map((card) => [card, card.getBoundingClientRect()]).filter(([, box]) => ahead(box));
  return candidates.sort(([, a], [, b]) => distance(a) - distance(b))[0]?.[0];
}
