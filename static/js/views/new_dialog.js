/** A new object from a template, as YAML; its problems by path as you type. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { checkImport, importInto } from "../actions/import.js";
import { problemText } from "../api.js";
import { _ } from "../i18n.js";
import { TEMPLATES } from "../templates.js";
import { CheckResult } from "./check_result.js";
import { Dialog, closeDialog } from "./parts/dialog.js";
import { Editor } from "./parts/editor.js";
import { Segments } from "./parts/segments.js";

const TYPING_PAUSE = 300;

export function NewDialog({ template = "pod" }) {
  const [kind, setKind] = useState(template);
  const [text, setText] = useState(TEMPLATES[template]);
  const [answer, setAnswer] = useState(null);
  const [busy, setBusy] = useState(false);
  const [goTo, setGoTo] = useState(null);
  const turn = useRef(0);
  const marks = useMemo(() => (answer?.problems ?? []).map((problem) => ({ line: problem.line, text: problemText(problem) })), [answer]);

  useEffect(() => {
    turn.current += 1;
    const mine = turn.current;
    const timer = setTimeout(async () => {
      const result = await checkImport({ text }).catch((error) => ({ problems: [{ path: "", rule: error.message }] }));
      if (mine === turn.current) setAnswer(result);
    }, TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [text]);

  const choose = (next) => {
    setKind(next);
    setText(TEMPLATES[next]);
  };
  const create = async () => {
    if (busy || answer?.problems?.length) return;
    setBusy(true);
    const done = await importInto({ text }).catch((error) => ({ problems: error.problems ?? [{ path: "", rule: error.message }] }));
    setBusy(false);
    setAnswer(done);
    if (!done.problems.length) closeDialog();
  };
  const foot = html`
    <kbd>Ctrl+Enter</kbd><span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${busy || Boolean(answer?.problems?.length)} onClick=${create}>${_("Create")}</button>`;
  return html`<${Dialog} title=${_("New object")} wide foot=${foot}>
    <${Segments} label=${_("Template")} value=${kind} onPick=${choose} options=${[["pod", "Pod"], ["node", "Node"], ["gpu-pod", _("Pod with a GPU")], ["gpu-node", _("Node with GPUs")]]} />
    <div class="editor-box"><${Editor} takesFocus label=${_("Manifest as YAML")} value=${text} revision=${kind} onChange=${setText} onSubmit=${create} problems=${marks} goTo=${goTo} /></div>
    <${CheckResult} answer=${answer} onPick=${(problem) => setGoTo({ line: problem.line })} />
    <p class="quiet">${_("Any kind that the scheduler reads can be written here, several documents at once, separated by ---.")}</p>
  <//>`;
}
