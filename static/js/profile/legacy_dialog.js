/** The dialog of legacy configurations: translation by line, and the names of predicates and priorities. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { fitsHere, takeAsProfile, translateConfiguration } from "./legacy_config.js";
import { get } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { store } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";
import { Editor } from "../parts/editor.js";
import { Segments } from "../parts/segments.js";
import { LegacyLines } from "./legacy_notice.js";
import { ProblemList } from "../parts/problem_list.js";

const TYPING_PAUSE = 400;
const EXAMPLE = `{
  "kind": "Policy",
  "apiVersion": "v1",
  "predicates": [
    {"name": "PodFitsResources"},
    {"name": "MatchNodeSelector"}
  ],
  "priorities": [
    {"name": "MostRequestedPriority", "weight": 2},
    {"name": "SelectorSpreadPriority", "weight": 1}
  ],
  "hardPodAffinitySymmetricWeight": 10
}
`;

/** Translate a text when the typing pauses. */
function useTranslation(text) {
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    let isCancelled = false;
    const timer = setTimeout(async () => {
      const result = text.trim() ? await translateConfiguration(text) : null;
      if (!isCancelled) setAnswer(result);
    }, TYPING_PAUSE);
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [text]);
  return answer;
}

function Translate() {
  const [text, setText] = useState(EXAMPLE);
  const [goTo, setGoTo] = useState(null);
  const answer = useTranslation(text);
  const marks = useMemo(
    () => (answer?.problems ?? []).map((problem) => ({ line: problem.line, text: problem.message })),
    [answer],
  );
  const usable = answer?.yaml && !answer.problems.length;
  const fits = fitsHere();
  return html`
    <p class="quiet">
      ${_(
        "A Policy as JSON or YAML, a ConfigMap with one, KubeSchedulerConfiguration v1alpha1 to v1beta3, or flags " +
          "such as --algorithm-provider=ClusterAutoscalerProvider on lines of their own.",
      )}
    </p>
    <div class="past-pair">
      <div>
        <h3 class="caps">${_("Legacy")}</h3>
        <div class="editor-box">
          <${Editor} label=${_("Legacy configuration")} value=${text} onChange=${setText} problems=${marks}
              goTo=${goTo}
            />
        </div>
      </div>
      <div>
        <h3 class="caps">${fill(_("Current, {version}"), { version: document.body.dataset.emulates })}</h3>
        <pre class="past-yaml scroll" tabindex="0" aria-label=${_("Converted configuration")}>
          ${answer?.yaml ?? ""}
        </pre>
      </div>
    </div>
    <${ProblemList} problems=${answer?.problems ?? []} onPick=${(problem) => setGoTo({ line: problem.line })} />
    ${answer?.lines.length > 0 && html`<${LegacyLines} lines=${answer.lines} onGo=${setGoTo} />`}
    ${
      store.cluster.value &&
      html`<div class="row past-foot">
        <span class="grow quiet">
          ${
            fits
              ? _("To apply the draft, use the profile editor.")
              : _("This cluster runs an older kube-scheduler. The converted configuration is for the current one.")
          }
        </span>
        <button type="button" class="btn primary" disabled=${!usable || !fits}
          onClick=${() => takeAsProfile(answer.yaml)}
        >${_("Use as a draft")}</button>
      </div>`
    }
  `;
}

function Words() {
  const [words, setWords] = useState(null);
  const [filterText, setFilterText] = useState("");
  const [failed, setFailed] = useState("");
  useEffect(() => {
    get("past/glossary/").then(setWords, (error) => setFailed(error.message));
  }, []);
  const kinds = {
    concept: _("concept"),
    predicate: _("predicate"),
    priority: _("priority"),
    plugin: _("plugin"),
    setting: _("setting"),
  };
  const matches = (term) =>
    `${term.then} ${term.now} ${term.explanation}`.toLowerCase().includes(filterText.toLowerCase());
  return html`
    <input type="search" aria-label=${_("Find a word")} placeholder=${_("Find a word")} value=${filterText}
      onInput=${(event) => setFilterText(event.currentTarget.value)}
    />
    ${failed && html`<p role="alert">${failed}</p>`}
    ${!words && !failed && html`<p class="quiet">${_("Loading…")}</p>`}
    ${
      words &&
      html`<div class="scroll past-lines tall" tabindex="0" role="group" aria-label=${_("Old and new terms")}>
        <table class="plain compare-table">
          <thead>
            <tr>
              <th scope="col">${_("Legacy")}</th>
              <th scope="col">${_("Current")}</th>
              <th scope="col">${_("Kind")}</th>
              <th scope="col">${_("Until")}</th>
            </tr>
          </thead>
          <tbody>
            ${words.filter(matches).map(
              (term) => html`<tr key=${`${term.kind} ${term.then}`}>
                <th scope="row">
                  <span class="mono">${term.then}</span> <span class="quiet">${kinds[term.kind] ?? term.kind}</span>
                </th>
                <td class="mono">${term.now || html`<span class="is-rejected">${_("nothing")}</span>`}</td>
                <td>${term.explanation}</td>
                <td class="quiet until">${term.changed_in}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
  `;
}

export function LegacyDialog({ view = "translate" }) {
  const [shown, setShown] = useState(view);
  return html`<${Dialog} title=${_("Convert a legacy configuration")} wide="full">
    <${Segments} label=${_("View")} value=${shown} onPick=${setShown}
      options=${[["translate", _("legacy configuration")], ["words", _("old and new terms")]]}
    />
    ${shown === "translate" ? html`<${Translate} />` : html`<${Words} />`}
  <//>`;
}
