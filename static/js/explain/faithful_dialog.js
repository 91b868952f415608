/** The conformance table of `make conformance`, as shipped. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get } from "../base/api.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { verdictMark } from "../parts/icon.js";

const sum = (rows, field) => rows.reduce((total, row) => total + row[field], 0);

export function FaithfulDialog() {
  const [table, setTable] = useState(null);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    const request = new AbortController();
    get("conformance/", request.signal).then(
      setTable,
      (error) => error.name !== "AbortError" && setFailed(error.message),
    );
    return () => request.abort();
  }, []);
  const version = table?.emulates ?? store.cluster.value?.emulates ?? "";
  return html`<${Dialog} title=${_("How faithful is this?")}>
    <p>
      ${fill(
        _(
          "Tests compare the engine with results recorded from kube-scheduler {version}. Every verdict, " +
            "integer score and message must be identical.",
        ),
        { version },
      )}
    </p>
    ${failed && html`<p role="alert">${failed}</p>`}
    ${!table && !failed && html`<p class="quiet">${_("Loading…")}</p>`}
    ${
      table &&
      html`<table class="plain">
        <thead>
          <tr>
            <th scope="col">${_("Family")}</th>
            <th scope="col" class="num">${_("Passed")}</th>
            <th scope="col" class="num">${_("Test cases")}</th>
          </tr>
        </thead>
        <tbody>
          ${table.families.map(
            (row) => html`<tr key=${row.family}>
              <td class="mono">${row.family}</td>
              <td
                class="num">${verdictMark(row.passed === row.total ? "pass" : "rejected")} ${formatNumber(
                  row.passed,
                )}</td>
              <td class="num">${formatNumber(row.total)}</td>
            </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <td>${_("All")}</td>
            <td class="num">${formatNumber(sum(table.families, "passed"))}</td>
            <td class="num">${formatNumber(sum(table.families, "total"))}</td>
          </tr>
        </tfoot>
      </table>`
    }
    <p class="quiet">
      ${_(
        "The known differences and the kube-scheduler bugs that the engine reproduces are listed in " +
          "docs/reference/conformance.md.",
      )}
    </p>
  <//>`;
}
