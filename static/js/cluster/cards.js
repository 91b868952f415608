/** Nodes as cards: verdict, score, one bar per resource with the pod's share, pods as dots, and the reason in words. */
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { seeNodes } from "../nodes/pods_on_nodes.js";
import { chooseNode, hover } from "../cycle/select.js";
import { amount, resourceWord, share, unit } from "../base/format.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { aliveAmong, aliveOf, barsOf, describeNode, groupName, hasDevices } from "../nodes/nodes_model.js";
import { staleWords } from "../cycle/stale.js";
import { nodeInView, store } from "../base/store.js";
import { verdictWord } from "../cycle/words.js";
import { focusNode } from "./zoom.js";
import { cardAt, cardsBetween, neighbour, placeCards } from "./card_layout.js";
import { icon, verdictMark } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Track } from "../parts/track.js";
import { PodDots } from "./pod_dots.js";
import { useFrame } from "../cycle/frames.js";

const DeviceCells = lazy(
  () => import("../devices/cells.js").then((module) => module.DeviceCells),
  html`<span class="bar-line" />`,
);
const SPARE = 200; // px drawn above and below the visible part
const WIDE = 240; // px of a card that is wide enough for a whole sentence
const PADDING = 18; // px of a card left and right of its content

function Bar({ bar, alive, full }) {
  const words = share(bar.resource, bar.used, alive ? bar.added : 0, bar.total);
  const track = html`<${Track} bar=${bar} alive=${alive} title=${words} />`;
  if (!full) return track;
  const plus = alive && bar.added ? ` + ${amount(bar.resource, bar.added)}` : "";
  return html`<span class="bar-line">
    <span class="cut quiet" title=${bar.resource}>${resourceWord(bar.resource)}</span>
    ${track}
    <span class="bar-words" title=${`${bar.resource}: ${words}`}>
      <b>${amount(bar.resource, bar.used)}${plus}</b> / ${amount(bar.resource, bar.total)} ${unit(bar.resource)}
    </span>
  </span>`;
}

/** Return the bars as text for screen readers. */
const barsInWords = (node) =>
  node.bars.map((bar) => share(bar.resource, bar.used, node.alive ? bar.added : 0, bar.total)).join(", ");

const inPixels = ({ x, y, width, height }) => ({
  width: `${width}px`,
  height: `${height}px`,
  left: `${x}px`,
  top: `${y}px`,
});

/** A verdict that is older than a change. A narrow card shows only a mark. */
function BeforeChange({ word, wide }) {
  const whole = fill(_("before your change: {reason}"), { reason: word });
  if (wide) return whole;
  return html`<span class="sr">${whole}</span>
    <span aria-hidden="true">${icon("waiting")} ${word}</span>`;
}

function Card({ node, moment, domain, place, card, full, heat, i, inView, pinned, tabbable }) {
  const step = heat?.step(i);
  const name = node.name.slice(0, node.name.length - domain.length);
  const strong = heat ? heat.word(i) : (node.total ?? node.soFar) !== null && number(node.total ?? node.soFar);
  const short = node.cordoned ? _("cordoned") : strong ? node.sum : node.short;
  const word = node.reason || (full ? (node.cordoned ? _("cordoned") : verdictWord(node.state)) : short);
  const adding = !heat && node.total === null && node.soFar !== null;
  const looks = [
    `node v-${node.state}`,
    full && "full",
    heat && `heat-${step ?? "none"}`,
    inView && "in-view",
    pinned && "pinned",
    node.dropped && "dropped",
    node.stale && "stale",
  ];
  return html`<button type="button" class=${looks.filter(Boolean).join(" ")} data-node=${node.name}
    data-verdict=${node.state} aria-pressed=${pinned} tabindex=${tabbable ? 0 : -1}
    style=${inPixels({ ...place, ...card })} onClick=${() => chooseNode(node.name)}
    onFocus=${() => hover({ node: node.name })} onPointerEnter=${() => hover({ node: node.name })}
    onPointerLeave=${() => hover({ node: null })}
  >
    <span class="node-head">
      ${verdictMark(node.state)} <span class="mono cut tail grow" title=${node.name}><bdi>${name}</bdi></span>
      <span class="sr"> ${verdictWord(node.state)} ${barsInWords(node)}
        , ${ngettext("{n} pod", "{n} pods", node.pods)} </span>
    </span>
    <span class="bars">
      ${node.bars.map((bar) => html`<${Bar} key=${bar.resource} bar=${bar} alive=${node.alive} full=${full} />`)}
      ${hasDevices.value && html`<${DeviceCells} node=${node.name} width=${card.width - PADDING} full=${full} />`}
    </span>
    <${PodDots} node=${node} moment=${moment} width=${card.width - PADDING} colourOf=${heat?.ofPod} />
    <span class=${`node-word ${node.nominated ? "is-waiting" : node.reason ? "is-rejected" : ""}`}
      title=${
        (node.stale && staleWords(node.stale)) ||
        node.title ||
        [node.cordoned && _("cordoned"), node.numbers].filter(Boolean).join(" · ")
      }
    >
      <span class="cut grow">
        ${node.nominated && icon("waiting")} ${
          node.stale ? html`<${BeforeChange} word=${word} wide=${card.width >= WIDE} />` : word
        }
      </span>
      ${
        strong &&
        html`<b class=${`num ${adding ? "so-far" : ""}`} title=${adding ? _("the scores so far") : undefined}>
          ${adding && html`<span class="sr">${_("the scores so far")} </span>Σ `}
          ${strong}
        </b>`
      }
    </span>
  </button>`;
}

