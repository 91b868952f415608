/** Import: the output of kubectl get as text or file, or a pair of CSV lists. Checked as it comes; imported whole or not at all. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { problemText } from "../api.js";
import { checkImport, importAsNew, importInto } from "../actions/import.js";
import { _, ngettext } from "../i18n.js";
import { notify } from "../notices.js";
import { store } from "../store.js";
import { CheckResult } from "./check_result.js";
import { Dialog, closeDialog } from "./parts/dialog.js";
import { Editor } from "./parts/editor.js";
import { Segments } from "./parts/segments.js";

const TYPING_PAUSE = 500;
const PLAIN_FROM = 400_000; // characters; a longer text is imported as a file, an editor would only slow it down

function FileField({ label, accept, onPick, file }) {
  return html`<label class="file-field"><span>${label}</span>
    <input type="file" accept=${accept} onChange=${(event) => onPick(event.currentTarget.files[0] ?? null)} />
    ${file && html`<span class="quiet">${Math.ceil(file.size / 1024)} KiB</span>`}</label>`;
}

/** Does this source hold anything to check? */
const isReady = (source) => Boolean(source.text?.trim() || source.file || (source.nodesCsv && source.podsCsv));

export function ImportDialog() {
  const open = store.cluster.value;
  const [kind, setKind] = useState("text");
  const [text, setText] = useState("");
  const [files, setFiles] = useState({ file: null, nodesCsv: null, podsCsv: null });
  const [target, setTarget] = useState(open && !open.counts?.nodes ? "here" : "new");
  const [name, setName] = useState(_("imported cluster"));
  const [answer, setAnswer] = useState(null);
  const [busy, setBusy] = useState("");
  const [goTo, setGoTo] = useState(null);
  const [dropped, setDropped] = useState(0);
  const turn = useRef(0);
  const source = kind === "text" ? { text } : kind === "file" ? { file: files.file } : { nodesCsv: files.nodesCsv, podsCsv: files.podsCsv };
  const ready = isReady(source);
  const marks = useMemo(() => (answer?.problems ?? []).map((problem) => ({ line: problem.line, text: problemText(problem) })), [answer]);

  useEffect(() => {
    turn.current += 1;
    const mine = turn.current;
    setAnswer(null);
    // The check needs a cluster to be checked against; without one the import itself is the check.
    if (!ready || !open) return undefined;
    const timer = setTimeout(async () => {
      setBusy(_("Checking"));
      try {
        const result = await checkImport(source);
        if (mine === turn.current) setAnswer(result);
      } catch (error) {
        if (mine === turn.current) setAnswer({ counts: {}, unused: [], problems: [{ path: "", rule: error.message }] });
      }
      if (mine === turn.current) setBusy("");
    }, kind === "text" ? TYPING_PAUSE : 0);
    return () => clearTimeout(timer);
  }, [kind, text, files, Boolean(open)]);

  const pick = (part) => (file) => setFiles({ ...files, [part]: file });
  const drop = async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file) return;
    if (file.size > PLAIN_FROM) {
      setFiles({ ...files, file });
      setKind("file");
    } else {
      setText(await file.text());
      setDropped(dropped + 1);
    }
  };
  const run = async () => {
    setBusy(_("Importing"));
    try {
      const done = target === "new" ? await importAsNew(source, name, answer?.counts) : await importInto(source, answer?.counts);
      setAnswer(done);
      if (!done.problems.length) {
        const total = Object.values(done.counts).reduce((sum, count) => sum + count, 0);
        notify(ngettext("{n} object imported.", "{n} objects imported.", total));
        closeDialog();
      }
    } catch (error) {
      setAnswer({ counts: {}, unused: [], problems: error.problems ?? [{ path: "", rule: error.message }] });
    }
    setBusy("");
  };
  const blocked = !ready || Boolean(busy) || (open && (!answer || answer.problems.length > 0 || !Object.keys(answer.counts).length));
  const foot = html`
    <span class="quiet grow" role="status">${busy}</span>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${blocked} onClick=${run}>${_("Import")}</button>`;
  return html`<${Dialog} title=${_("Import nodes and pods")} wide foot=${foot}>
    <div class="row wrap">
      <${Segments} label=${_("Import from")} value=${kind} onPick=${setKind} options=${[["text", _("paste")], ["file", _("file")], ["csv", _("CSV lists")]]} />
      <span class="quiet">${kind === "csv" ? _("a list of nodes and a list of pods, as in the documented columns") : html`${_("the output of")} <code>kubectl get nodes,pods -A -o yaml</code>`}</span>
    </div>
    ${kind === "text" && html`<div class="editor-box" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
      <${Editor} takesFocus label=${_("YAML or JSON to import")} value=${text} revision=${dropped} onChange=${setText} goTo=${goTo} problems=${marks} /></div>`}
    ${kind === "file" && html`<${FileField} label=${_("YAML or JSON file")} accept=".yaml,.yml,.json,.gz,application/json,text/yaml" file=${files.file} onPick=${pick("file")} />`}
    ${kind === "csv" && html`<div class="row wrap"><${FileField} label=${_("Nodes")} accept=".csv,.gz" file=${files.nodesCsv} onPick=${pick("nodesCsv")} />
      <${FileField} label=${_("Pods")} accept=".csv,.gz" file=${files.podsCsv} onPick=${pick("podsCsv")} /></div>`}
    <${CheckResult} answer=${answer} onPick=${kind === "text" ? (problem) => setGoTo({ line: problem.line }) : undefined} />
    <fieldset class="row wrap target"><legend class="quiet">${_("Into")}</legend>
      <label class="row"><input type="radio" name="target" checked=${target === "new"} onChange=${() => setTarget("new")} /> ${_("a new cluster")}</label>
      ${target === "new" && html`<input type="text" class="small" aria-label=${_("Name of the new cluster")} maxlength="100" value=${name} onInput=${(event) => setName(event.currentTarget.value)} />`}
      ${open && html`<label class="row"><input type="radio" name="target" checked=${target === "here"} onChange=${() => setTarget("here")} /> ${open.name}</label>`}
    </fieldset>
  <//>`;
}
