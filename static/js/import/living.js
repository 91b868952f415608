/** The question whether controllers run for imported objects, with counts. */
import { html } from "../../vendor/preact.js";
import { kindsText } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { icon } from "../parts/icon.js";
import { sheet } from "../parts/sheet.js";

await sheet(new URL("./living.css", import.meta.url));

/** `wish`: {live, nodes}; `nodeless`: neither the cluster nor the import has a node. */
export function Living({ workloads, wish, nodeless, onWish }) {
  const set = (part) => onWish({ ...wish, ...part });
  const kinds = kindsText(workloads);
  return html`<fieldset class="living" data-living=${wish.live ? "on" : "off"}>
    <legend><b>${fill(_("Shall {kinds} live?"), { kinds })}</b></legend>
    <label class="row">
      <input type="radio" name="living" checked=${wish.live} onChange=${() => set({ live: true })} />
      <span>${_("Yes: controllers make their pods, keep them and roll them out, in virtual time")}</span>
    </label>
    ${
      wish.live &&
      nodeless &&
      html`<label class="row under">
        <input type="checkbox" checked=${wish.nodes}
          onChange=${(event) => set({ nodes: event.currentTarget.checked })}
        />
        <span>${_("There are no nodes: an autoscaler adds some as they are needed (4 CPU, 16 GiB, at most 10)")}</span>
      </label>`
    }
    <label class="row">
      <input type="radio" name="living" checked=${!wish.live} onChange=${() => set({ live: false })} />
      <span>${_("No: they stay as they are, and only pods that are given are scheduled")}</span>
    </label>
    ${
      wish.live &&
      nodeless &&
      !wish.nodes &&
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
        kinds: kindsText(counts),
      })}
    </span>
  </label>`;
}
