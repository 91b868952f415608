/** Many nodes as cells on a canvas: level = how full, outline and shape = verdict. The DOM says what is under the pointer. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { hover, pinNode } from "../actions/select.js";
import { verdictOf } from "../frame.js";
import { _, fill, number } from "../i18n.js";
import { aliveOf, describeNode, fullness, groupName } from "../nodes_model.js";
import { theme } from "../preferences.js";
import { frame, ground, nodeInView, store } from "../store.js";
import { verdictWord } from "../words.js";
import { BLOCK, HEAD, layOut } from "./cell_layout.js";
import { paint, readPalette } from "./cell_paint.js";
import { NodeTip } from "./node_tip.js";
import { icon } from "./parts/icon.js";

const TIP = { width: 260, below: 14 };
const ROOMY = 190; // px that a label and its counts in words need
const MARGIN = 16; // px kept free at the right

/** Cells in drawing order: [{i, x, y}] and the way back from a point. */
function cellsOf(model, plan) {
  const cells = [];
  model.groups.forEach(({ members }, g) => {
    const { x, y, perRow } = plan.blocks[g];
    members.forEach((i, k) => cells.push({ i, x: x + (k % perRow) * plan.cell, y: y + HEAD + Math.floor(k / perRow) * plan.cell }));
  });
  return cells;
}

function find(model, plan, x, y) {
  for (let g = model.groups.length - 1; g >= 0; g -= 1) {
    const block = plan.blocks[g];
    const column = Math.floor((x - block.x) / plan.cell);
    const row = Math.floor((y - block.y - HEAD) / plan.cell);
    if (column < 0 || column >= block.perRow || row < 0) continue;
    const i = model.groups[g].members[row * block.perRow + column];
    if (i !== undefined) return i;
  }
  return -1;
}

export function Cells({ model, size: outer }) {
  const size = useMemo(() => ({ width: Math.max(BLOCK, outer.width - MARGIN), height: outer.height - 8 }), [outer]);
  const canvas = useRef(null);
  const box = useRef(null);
  const [tip, setTip] = useState(null);
  const [active, setActive] = useState(0);
  const plan = useMemo(() => layOut(model.groups.map((group) => group.members.length), size.width, size.height), [model, size.width, size.height]);
  const cells = useMemo(() => cellsOf(model, plan), [model, plan]);
  const moment = frame.value;
  const basis = ground.value;
  const pinned = store.pinned.value.node;
  const inView = nodeInView.value;
  const colours = theme();
  const height = Math.max(plan.height, 1);

  useEffect(() => {
    const levels = model.columns.names.map((_name, i) => fullness(model, i));
    const states = model.columns.names.map((name) => verdictOf(moment, name).state);
    paint(canvas.current, { cells, cell: plan.cell, width: size.width, height, levels, states, palette: readPalette() });
  }, [cells, moment, basis, colours, size.width]);

  const point = (event) => {
    const { left, top } = canvas.current.getBoundingClientRect();
    const i = find(model, plan, event.clientX - left, event.clientY - top);
    hover({ node: i < 0 ? null : model.columns.names[i] });
    setTip(i < 0 ? null : { i, x: event.clientX, y: event.clientY });
    return i;
  };
  const leave = () => {
    hover({ node: null });
    setTip(null);
  };
  const key = (event) => {
    const perRow = plan.blocks[0].perRow;
    const way = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter") return pinNode(model.columns.names[cells[active].i]);
    if (way === undefined) return undefined;
    event.preventDefault();
    const next = Math.max(0, Math.min(cells.length - 1, active + way));
    setActive(next);
    const { left, top } = canvas.current.getBoundingClientRect();
    hover({ node: model.columns.names[cells[next].i] });
    setTip({ i: cells[next].i, x: left + cells[next].x + plan.cell, y: top + cells[next].y + plan.cell });
    return undefined;
  };
  const ring = (name, className, grows = 0) => {
    const cell = name && cells.find(({ i }) => model.columns.names[i] === name);
    if (!cell) return null;
    return html`<i class=${`ring ${className}`} style=${{ left: `${cell.x - 2 - grows}px`, top: `${cell.y - 2 - grows}px`, width: `${plan.cell + 2 + grows * 2}px`, height: `${plan.cell + 2 + grows * 2}px` }}>${grows ? icon("chosen") : ""}</i>`;
  };
  const current = describeNode(model, cells[Math.min(active, cells.length - 1)].i);
  return html`<div class="cells scroll" ref=${box} role="listbox" tabindex="0" data-keys aria-activedescendant="cell-active"
    aria-label=${fill(_("Map of {n} nodes; the same as a table: switch to “table”"), { n: number(cells.length) })}
    onKeyDown=${key} onBlur=${leave} onPointerLeave=${leave} onPointerMove=${point}
    onClick=${(event) => {
      const i = point(event);
      if (i >= 0) pinNode(model.columns.names[i]);
    }}>
    <div class="cells-area" role="presentation" style=${{ height: `${height}px` }}>
      <canvas ref=${canvas} style=${{ width: `${size.width}px`, height: `${height}px` }} aria-hidden="true" />
      ${model.groups.map(({ label, members }, g) => {
        const alive = moment?.searching ? members.filter((i) => ["candidate", "pass", "chosen"].includes(verdictOf(moment, model.columns.names[i]).state)).length : null;
        return html`<p class="cells-head row" aria-hidden="true" key=${label} style=${{ left: `${plan.blocks[g].x}px`, top: `${plan.blocks[g].y}px`, width: `${plan.blocks[g].width}px` }}>
          <span class="cut">${groupName(label)}</span>
          <span class="quiet cut">${alive === null ? number(members.length) : aliveOf(alive, members.length, plan.blocks[g].width < ROOMY)}</span></p>`;
      })}
      ${ring(inView, "hovered")}${ring(pinned, "pinned")}${ring(moment?.record.cycle.node && verdictOf(moment, moment.record.cycle.node).state === "chosen" ? moment.record.cycle.node : null, "chosen", plan.cell < 18 ? 3 : 0)}
      <span class="sr" role="option" id="cell-active" aria-selected=${current.name === pinned ? "true" : "false"} aria-posinset=${active + 1} aria-setsize=${cells.length}>
        ${current.name}: ${verdictWord(current.state)} ${current.reasons.join(", ")}
      </span>
    </div>
    ${tip && html`<${NodeTip} node=${describeNode(model, tip.i)} x=${Math.min(tip.x + TIP.below, innerWidth - TIP.width - 8)} y=${tip.y + TIP.below} />`}
  </div>`;
}
