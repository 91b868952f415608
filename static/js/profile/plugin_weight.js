/** A weight: by slider for usual values, by number for any. */
import { html, useId } from "../../vendor/preact.js";
import { editByForm } from "./profile_actions.js";
import { _, fill } from "../base/i18n.js";
import { pathText, writtenWeight } from "./written_values.js";
import { guessWeight } from "./effective_plugins.js";
import { resetWeight, setWeight } from "./yaml_edits.js";
import { icon } from "../parts/icon.js";
import { Problems } from "./form_field.js";

const USUAL = 20;

export function Weight({ profileIndex, own: profile, entry, form, problems }) {
  const id = useId();
  const { plugin } = entry;
  // The text while it is being typed, even if it is no number.
  const weight = writtenWeight(profile, entry.weightAt) || entry.weight;
  const usual = form.plugins.find((each) => each.name === plugin)?.weight ?? 1;
  const writeWeight = (event) => {
    const text = event.currentTarget.value;
    const value = text.trim() === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
    if (value !== null)
      editByForm(
        `weight ${plugin}`,
        (before) => setWeight(before, profileIndex, plugin, value),
        guessWeight(profileIndex, plugin, value),
      );
  };
  // An explicit weight belongs to the point; else to multiPoint. Problems of either belong here.
  const own = pathText(["profiles", profileIndex, "plugins"]);
  const ownProblems = problems.filter(
    (problem) =>
      problem.path.endsWith(".weight") &&
      problem.path.startsWith(own) &&
      (entry.index === null
        ? problem.path.includes(".multiPoint.")
        : problem.path === `${own}.score.enabled[${entry.index}].weight`),
  );
  const label = fill(_("Weight of {plugin}"), { plugin });
  return html`<span class="weight">
    <input type="range" min="1" max=${Math.max(USUAL, Number(weight) || 1)} step="1" value=${weight}
      aria-label=${label} onInput=${writeWeight}
    />
    <input type="number" class="num" id=${id} min="1" max=${form.maxWeight} step="1" value=${weight}
      aria-label=${fill(_("Weight of {plugin} as a number"), { plugin })} onInput=${writeWeight}
    />
    ${
      weight !== usual
        ? html`<button type="button" class="btn bare icon"
          aria-label=${fill(_("Weight of {plugin} back to {n}"), { plugin, n: usual })}
          title=${fill(_("Back to {n}"), { n: usual })}
          onClick=${() =>
            editByForm(
              "weight back",
              (text) => resetWeight(text, profileIndex, plugin),
              guessWeight(profileIndex, plugin, usual),
            )}
        >${icon("reset")}</button>`
        : html`<i />`
    }
    <${Problems} problems=${ownProblems} />
  </span>`;
}
