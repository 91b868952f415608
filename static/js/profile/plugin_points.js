/** The plugins of a profile by extension point: order, enabled or disabled, weights. */
import { html, signal, useEffect, useRef } from "../../vendor/preact.js";
import { editByForm, editPlugins } from "./profile_actions.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { problemsAt } from "./written_values.js";
import { guessMove, guessOff, guessOn } from "./effective_plugins.js";
import { disablePlugin, enablePlugin, movePlugin, resetPoint } from "./yaml_edits.js";
import { speakOut } from "../base/screen.js";
import { icon } from "../parts/icon.js";
import { Problems } from "./form_field.js";
import { Group } from "./form_group.js";
import { originText } from "./entry_origin.js";
import { Weight } from "./plugin_weight.js";

// The handle that keeps the focus when its plugin moves: {point, plugin}.
let refocus = null;
const dragging = signal(null); // {point, from, to}

function requestMove(profileIndex, point, entries, from, to, field = `move ${point} ${entries[from].plugin}`) {
  if (to < 0 || to >= entries.length || to === from) return;
  const { plugin } = entries[from];
  refocus = { point, plugin };
  const change = (text, effective) => {
    const currentIndex = effective.points[point].enabled.findIndex((entry) => entry.plugin === plugin);
    return currentIndex < 0 ? text : movePlugin(text, profileIndex, point, currentIndex, to, effective);
  };
  editPlugins(field, profileIndex, change, guessMove(profileIndex, point, plugin, to));
  speakOut(fill(_("{plugin} is at place {n} of {all}"), { plugin, n: to + 1, all: entries.length }));
}

