/** The plugins of a profile by extension point: order, on and off, weights. */
import { html, signal, useEffect, useRef } from "../../vendor/preact.js";
import { editByForm } from "./actions.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { atPoint, available, multiPoint, problemsAt } from "./model.js";
import { disable, enable, move, resetPoint } from "./text.js";
import { speakOut } from "../base/screen.js";
import { icon } from "../parts/icon.js";
import { Problems } from "./field.js";
import { Group } from "./group.js";
import { originText } from "./origin.js";
import { Weight } from "./weight.js";

// The handle that keeps the focus when its plugin has moved: {point, plugin}.
let refocus = null;
const dragging = signal(null); // {point, from, to}

function moveTo(at, point, entries, from, to, form, what = `move ${point} ${entries[from].plugin}`) {
  if (to < 0 || to >= entries.length || to === from) return;
  const { plugin } = entries[from];
  refocus = { point, plugin };
  editByForm(what, (text) => move(text, at, point, from, to, form));
  speakOut(fill(_("{plugin} is at place {n} of {all}"), { plugin, n: to + 1, all: entries.length }));
}

function Handle({ at, point, entries, place, form }) {
  const { plugin } = entries[place];
  const button = useRef(null);
  useEffect(() => {
    if (refocus?.point !== point || refocus.plugin !== plugin) return;
    refocus = null;
    button.current?.focus();
  }, [place]);
  const key = (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = way ? place + way : { Home: 0, End: entries.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(at, point, entries, place, to, form);
  };
  const down = (event) => {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const rows = [...handle.closest("ol").querySelectorAll(":scope > .plugin")];
    handle.setPointerCapture(event.pointerId);
    const track = (now) => {
      // The place among the others: as many rows as have their middle above the pointer.
      const to = rows.filter(
        (row, index) => index !== place && now.clientY > row.getBoundingClientRect().top + row.offsetHeight / 2,
      ).length;
      dragging.value = { point, from: place, to };
    };
    const end = (last) => {
      handle.removeEventListener("pointermove", track);
      const drag = dragging.peek();
      dragging.value = null;
      if (last.type === "pointerup" && drag) moveTo(at, point, entries, drag.from, drag.to, form, null);
    };
    handle.addEventListener("pointermove", track);
    for (const type of ["pointerup", "pointercancel"]) handle.addEventListener(type, end, { once: true });
  };
  return html`<button type="button" class="handle" ref=${button} onKeyDown=${key} onPointerDown=${down}
    title=${_("Drag, or move with the arrow keys")}
    aria-label=${fill(_("Move {plugin} at {point}, place {n} of {all}: arrow up, arrow down"), {
      plugin,
      point,
      n: place + 1,
      all: entries.length,
    })}
  >${icon("grip")}</button>`;
}

function Row({ at, point, entries, place, form, problems }) {
  const entry = entries[place];
  const path = ["profiles", at, "plugins", point, "enabled", entry.index];
  const drag = dragging.value?.point === point ? dragging.value : null;
  const marks = [
    drag?.from === place && "dragged",
    drag && drag.to === place && drag.to < drag.from && "drop-above",
    drag && drag.to === place && drag.to > drag.from && "drop-below",
  ];
  const off = () => editByForm("disable", (text) => disable(text, at, point, entry.plugin, form));
  return html`<li class=${`plugin ${marks.filter(Boolean).join(" ")}`} data-plugin=${entry.plugin}>
    <${Handle} at=${at} point=${point} entries=${entries} place=${place} form=${form} />
    <span class="mono cut" title=${entry.plugin}>${entry.plugin}</span>
    <span class=${`origin ${entry.origin === "default" ? "" : "set"}`}>${originText(entry)}</span>
    <button type="button" class="btn bare icon"
      aria-label=${fill(_("Disable {plugin} at {point}"), { plugin: entry.plugin, point })} title=${_("Disable here")}
      onClick=${off}
    >${icon("close")}</button>
    ${point === "score" && html`<${Weight} at=${at} entry=${entry} form=${form} problems=${problems} />`}
    ${
      entry.index !== null &&
      html`<${Problems}
        problems=${problemsAt(problems, path, true).filter((problem) => !problem.path.endsWith(".weight"))}
      />`
    }
  </li>`;
}

/** Those that are off, each with why; and what could run besides. */
function Off({ at, point, own, form, disabled }) {
  const others = available(own, point, form).filter((plugin) => !disabled.some((each) => each.plugin === plugin));
  const on = (plugin) => editByForm("enable", (text) => enable(text, at, point, plugin, form));
  return html`
    ${disabled.map(
      ({ plugin, by, at: where }) => html`<li key=${`off ${plugin}`} class="plugin off" data-off=${plugin}>
        <i />
        <span class="mono cut quiet"><s>${plugin}</s></span>
        <span class="origin">
          ${by === "*" ? fill(_("off by * at {where}"), { where }) : fill(_("off at {where}"), { where })}
        </span>
        <button type="button" class="btn bare icon"
          aria-label=${fill(_("Enable {plugin} at {point}"), { plugin, point })} title=${_("Enable here")}
          onClick=${() => on(plugin)}
        >${icon("plus")}</button>
      </li>`,
    )}
    ${
      others.length > 0 &&
      html`<li class="plugin-more">
        <select aria-label=${fill(_("Enable another plugin at {point}"), { point })} value=""
          onChange=${(event) => event.currentTarget.value && on(event.currentTarget.value)}
        >
          <option value="">${_("Enable another plugin")}</option>
          ${others.map((plugin) => html`<option key=${plugin} value=${plugin}>${plugin}</option>`)}
        </select>
      </li>`
    }
  `;
}

function Point({ at, point, own, form, problems }) {
  const { enabled, disabled } = atPoint(own, point, form);
  const path = ["profiles", at, "plugins", point];
  const mine = problemsAt(problems, path, true);
  const written = own.plugins?.[point];
  const about = enabled.length ? ngettext("{n} plugin", "{n} plugins", enabled.length) : _("nothing");
  return html`<${Group} name=${`point ${point}`} title=${point} mono
    about=${disabled.length ? `${about}, ${fill(_("{n} off"), { n: disabled.length })}` : about} problems=${mine}
  >
    <ol class="plugins" data-point=${point}>
      ${enabled.map(
        (entry, place) => html`<${Row} key=${entry.plugin} at=${at} point=${point} entries=${enabled} place=${place}
          form=${form} problems=${problems}
        />`,
      )}
      <${Off} at=${at} point=${point} own=${own} form=${form} disabled=${disabled} />
    </ol>
    <${Problems} problems=${mine.filter((problem) => !/\.enabled\[\d+\]/.test(problem.path))} />
    ${
      written &&
      html`<button type="button" class="btn small"
        onClick=${() => editByForm("reset", (text) => resetPoint(text, at, point))}
      >${fill(_("Say nothing about {point}"), { point })}</button>`
    }
  <//>`;
}

/** On and off at every point at a time. */
function Everywhere({ at, own, form, problems }) {
  const merged = multiPoint(own, form).map(({ name }) => name);
  const all = [...form.plugins].sort((a, b) => Number(b.default) - Number(a.default));
  const set = (plugin, on) =>
    editByForm("everywhere", (text) => (on ? enable : disable)(text, at, "multiPoint", plugin, form));
  const off = all.filter((plugin) => plugin.default && !merged.includes(plugin.name)).length;
  const mine = problemsAt(problems, ["profiles", at, "plugins", "multiPoint"], true);
  return html`<${Group} name="everywhere" title=${_("All points")}
    about=${off ? fill(_("{n} off"), { n: off }) : "multiPoint"} problems=${mine}
  >
    <ul class="everywhere">
      ${all.map(
        ({ name, points }) => html`<li key=${name}>
          <label>
            <input type="checkbox" checked=${merged.includes(name)}
              onChange=${(event) => set(name, event.currentTarget.checked)}
            />
            <span class="mono">${name}</span> <span class="quiet small">${points.join(", ")}</span>
          </label>
        </li>`,
      )}
    </ul>
    <${Problems} problems=${mine} />
  <//>`;
}

export function Points({ own, at, form, problems }) {
  return html`
    <h3 class="caps">${_("Plugins")}</h3>
    <${Everywhere} own=${own} at=${at} form=${form} problems=${problems} />
    ${form.points.map(
      (point) => html`<${Point} key=${point} own=${own} at=${at} point=${point} form=${form} problems=${problems} />`,
    )}
  `;
}
