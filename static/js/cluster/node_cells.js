/**
 * Many nodes as cells on a canvas: level = how full, outline and shape = verdict; or colors by use or score. The DOM
 * describes the cell under the pointer.
 */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { chooseNode, hover } from "../cycle/selection.js";
import { verdictOf } from "../cycle/frame.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import {
  countRemaining,
  remainingText,
  describeNode,
  fullness,
  groupName,
  isNominated,
  nodesInView,
} from "../nodes/nodes_model.js";
import { theme } from "../base/preferences.js";
import { nodeInView, store } from "../base/store.js";
import { verdictWord } from "../cycle/cycle_texts.js";
import { findNeighbour } from "./card_layout.js";
import { listCells, layOutCells, nodeAt } from "./cell_layout.js";
import { paintCells, readPalette } from "./cell_paint.js";
import { verdictsByNode } from "./node_verdicts.js";
import { NodeTip } from "./node_tip.js";
import { icon } from "../parts/icon.js";
import { useFrame } from "../cycle/panel_frames.js";

const TIP = { width: 260, below: 14 };
const MARGIN = 16; // px kept free at the right
const LEAST = 84; // minimal height of the cells in px

/** Measure each group's name, its count in numbers, and its count in words. */
function useHeadWidths(groups, moment) {
  return useMemo(() => {
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(document.body);
    pen.font = `12px ${style.fontFamily}`;
    const textWidth = (text) => Math.ceil(pen.measureText(text).width);
    return groups.map(({ label, members }) => {
      const name = textWidth(groupName(label)) + 10;
      return {
        short: name + textWidth(remainingText(moment, members.length, members.length, true)),
        long: name + textWidth(remainingText(moment, members.length, members.length)) + 4,
      };
    });
  }, [groups]);
}

/** A frame around one cell; the chosen node has its own mark where cells are small. */
function Ring({ cell, side, name, className, grows = 0 }) {
  if (!cell) return null;
  const long = `${side + 2 + grows * 2}px`;
  return html`<i class=${`ring ${className}`} data-ring=${name}
    style=${{ left: `${cell.x - 2 - grows}px`, top: `${cell.y - 2 - grows}px`, width: long, height: long }}
  >${grows ? icon("chosen") : null}</i>`;
}

/** Return where an element is drawn, and its magnification on a presenter's page. */
function drawnPosition(element) {
  const { left, top, width } = element.getBoundingClientRect();
  return { left, top, by: width / element.offsetWidth || 1 };
}

