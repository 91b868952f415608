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
    <legend><b>${fill(_("Shall {kinds} live?"), { kinds })}</b></legend>
    <label class="row">
      <input type="radio" name="living" checked=${choices.live} onChange=${() => choose({ live: true })} />
      <span>${_("Yes: controllers make their pods, keep them and roll them out, in virtual time")}</span>
    </label>
    ${
      choices.live &&
      nodeless &&
      html`<label class="row under">
        <input type="checkbox" checked=${choices.nodes}
          onChange=${(event) => choose({ nodes: event.currentTarget.checked })}
        />
        <span>${_("There are no nodes: an autoscaler adds some as they are needed (4 CPU, 16 GiB, at most 10)")}</span>
      </label>`
    }
    <label class="row">
      <input type="radio" name="living" checked=${!choices.live} onChange=${() => choose({ live: false })} />
      <span>${_("No: they stay as they are, and only pods that are given are scheduled")}</span>
    </label>
    ${
      choices.live &&
      nodeless &&
      !choices.nodes &&
      html`<p class="is-waiting">${icon("waiting")} ${_("Their pods wait until there is a node.")}</p>`
    }
  </fieldset>`;
}

/** Objects whose owners are missing, which the garbage collector would delete. */
export function Ownerless({ counts, keeps, onKeep }) {
  return html`<label class="row" data-ownerless>
    <input type="checkbox" checked=${keeps} onChange=${(event) => onKeep(event.currentTarget.checked)} />
    <span>
      ${fill(_("Keep {kinds} whose owners are not here; otherwise the garbage collector deletes them"), {
        kinds: formatKindCounts(counts),
      })}
    </span>
  </label>`;
}
