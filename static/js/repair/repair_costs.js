/** The costs of edits in this cluster, and the locks: a table to view, change and save. */
import { html, useState } from "../../vendor/preact.js";
import { readCosts, saveCosts } from "./repair_actions.js";
import { translateSentence } from "../base/sentence.js";
import { _ } from "../base/i18n.js";
import { reportError } from "../base/notices.js";

// Examples of locks.
const LOCKS = "Node/db-*\nTaint/dedicated\nNamespace/shop";

function Rows({ table, draft, change }) {
  const groups = [...new Set(table.costs.map((row) => row.group))];
  return groups.map((group) => {
    const rows = table.costs.filter((row) => row.group === group);
    return html`<fieldset key=${group} class="cost-group">
      <legend class="caps">${translateSentence(rows[0].of)}</legend>
      ${rows.map(
        (row) => html`<label key=${row.kind} class="row cost-row" data-cost=${row.kind}>
          <span class="grow">${translateSentence(row.what)}</span>
          <input class="num" type="number" inputmode="numeric" min="1" max="1000000" step="1" placeholder=${_("never")}
            aria-label=${translateSentence(row.what)} value=${draft[row.kind] ?? ""}
            onInput=${(event) => change(row.kind, event.currentTarget.value)}
          />
        </label>`,
      )}
    </fieldset>`;
  });
}

export function RepairCosts() {
  const [table, setTable] = useState(null);
  const [draft, setDraft] = useState({});
  const [locks, setLocks] = useState("");
  const showCosts = (read) => {
    setTable(read);
    setDraft(Object.fromEntries(read.costs.map((row) => [row.kind, row.cost])));
    setLocks(read.locks.join("\n"));
  };
  const open = (event) => event.currentTarget.open && !table && readCosts().then(showCosts, reportError);
  const save = (event) => {
    event.preventDefault();
    const costs = {};
    for (const row of table.costs) {
      const typed = draft[row.kind];
      const cost = typed === "" || typed === null || typed === undefined ? null : Number(typed);
      if (cost !== row.default) costs[row.kind] = cost;
    }
    const patterns = locks
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    saveCosts(costs, patterns).then((saved) => saved && showCosts(saved));
  };
  return html`<details class="repair-costs" onToggle=${open}>
    <summary>${_("Costs and locks")}</summary>
    ${
      table &&
      html`<form onSubmit=${save}>
        <p class="quiet">
          ${_("The search lists the cheapest fix first. Leave a field empty to forbid that kind of change.")}
        </p>
        <${Rows} table=${table} draft=${draft} change=${(kind, value) => setDraft({ ...draft, [kind]: value })} />
        <label class="block">
          <span class="caps">${_("Locked (fixes do not change these)")}</span>
          <textarea class="mono" rows="3" spellcheck=${false}
            placeholder=${LOCKS} value=${locks}
            onInput=${(event) => setLocks(event.currentTarget.value)}
          />
        </label>
        <p><button type="submit" class="btn small">${_("Save and search again")}</button></p>
      </form>`
    }
  </details>`;
}