/** Return the visible part of a scrolling box, in px of its content. */
function useWindow(root, height) {
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
function domainOf(names) {
  const domain = /\..*$/.exec(names[0])?.[0];
  return domain && names.every((name) => name.endsWith(domain)) ? domain : "";
}

export function Cards({ model, size, heat }) {
  const root = useRef(null);
  const sizes = useMemo(() => model.groups.map((group) => group.members.length), [model.groups]);
  const plan = useMemo(() => placeCards(sizes, size, barsOf(model)), [sizes, size, barsOf(model)]);
  const [view, measure] = useWindow(root, size.height);
  const [active, setActive] = useState(null);
  const domain = useMemo(() => domainOf(model.columns.names), [model.columns.names]);
  const moment = useFrame();
  const inView = nodeInView.value;
  const pinned = store.pinned.value.node;
  const names = model.columns.names;

  const boxOf = (name) => {
    const i = model.index.get(name);
    const g = model.groups.findIndex((group) => group.members.includes(i));
    if (g < 0) return null;
    const place = cardAt(plan, model.groups[g].members.indexOf(i));
    return { top: plan.blocks[g].y + place.y, bottom: plan.blocks[g].y + place.y + plan.card.height };
  };
  const reveal = (name) => {
    const box = boxOf(name);
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

  const shown = model.groups.map(({ members }, g) => {
    const [first, end] = plan.fits
      ? [0, members.length]
      : cardsBetween(plan, plan.blocks[g], members.length, view.from, view.to);
    return members.slice(first, end).map((i, k) => ({ i, place: cardAt(plan, first + k) }));
  });
  const drawn = shown.flat().map(({ i }) => names[i]);
  useEffect(() => {
    seeNodes(drawn);
  }, [drawn.join(" "), moment?.record, model.columns.pods]);

  const first = active !== null && drawn.includes(active) ? active : drawn.includes(pinned) ? pinned : drawn[0];
  const key = (event) => {
    const focused = document.activeElement?.dataset.node;
    if (!focused || !(event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const all = model.groups.flatMap(({ members }, g) =>
      members.map((i, k) => {
        const place = cardAt(plan, k);
        return { i, x: plan.blocks[g].x + place.x, y: plan.blocks[g].y + place.y };
      }),
    );
    const at = all.findIndex(({ i }) => names[i] === focused);
    const next = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : neighbour(all, at, event.key);
    if (next < 0) return;
    const name = names[all[next].i];
    setActive(name);
    reveal(name);
    requestAnimationFrame(() =>
      root.current?.querySelector(`[data-node="${CSS.escape(name)}"]`)?.focus({ preventScroll: true }),
    );
  };
  return html`<div class="cards scroll" ref=${root} role="group" aria-label=${_("Nodes")} onKeyDown=${key}
    onScroll=${measure}
  >
    <div class="cards-area" style=${{ height: `${plan.height}px` }}>
      ${model.groups.map(
        ({ label, members }, g) => html`<section class="group" key=${label} style=${inPixels(plan.blocks[g])}>
          <h3 class="row">
            <span class="cut grow" title=${groupName(label)}>${groupName(label)}</span>
            <span class="quiet">
              ${
                moment?.searching
                  ? aliveOf(moment, aliveAmong(model, members, moment), members.length)
                  : number(members.length)
              }
            </span>
          </h3>
          ${shown[g].map(({ i, place }) => {
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
