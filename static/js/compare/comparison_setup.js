/** The setup of a comparison: sides, number of seeds, moment; and earlier comparisons. */
import { html, useState } from "../../vendor/preact.js";
import { compare, deleteComparison, listSeeds, showComparison, startComparison } from "./comparison_actions.js";
import { profile } from "../profile/profile_actions.js";
import { sideLetter, stateWord } from "./comparison_model.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { lastCycle, store } from "../base/store.js";
import { Editor } from "../parts/editor.js";
import { icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { ProblemList } from "../parts/problem_list.js";

const MOST_SIDES = 8;
const MOST_SEEDS = 16;

const sourceWord = (source) =>
  ({ current: _("profile in use"), default: _("kube-scheduler's default"), yaml: _("pasted"), version: _("version") })[
    source
  ] ?? source;

/** Return the choices of a side: [[value, label]]. */
function listChoices() {
  const { config_version: newest, id } = store.cluster.value;
  const versions = Array.from({ length: Math.min(newest - 1, 30) }, (_unused, index) => newest - 1 - index);
  const others = (store.clusters.value ?? []).filter((cluster) => cluster.id !== id).slice(0, 50);
  return [
    ["current", fill(_("Profile in use (version {n})"), { n: newest })],
    ["default", _("kube-scheduler's default")],
    ["draft", _("Draft in the profile editor")],
    ["yaml", _("YAML, pasted here")],
    ...versions.map((n) => [`version ${n}`, fill(_("Version {n}"), { n })]),
    ...others.map((cluster) => [
      `cluster ${cluster.id}`,
      fill(_("Cluster {name}, as it is now"), { name: cluster.name }),
    ]),
  ];
}

/** Return a side in the format of the API. */
function toApiSide(side) {
  const [kind, value] = side.choice.split(" ");
  if (kind === "version") return { config: { version: Number(value) } };
  if (kind === "cluster") return { cluster: Number(value) };
  if (kind === "yaml") return { config: { yaml: side.yaml } };
  if (kind === "draft") return { config: { yaml: profile.draft.peek() ?? "" }, label: _("draft") };
  return { config: kind };
}

function Side({ side, index, options, onChange, onRemove }) {
  const name = fill(_("Side {letter}"), { letter: sideLetter(index) });
  return html`<fieldset class="compare-side">
    <legend class="sr">${name}</legend>
    <div class="row">
      <b class=${`side-letter side-${index}`} aria-hidden="true">${sideLetter(index)}</b>
      <select class="grow" aria-label=${name} value=${side.choice}
        onChange=${(event) => onChange({ ...side, choice: event.currentTarget.value })}
      >
        ${options.map(
          ([value, label]) => html`<option value=${value} key=${value} selected=${value === side.choice}>
            ${label}
          </option>`,
        )}
      </select>
      ${
        onRemove &&
        html`<button type="button" class="btn bare icon"
          aria-label=${fill(_("Remove side {letter}"), { letter: sideLetter(index) })} onClick=${onRemove}
        >${icon("close")}</button>`
      }
    </div>
    ${
      side.choice === "yaml" &&
      html`<div class="editor-box small">
        <${Editor} label=${fill(_("Configuration of side {letter}"), { letter: sideLetter(index) })} value=${side.yaml}
          revision=${index} onChange=${(yaml) => onChange({ ...side, yaml })}
        />
      </div>`
    }
  </fieldset>`;
}

function Saved() {
  const saved = compare.saved.value;
  if (!saved) return html`<p class="quiet">${_("Loading…")}</p>`;
  if (!saved.length) return null;
  return html`<section aria-labelledby="saved-title">
    <h3 class="caps" id="saved-title">${_("Comparisons of this cluster")}</h3>
    <ul class="saved">
      ${saved.map(
        (comparison) => html`<li key=${comparison.id} class="row">
          <button type="button" class="link grow cut" onClick=${() => showComparison(comparison)}>
            ${comparison.sides.map((side) => side.label || sourceWord(side.source)).join(" · ")}
          </button>
          <span class="quiet">${ngettext("{n} seed", "{n} seeds", comparison.seeds.length)}</span>
          <span class="quiet">
            ${stateWord(comparison.state)}
            ${comparison.state === "running" ? ` ${formatNumber(Math.round(comparison.progress * 100))} %` : ""}
          </span>
          <time class="quiet" datetime=${comparison.created}>${new Date(comparison.created).toLocaleTimeString()}</time>
          <button type="button" class="btn bare icon"
            aria-label=${fill(_("Delete comparison {n}"), { n: comparison.id })}
            onClick=${() => deleteComparison(comparison.id)}
          >${icon("close")}</button>
        </li>`,
      )}
    </ul>
  </section>`;
}

const EXAMPLE = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
`;

export function CompareSetup() {
  const cluster = store.cluster.value;
  const [sides, setSides] = useState([
    { choice: cluster.config_version > 1 ? "current" : "default", yaml: EXAMPLE },
    { choice: cluster.config_version > 1 ? "default" : "yaml", yaml: EXAMPLE },
  ]);
  const [seeds, setSeeds] = useState(1);
  const [from, setFrom] = useState("start");
  const [busy, setBusy] = useState(false);
  const options = listChoices();
  const shown = store.shown.value?.record.cycle.number ?? null;
  const replace = (index, side) => setSides(sides.map((each, at) => (at === index ? side : each)));
  const moments = [
    ["start", _("the start"), _("State after a reset: your changes and cordons stay, no Pod is scheduled")],
    ["now", _("now"), _("The currently pending Pods")],
  ];
  if (shown !== null && lastCycle.value >= shown)
    moments.push(["cycle", fill(_("cycle {n}"), { n: shown }), _("State at the end of the cycle in view")]);
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    await startComparison({
      sides: sides.map(toApiSide),
      seeds: listSeeds(cluster.seed, seeds),
      at: from === "cycle" ? { cycle: shown } : from,
    });
    setBusy(false);
  };
  return html`<form class="compare-setup" onSubmit=${start}>
    <p class="quiet">
      ${_("Runs the same Pods from the same state under each configuration. Your cluster does not change.")}
    </p>
    ${sides.map(
      (side, index) => html`<${Side} key=${index} side=${side} index=${index} options=${options}
        onChange=${(next) => replace(index, next)}
        onRemove=${sides.length > 2 && (() => setSides(sides.filter((_each, at) => at !== index)))}
      />`,
    )}
    <div class="row wrap">
      ${
        sides.length < MOST_SIDES &&
        html`<button type="button" class="btn"
          onClick=${() => setSides([...sides, { choice: "current", yaml: EXAMPLE }])}
        >${icon("plus")} ${_("Add a side")}</button>`
      }
      <span class="row">
        <span id="from-label">${_("from")}</span> <${Segments} label=${_("Starting state")} value=${from}
          onPick=${setFrom} options=${moments}
        />
      </span>
      <label class="row">
        ${_("with")}
        <input type="number" class="narrow-number" min="1" max=${MOST_SEEDS} value=${seeds}
          onInput=${(event) => setSeeds(event.currentTarget.valueAsNumber || 1)}
        />
        ${_("seeds")}
      </label>
      <span class="grow" />
      <span class="quiet">${ngettext("{n} run", "{n} runs", sides.length * seeds)}</span>
      <button type="submit" class="btn primary" disabled=${busy}>${_("Compare")}</button>
    </div>
    <${ProblemList} problems=${compare.refused.value} />
    <${Saved} />
  </form>`;
}
