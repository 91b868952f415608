/** The question whether controllers run for imported objects, with counts. */
import { html } from "../../vendor/preact.js";
import { formatKindCounts } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { icon } from "../parts/icon.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./living.css", import.meta.url));

/** `choices`: {live, nodes}; `nodeless`: neither the cluster nor the import has a node. */
export function Living({ workloads, choices, nodeless, onChoices }) {
  const choose = (part) => onChoices({ ...choices, ...part });
  const kinds = formatKindCounts(workloads);
  return html`<fieldset class="living" data-living=${choices.live ? "on" : "off"}>
    <legend><b>${fill(_("Run controllers for {kinds}?"), { kinds })}</b></legend>
    <label class="row">
      <input type="radio" name="living" checked=${choices.live} onChange=${() => choose({ live: true })} />
      <span>${_("Yes: controllers create, maintain and roll out their Pods in virtual time")}</span>
    </label>
    ${
      choices.live &&
      nodeless &&
      html`<label class="row under">
        <input type="checkbox" checked=${choices.nodes}
          onChange=${(event) => choose({ nodes: event.currentTarget.checked })}
        />
        <span>${_("Let an autoscaler add nodes as needed, because there are none (4 CPU, 16 GiB, at most 10)")}</span>
      </label>`
    }
    <label class="row">
      <input type="radio" name="living" checked=${!choices.live} onChange=${() => choose({ live: false })} />
      <span>${_("No: only imported Pods are scheduled")}</span>
    </label>
    ${
      choices.live &&
      nodeless &&
      !choices.nodes &&
      html`<p class="is-waiting">${icon("waiting")} ${_("Their Pods stay pending until a node exists.")}</p>`
    }
  </fieldset>`;
}

/** Objects whose owners are missing, which the garbage collector would delete. */
export function Ownerless({ counts, keeps, onKeep }) {
  return html`<label class="row" data-ownerless>
    <input type="checkbox" checked=${keeps} onChange=${(event) => onKeep(event.currentTarget.checked)} />
    <span>
      ${fill(_("Keep {kinds} with missing owners (otherwise the garbage collector deletes them)"), {
        kinds: formatKindCounts(counts),
      })}
    </span>
  </label>`;
}
