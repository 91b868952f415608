/** Where it came from: an old configuration translated line by line, and the words of predicates and priorities. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { editProfile, profile } from "../actions/profile.js";
import { openSide } from "../actions/select.js";
import { get, post } from "../api.js";
import { _, fill } from "../i18n.js";
import { pastInWords } from "../past_words.js";
import { store } from "../store.js";
import { Dialog, closeDialog } from "./parts/dialog.js";
import { Editor } from "./parts/editor.js";
import { Segments } from "./parts/segments.js";
import { ProblemList } from "./problem_list.js";

const TYPING_PAUSE = 400;
const TODAY = "v1.34.1";
// Those that could not read what today's do.
const OLD = ["v1.20.2", "v1.10-preset"];
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

/** Ask what a text means today, when the typing pauses. */
function useTranslation(text) {
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(async () => {
      const refused = (error) => ({ yaml: "", lines: [], problems: error.problems ?? [{ path: "", message: error.message }] });
      const found = text.trim() ? await post("past/translate/", { text }).catch(refused) : null;
      if (!gone) setAnswer(found);
    }, TYPING_PAUSE);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text]);
  return answer;
}

function Lines({ lines, onGo }) {
  return html`<div class="scroll past-lines" tabindex="0" role="group" aria-label=${_("What became of each line")}>
    <table class="plain compare-table"><thead><tr><th scope="col" class="num">${_("Line")}</th><th scope="col">${_("Then")}</th><th scope="col">${_("Today")}</th><th scope="col">${_("Why")}</th></tr></thead>
      <tbody>${lines.map((line, index) => html`<tr key=${index}>
        <td class="num">${line.line ? html`<button type="button" class="link" onClick=${() => onGo({ line: line.line })}>${line.line}</button>` : html`<span class="quiet">–</span>`}</td>
        <th scope="row" class="mono">${line.path ? `${line.path}: ${line.value}` : html`<span class="quiet">${_("went without saying")}</span>`}</th>
        <td class="mono">${line.became || html`<span class="is-rejected">${_("nothing")}</span>`}</td>
        <td>${pastInWords(line.explanation)}${line.removed_in && html` <span class="quiet">${fill(_("removed in {version}"), { version: line.removed_in })}</span>`}</td>
      </tr>`)}</tbody></table>
  </div>`;
}

function Translate() {
  const [text, setText] = useState(EXAMPLE);
  const [goTo, setGoTo] = useState(null);
  const answer = useTranslation(text);
  const marks = useMemo(() => (answer?.problems ?? []).map((problem) => ({ line: problem.line, text: problem.message })), [answer]);
  const usable = answer?.yaml && !answer.problems.length;
  const fits = !OLD.includes(store.cluster.value?.emulates);
  const draft = () => {
    editProfile(answer.yaml);
    profile.revision.value += 1;
    closeDialog();
    openSide("profile");
  };
  return html`
    <p class="quiet">${_("A Policy as JSON or YAML, a ConfigMap with one, KubeSchedulerConfiguration v1beta1 to v1beta3, or flags such as --algorithm-provider=ClusterAutoscalerProvider on lines of their own.")}</p>
    <div class="past-pair">
      <div><h3 class="caps">${_("Then")}</h3><div class="editor-box"><${Editor} label=${_("Old configuration")} value=${text} onChange=${setText} problems=${marks} goTo=${goTo} /></div></div>
      <div><h3 class="caps">${fill(_("Today, {version}"), { version: TODAY })}</h3><pre class="past-yaml scroll" tabindex="0" aria-label=${_("Translated configuration")}>${answer?.yaml ?? ""}</pre></div>
    </div>
    <${ProblemList} problems=${answer?.problems ?? []} onPick=${(problem) => setGoTo({ line: problem.line })} />
    ${answer?.lines.length > 0 && html`<${Lines} lines=${answer.lines} onGo=${setGoTo} />`}
    ${store.cluster.value && html`<div class="row past-foot"><span class="grow quiet">${fits ? _("The draft is applied in the profile editor, not here.") : _("This cluster runs an older kube-scheduler; the translation is for today's.")}</span>
      <button type="button" class="btn primary" disabled=${!usable || !fits} onClick=${draft}>${_("Take as a draft")}</button></div>`}`;
}

function Words() {
  const [words, setWords] = useState(null);
  const [wanted, setWanted] = useState("");
  const [failed, setFailed] = useState("");
  useEffect(() => {
    get("past/glossary/").then(setWords, (error) => setFailed(error.message));
  }, []);
  const kinds = { concept: _("concept"), predicate: _("predicate"), priority: _("priority"), plugin: _("plugin"), setting: _("setting") };
  const hit = (term) => `${term.then} ${term.now} ${_(term.explanation)}`.toLowerCase().includes(wanted.toLowerCase());
  return html`
    <input type="search" aria-label=${_("Find a word")} placeholder=${_("Find a word")} value=${wanted} onInput=${(event) => setWanted(event.currentTarget.value)} />
    ${failed && html`<p role="alert">${failed}</p>`}
    ${!words && !failed && html`<p class="quiet">${_("Loading…")}</p>`}
    ${words && html`<div class="scroll past-lines tall" tabindex="0" role="group" aria-label=${_("Words then and now")}>
      <table class="plain compare-table"><thead><tr><th scope="col">${_("Then")}</th><th scope="col">${_("Now")}</th><th scope="col">${_("What it is")}</th><th scope="col">${_("Until")}</th></tr></thead>
        <tbody>${words.filter(hit).map((term) => html`<tr key=${`${term.kind} ${term.then}`}>
          <th scope="row"><span class="mono">${term.then}</span> <span class="quiet">${kinds[term.kind] ?? term.kind}</span></th>
          <td class="mono">${term.now || html`<span class="is-rejected">${_("nothing")}</span>`}</td>
          <td>${_(term.explanation)}</td><td class="quiet until">${term.changed_in}</td></tr>`)}</tbody></table>
    </div>`}`;
}

export function PastDialog({ view = "translate" }) {
  const [shown, setShown] = useState(view);
  return html`<${Dialog} title=${_("Where it came from")} wide="full">
    <${Segments} label=${_("View")} value=${shown} onPick=${setShown} options=${[["translate", _("old configuration")], ["words", _("words then and now")]]} />
    ${shown === "translate" ? html`<${Translate} />` : html`<${Words} />`}
  <//>`;
}
