/** The dialog for a new empty cluster: its name, version, and the seed that breaks ties. */
import { html, useState } from "../../vendor/preact.js";
import { createCluster } from "./clusters.js";
import { _ } from "../base/i18n.js";
import { Dialog } from "../parts/dialog.js";
import { ProblemList } from "../parts/problem_list.js";
import { closeDialog } from "../base/screen.js";

/** The versions of `scheduler_core/emulations.py`; the page has the default of a new cluster. */
/** @type {[string, () => string][]} */
export const VERSIONS = [
  ["v1.36.3", () => "v1.36.3"],
  ["v1.34.1", () => "v1.34.1"],
  ["v1.20.2", () => _("v1.20.2, the last with Policies, predicates and priorities")],
  ["v1.10-preset", () => _("v1.10, first come, first served: a preset")],
];

export function ClusterDialog() {
  const [name, setName] = useState(_("my cluster"));
  const [seed, setSeed] = useState("0");
  const [emulates, setEmulates] = useState(document.body.dataset.emulates);
  const [problems, setProblems] = useState([]);
  const create = async (event) => {
    event.preventDefault();
    try {
      await createCluster({ name, seed: Number(seed), emulates });
      closeDialog();
    } catch (error) {
      setProblems(error.problems ?? [{ path: "", rule: error.message }]);
    }
  };
  const foot = html`
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="submit" form="new-cluster" class="btn primary">${_("Create")}</button>
  `;
  return html`<${Dialog} title=${_("New empty cluster")} foot=${foot}>
    <form id="new-cluster" class="stack-form" onSubmit=${create}>
      <label class="field">
        <span>${_("Name")}</span>
        <input type="text" required maxlength="100" value=${name}
          onInput=${(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>${_("Seed (the same seed makes the same choice among equal scores)")}</span>
        <input type="number" min="0" step="1" required value=${seed}
          onInput=${(event) => setSeed(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>${_("kube-scheduler")}</span>
        <select onChange=${(event) => setEmulates(event.currentTarget.value)}>
          ${VERSIONS.map(
            ([value, label]) => html`<option key=${value} value=${value} selected=${value === emulates}>
              ${label()}
            </option>`,
          )}
        </select>
      </label>
      <${ProblemList} problems=${problems} />
    </form>
  <//>`;
}
