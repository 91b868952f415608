/** A virtual table that creates only visible rows. Arrow keys move, Enter activates; it has the grid role. */
import { scrubbing } from "../base/frame_scheduler.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";

const ROW = 26;
const SPARE = 6;
const PAGE = 10;

/**
 * `columns`: [{id, head, cell(row), width, className?, label?}]; `rowAt(i)` → {key, className?, selected?, level?,
 * expanded?}; `onActivate(row, column, byKey)`: click or Enter; `onExpand(row, open)`: → and ← on a row with
 * `expanded`; `onHover(row | null, column)`.
 */
export function Grid({ id, label, columns, count, rowAt, onActivate, onExpand, onHover, top = 0 }) {
  const box = useRef(null);
  const [view, setView] = useState({ from: 0, to: 40 });
  const [active, setActive] = useState(0);
  // During a scrub only visible rows are drawn.
  const isScrubbing = scrubbing.value;
  const activeRow = Math.min(active, Math.max(0, count - 1));

  // The scroll position from events: reading it would force a layout in every frame.
  const scrolled = useRef({ top: 0, height: 600 });

  const measure = () => {
    if (!box.current) return;
    // The observer below keeps the function of the first drawing, so this reads the signal, not `isScrubbing`.
    const more = scrubbing.peek() ? 0 : SPARE;
    const from = Math.max(0, Math.floor(scrolled.current.top / ROW) - more);
    const to = Math.ceil((scrolled.current.top + scrolled.current.height) / ROW) + more;
    setView((old) => (old.from === from && old.to === to ? old : { from, to }));
  };
  const scroll = () => {
    scrolled.current.top = box.current.scrollTop;
    measure();
  };
  useLayoutEffect(measure, [count, isScrubbing]);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (!box.current) return; // the last event may come after the grid is removed
      scrolled.current.height = box.current.clientHeight;
      measure();
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (top !== null && scrolled.current.top > 0) box.current.scrollTop = 0;
  }, [top]);

  const moveTo = (index) => {
    const next = Math.max(0, Math.min(count - 1, index));
    setActive(next);
    const { scrollTop, clientHeight } = box.current;
    const head = ROW + 4;
    if (next * ROW < scrollTop) box.current.scrollTop = next * ROW;
    else if ((next + 1) * ROW + head > scrollTop + clientHeight)
      box.current.scrollTop = (next + 1) * ROW + head - clientHeight;
  };
  const handleKey = (event) => {
    const row = count ? rowAt(activeRow) : null;
    const moves = {
      ArrowDown: activeRow + 1,
      ArrowUp: activeRow - 1,
      PageDown: activeRow + PAGE,
      PageUp: activeRow - PAGE,
      Home: 0,
      End: count - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) moveTo(moves[event.key]);
    else if (event.key === "Enter" && row) onActivate?.(row, null, true);
    else if (event.key === "ArrowRight" && row?.expanded === false) onExpand(row, true);
    else if (event.key === "ArrowLeft" && row?.expanded) onExpand(row, false);
    else return;
    event.preventDefault();
  };

  const template = columns.map((column) => column.width).join(" ");
  // Every row is at least as wide as its columns, so that they align when the grid scrolls sideways.
  const rowStyle = {
    gridTemplateColumns: template,
    minWidth: `${columns.reduce((sum, column) => sum + Number(column.width.match(/\d+/)[0]), 0)}px`,
  };
  // A row's key is its position, not its node, so that the next cycle reuses its elements.
  const rows = [];
  for (let i = view.from; i < Math.min(view.to, count); i += 1) rows.push([i, rowAt(i)]);
  return html`<div class="grid scroll" ref=${box} id=${id} role=${onExpand ? "treegrid" : "grid"} aria-label=${label}
    aria-rowcount=${count + 1} aria-colcount=${columns.length} tabindex="0"
    aria-activedescendant=${count ? `${id}-${activeRow}` : undefined} onScroll=${scroll} onKeyDown=${handleKey}
    onPointerLeave=${() => onHover?.(null, null)}
  >
    <div class="grid-row grid-head" role="row" aria-rowindex="1" style=${rowStyle}>
      ${columns.map(
        (column) => html`<div role="columnheader" key=${column.id} class=${column.className} title=${column.label}
          aria-label=${column.label} aria-sort=${column.sort}
        >${column.head}</div>`,
      )}
    </div>
    <div class="grid-rows" role="presentation" style=${{ height: `${count * ROW}px`, minWidth: rowStyle.minWidth }}>
      ${rows.map(
        ([index, row]) => html`<div role="row" key=${index} id=${`${id}-${index}`} aria-rowindex=${index + 2}
          aria-selected=${row.selected ? "true" : "false"} aria-expanded=${row.expanded}
          aria-level=${onExpand ? (row.level ?? 1) : undefined}
          class=${`grid-row ${row.className ?? ""} ${index === activeRow ? "active" : ""}`}
          style=${{ ...rowStyle, top: `${index * ROW}px` }}
          onClick=${(event) => {
            setActive(index);
            onActivate?.(row, event.target.closest("[data-column]")?.dataset.column ?? null);
          }} onPointerOver=${(event) => onHover?.(row, event.target.closest("[data-column]")?.dataset.column ?? null)}
        >
          ${columns.map(
            (
              column,
              order,
            ) => html`<div role=${order === 0 ? "rowheader" : "gridcell"} key=${column.id} data-column=${column.id}
              class=${column.className}
            >${column.cell(row)}</div>`,
          )}
        </div>`,
      )}
    </div>
  </div>`;
}