export function Cells({ model, size: outer, heat }) {
  const size = useMemo(() => ({ width: Math.max(LEAST, outer.width - MARGIN), height: outer.height - 8 }), [outer]);
  const canvas = useRef(null);
  const [tip, setTip] = useState(null);
  const [active, setActive] = useState(0);
  const moment = useFrame();
  const heads = useHeadWidths(model.groups, moment);
  const plan = useMemo(
    () =>
      layOutCells(
        model.groups.map((group) => group.members.length),
        size.width,
        size.height,
        heads.map((head) => head.short),
      ),
    [model.groups, heads, size.width, size.height],
  );
  const cells = useMemo(() => listCells(model.groups, plan), [model.groups, plan]);
  const cellOf = useMemo(() => new Map(cells.map((cell) => [cell.i, cell])), [cells]);
  const basis = nodesInView.value;
  const pinned = store.pinned.value.node;
  const colours = theme();
  const height = Math.max(plan.height, 1);
  const names = model.columns.names;
  const states = verdictsByNode(model, moment);

  useEffect(() => {
    paintCells(canvas.current, {
      cells,
      cell: plan.cell,
      width: size.width,
      height,
      states,
      levels: fullness(model),
      step: heat?.step,
      palette: readPalette(),
    });
  }, [cells, moment, basis, colours, size.width, heat]);

  const pointAtCell = (event) => {
    const { left, top, by } = drawnPosition(canvas.current);
    const i = nodeAt(model.groups, plan, (event.clientX - left) / by, (event.clientY - top) / by);
    hover({ node: i < 0 ? null : names[i] });
    setTip(i < 0 ? null : { i, x: event.clientX, y: event.clientY });
    return i;
  };
  const leave = () => {
    hover({ node: null });
    setTip(null);
  };
  const handleKey = (event) => {
    const ends = { Home: 0, End: cells.length - 1 };
    if (event.key === "Enter") return chooseNode(names[cells[active].i]);
    if (!event.key.startsWith("Arrow") && !(event.key in ends)) return undefined;
    event.preventDefault();
    const next = ends[event.key] ?? findNeighbour(cells, active, event.key);
    if (next < 0) return undefined;
    setActive(next);
    const { left, top, by } = drawnPosition(canvas.current);
    hover({ node: names[cells[next].i] });
    setTip({ i: cells[next].i, x: left + (cells[next].x + plan.cell) * by, y: top + (cells[next].y + plan.cell) * by });
    return undefined;
  };
  const click = (event) => {
    const i = pointAtCell(event);
    if (i < 0) return;
    setActive(cells.findIndex((cell) => cell.i === i));
    chooseNode(names[i]);
  };
  const ring = (name, className, grows) =>
    name &&
    html`<${Ring} key=${className} cell=${cellOf.get(model.index.get(name))} side=${plan.cell} name=${name}
      className=${className} grows=${grows}
    />`;
  const chosen =
    moment?.record.cycle.node && verdictOf(moment, moment.record.cycle.node).state === "chosen"
      ? moment.record.cycle.node
      : null;
  const nominated =
    moment?.record.cycle.nominated && isNominated(moment, moment.record.cycle.nominated)
      ? moment.record.cycle.nominated
      : null;
  const current = describeNode(model, cells[Math.min(active, cells.length - 1)].i, moment);
  return html`<div class="cells scroll" role="listbox" tabindex="0" aria-activedescendant="cell-active"
    aria-label=${fill(_("Map of {n} nodes; the same as a table: switch to “table”"), { n: formatNumber(cells.length) })}
    onKeyDown=${handleKey} onBlur=${leave} onPointerLeave=${leave} onPointerMove=${pointAtCell} onClick=${click}
  >
    <div class="cells-area" role="presentation" style=${{ height: `${height}px` }}>
      <canvas ref=${canvas} style=${{ width: `${size.width}px`, height: `${height}px` }} aria-hidden="true" />
      ${model.groups.map(({ label, members }, g) => {
        const alive = moment?.searching ? countRemaining(model, members, moment) : null;
        const { x, y, width } = plan.blocks[g];
        return html`<p class="cells-head row" aria-hidden="true" key=${label} title=${groupName(label)}
          style=${{ left: `${x}px`, top: `${y}px`, width: `${width}px` }}
        >
          <span class="cut grow">${groupName(label)}</span>
          <span class="quiet">
            ${
              alive === null
                ? formatNumber(members.length)
                : remainingText(moment, alive, members.length, width < heads[g].long)
            }
          </span>
        </p>`;
      })}
      ${ring(nodeInView.value, "hovered", 0)}
      ${ring(pinned, "pinned", 0)}
      ${ring(nominated, "nominated", 0)}
      ${ring(chosen, "chosen", plan.cell < 18 ? 3 : 0)}
      <span class="sr" role="option" id="cell-active" aria-selected=${current.name === pinned ? "true" : "false"}
        aria-posinset=${active + 1} aria-setsize=${cells.length}
      >${current.name}: ${verdictWord(current.state)} ${current.reasons.join(", ") || null}</span>
    </div>
    ${
      tip &&
      html`<${NodeTip} node=${describeNode(model, tip.i, moment)}
        x=${Math.min(tip.x + TIP.below, innerWidth - TIP.width - 8)} y=${tip.y + TIP.below}
      />`
    }
  </div>`;
}