function Handle({ profileIndex, point, entries, place }) {
  const { plugin } = entries[place];
  const button = useRef(null);
  useEffect(() => {
    if (refocus?.point !== point || refocus.plugin !== plugin) return;
    refocus = null;
    button.current?.focus();
  }, [place]);
  const handleKey = (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = way ? place + way : { Home: 0, End: entries.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    requestMove(profileIndex, point, entries, place, to);
  };
  const startDrag = (event) => {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const rows = [...handle.closest("ol").querySelectorAll(":scope > .plugin")];
    handle.setPointerCapture(event.pointerId);
    const track = (now) => {
      // The new index: the number of rows whose middle is above the pointer.
      const to = rows.filter(
        (row, index) => index !== place && now.clientY > row.getBoundingClientRect().top + row.offsetHeight / 2,
      ).length;
      dragging.value = { point, from: place, to };
    };
    const end = (last) => {
      handle.removeEventListener("pointermove", track);
      const drag = dragging.peek();
      dragging.value = null;
      if (last.type === "pointerup" && drag) requestMove(profileIndex, point, entries, drag.from, drag.to, null);
    };
    handle.addEventListener("pointermove", track);
    for (const type of ["pointerup", "pointercancel"]) handle.addEventListener(type, end, { once: true });
  };
  return html`<button type="button" class="handle" ref=${button} onKeyDown=${handleKey} onPointerDown=${startDrag}
    title=${_("Drag, or move with the arrow keys")}
    aria-label=${fill(_("Move {plugin} at {point}, place {n} of {all}: arrow up, arrow down"), {
      plugin,
      point,
      n: place + 1,
      all: entries.length,
    })}
  >${icon("grip")}</button>`;
}

function Row({ profileIndex, point, own, entries, place, form, problems }) {
  const entry = entries[place];
  const path = ["profiles", profileIndex, "plugins", point, "enabled", entry.index];
  const drag = dragging.value?.point === point ? dragging.value : null;
  const marks = [
    drag?.from === place && "dragged",
    drag && drag.to === place && drag.to < drag.from && "drop-above",
    drag && drag.to === place && drag.to > drag.from && "drop-below",
  ];
  const off = () => setPlugin("disable", profileIndex, point, form, entry.plugin, false);
  return html`<li class=${`plugin ${marks.filter(Boolean).join(" ")}`} data-plugin=${entry.plugin}>
    <${Handle} profileIndex=${profileIndex} point=${point} entries=${entries} place=${place} />
    <span class="mono cut" title=${entry.plugin}>${entry.plugin}</span>
    <span class=${`origin ${entry.origin === "default" ? "" : "set"}`}>${originText(entry)}</span>
    <button type="button" class="btn bare icon"
      aria-label=${fill(_("Disable {plugin} at {point}"), { plugin: entry.plugin, point })} title=${_("Disable here")}
      onClick=${off}
    >${icon("close")}</button>
    ${
      point === "score" &&
      html`<${Weight} profileIndex=${profileIndex} own=${own} entry=${entry} form=${form}
      problems=${problems} />`
    }
    ${
      entry.index !== null &&
      html`<${Problems}
        problems=${problemsAt(problems, path, true).filter((problem) => !problem.path.endsWith(".weight"))}
      />`
    }
  </li>`;
}

/** Enable or disable a plugin at a point, "multiPoint" for all. */
function setPlugin(field, profileIndex, point, form, plugin, on) {
  const weight = form.plugins.find((other) => other.name === plugin)?.weight;
  if (on) {
    const change = (text, made) => enablePlugin(text, profileIndex, point, plugin, made, weight);
    editPlugins(field, profileIndex, change, guessOn(profileIndex, point, plugin, weight));
  } else {
    editPlugins(
      field,
      profileIndex,
      (text, made) => disablePlugin(text, profileIndex, point, plugin, made),
      guessOff(profileIndex, point, plugin),
    );
  }
}

/** The disabled plugins with reasons, and other available ones. */
function Off({ profileIndex, point, form, enabled, disabled }) {
  const listed = new Set([...enabled, ...disabled].map(({ plugin }) => plugin));
  const others = form.plugins
    .filter(({ name, points }) => points.includes(point) && !listed.has(name))
    .map(({ name }) => name);
  const on = (plugin) => setPlugin("enable", profileIndex, point, form, plugin, true);
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

function Point({ profileIndex, point, own, effective, form, problems }) {
  const { enabled, disabled } = effective.points[point];
  const path = ["profiles", profileIndex, "plugins", point];
  const ownProblems = problemsAt(problems, path, true);
  const written = own.plugins?.[point];
  const about = enabled.length ? ngettext("{n} plugin", "{n} plugins", enabled.length) : _("nothing");
  return html`<${Group} name=${`point ${point}`} title=${point} mono
    about=${disabled.length ? `${about}, ${fill(_("{n} off"), { n: disabled.length })}` : about} problems=${ownProblems}
  >
    <ol class="plugins" data-point=${point}>
      ${enabled.map(
        (
          entry,
          place,
        ) => html`<${Row} key=${entry.plugin} profileIndex=${profileIndex} point=${point} own=${own} entries=${enabled}
          place=${place} form=${form} problems=${problems}
        />`,
      )}
      <${Off} profileIndex=${profileIndex} point=${point} form=${form} enabled=${enabled} disabled=${disabled} />
    </ol>
    <${Problems} problems=${ownProblems.filter((problem) => !/\.enabled\[\d+\]/.test(problem.path))} />
    ${
      written &&
      html`<button type="button" class="btn small"
        onClick=${() => editByForm("reset", (text) => resetPoint(text, profileIndex, point))}
      >${fill(_("Remove the settings for {point}"), { point })}</button>`
    }
  <//>`;
}

/** The switch of a plugin at all points. */
function Everywhere({ profileIndex, effective, form, problems }) {
  const merged = effective.points.multiPoint.enabled.map(({ plugin }) => plugin);
  const all = [...form.plugins].sort((a, b) => Number(b.default) - Number(a.default));
  const switchPlugin = (plugin, on) => setPlugin("everywhere", profileIndex, "multiPoint", form, plugin, on);
  const off = all.filter((plugin) => plugin.default && !merged.includes(plugin.name)).length;
  const ownProblems = problemsAt(problems, ["profiles", profileIndex, "plugins", "multiPoint"], true);
  return html`<${Group} name="everywhere" title=${_("All points")}
    about=${off ? fill(_("{n} off"), { n: off }) : "multiPoint"} problems=${ownProblems}
  >
    <ul class="everywhere">
      ${all.map(
        ({ name, points }) => html`<li key=${name}>
          <label>
            <input type="checkbox" checked=${merged.includes(name)}
              onChange=${(event) => switchPlugin(name, event.currentTarget.checked)}
            />
            <span class="mono">${name}</span> <span class="quiet small">${points.join(", ")}</span>
          </label>
        </li>`,
      )}
    </ul>
    <${Problems} problems=${ownProblems} />
  <//>`;
}

/** `own`: the profile as written; `effective`: its effective plugins, see effective_plugins.js, null while unknown. */
export function Points({ own, effective, profileIndex, form, problems }) {
  const heading = html`<h3 class="caps">${_("Plugins")}</h3>`;
  if (!effective) return html`${heading}<p class="quiet">${_("Calculating the enabled plugins")}</p>`;
  return html`
    ${heading}
    <${Everywhere} effective=${effective} profileIndex=${profileIndex} form=${form} problems=${problems} />
    ${form.points.map(
      (
        point,
      ) => html`<${Point} key=${point} own=${own} effective=${effective} profileIndex=${profileIndex} point=${point}
        form=${form}
        problems=${problems}
      />`,
    )}
  `;
}
