/** A legacy configuration found in another input: its kind, its translation, and a button to use it. */
import { html } from "../../vendor/preact.js";
import { fitsHere, takeAsProfile } from "./legacy_config.js";
import { _, fill } from "../base/i18n.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";
import { ProblemList } from "../parts/problem_list.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./legacy.css", import.meta.url));

export function LegacyLines({ lines, onGo }) {
  return html`<div class="scroll past-lines" tabindex="0" role="group" aria-label=${_("Result for each line")}>
    <table class="plain compare-table">
      <thead>
        <tr>
          <th scope="col" class="num">${_("Line")}</th>
          <th scope="col">${_("Legacy")}</th>
          <th scope="col">${_("Current")}</th>
          <th scope="col">${_("Why")}</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map(
          (line, index) => html`<tr key=${index}>
            <td class="num">
              ${
                line.line
                  ? html`<button type="button" class="link" onClick=${() => onGo({ line: line.line })}>
                    ${line.line}
                  </button>`
                  : html`<span class="quiet">–</span>`
              }
            </td>
            <th scope="row" class="mono">
              ${line.path ? `${line.path}: ${line.value}` : html`<span class="quiet">${_("implicit default")}</span>`}
            </th>
            <td class="mono">${line.became || html`<span class="is-rejected">${_("nothing")}</span>`}</td>
            <td>
              ${line.explanation}
              ${
                line.removed_in &&
                html` <span class="quiet">${fill(_("removed in {version}"), { version: line.removed_in })}</span>`
              }
            </td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Return its kind in a word. */
export const kindText = (kind) => (kind === "flags" ? _("flags of kube-scheduler") : kind);

function About({ past }) {
  const kind = kindText(past.what);
  const named = past.where ? fill(_("{what} in {where}"), { what: kind, where: past.where }) : kind;
  return html`<p class="row">
    ${icon("waiting", "is-waiting")} <span class="grow">
      <b>${fill(_("A configuration of kube-scheduler: {what}."), { what: named })}</b>
      ${
        past.removed_in &&
        html` ${fill(_("kube-scheduler no longer reads it since {version}."), { version: past.removed_in })}`
      }
      ${past.yaml && html` ${_("This is the current equivalent.")}`}
    </span>
  </p>`;
}

/**
 * `past`: the answer of past/translate/; nothing shows for null or an unknown text. `onUse`: an additional action on
 * use; `onGo({line})`.
 */
export function LegacyNotice({ past, onUse, onGo }) {
  if (!past?.what) return null;
  const usable = past.yaml && !past.problems.length && fitsHere() && store.cluster.value;
  const use = () => {
    takeAsProfile(past.yaml);
    onUse?.();
  };
  return html`<section class="card past-found" role="status" data-past=${past.what}>
    <${About} past=${past} />
    <${ProblemList} problems=${past.problems} onPick=${onGo} />
    ${
      past.yaml &&
      html`<div class="row wrap">
        <button type="button" class="btn primary" disabled=${!usable} onClick=${use}>
          ${_("Use it as this cluster's profile")}
        </button>
        <span class="quiet">
          ${
            fitsHere()
              ? _("It becomes a draft. Use Apply to activate it.")
              : _("This cluster runs an older kube-scheduler. The converted configuration is for the current one.")
          }
        </span>
      </div>`
    }
    ${
      past.lines.length > 0 &&
      html`<details>
        <summary>${_("Result for each line")}</summary>
        <${LegacyLines} lines=${past.lines} onGo=${onGo ?? (() => {})} />
      </details>`
    }
    ${
      past.yaml &&
      html`<details>
        <summary>${_("In the current format")}</summary>
        <pre class="past-yaml scroll" tabindex="0" aria-label=${_("Converted configuration")}>${past.yaml}</pre>
      </details>`
    }
  </section>`;
}
