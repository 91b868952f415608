/** One object that is there, as form and YAML: change it, delete it. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { deleteObject, updateObjects } from "../actions/objects.js";
import { mayEdit } from "../allowed.js";
import { get, of, problemText } from "../api.js";
import { _, fill } from "../i18n.js";
import { documentsOf } from "../objects/bulk.js";
import { store } from "../store.js";
import { toYaml } from "../yaml.js";
import { ObjectEditor, useCheck } from "./object_editor.js";
import { Dialog, closeDialog } from "./parts/dialog.js";
import { library as editorLibrary } from "./parts/editor.js";

function Change({ kind, objectKey, original }) {
  const [text, setText] = useState(original);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const checked = useCheck(text);
  const answer = refused?.text === text ? refused.answer : checked;
  const blocked = busy || text === original || Boolean(answer?.problems?.length);
  const apply = async () => {
    if (blocked) return;
    setBusy(true);
    const library = await editorLibrary();
    const objects = documentsOf(text).map((part) => library.parseDocument(part).toJS({ maxAliasCount: 20 })).filter(Boolean);
    const problems = await updateObjects(objects);
    setBusy(false);
    if (problems === null) return;
    if (problems.length) setRefused({ text, answer: { counts: {}, unused: [], problems } });
    else closeDialog();
  };
  const foot = html`<button type="button" class="btn danger" onClick=${() => deleteObject(kind, objectKey)}>${_("Delete")}</button><span class="grow" /><kbd>Ctrl+Enter</kbd>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${blocked} onClick=${apply}>${_("Apply")}</button>`;
  return html`<${Dialog} title=${fill(_("{kind} {name}"), { kind, name: objectKey })} wide foot=${foot}>
    <${ObjectEditor} text=${text} revision=${0} answer=${answer} label=${_("Manifest as YAML")} onText=${setText} onSubmit=${apply} />
  <//>`;
}

export function ObjectDialog({ kind, objectKey }) {
  const [text, setText] = useState(null);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    get(of(store.cluster.peek().id, "objects", kind, ...objectKey.split("/"))).then(
      (manifest) => setText(toYaml(manifest)),
      (error) => setFailed((error.problems ?? []).map(problemText).join("\n") || error.message),
    );
  }, []);
  if (text !== null && !mayEdit.value) return html`<${Dialog} title=${`${kind} ${objectKey}`} wide><pre class="scroll" tabindex="0">${text}</pre><//>`;
  if (text !== null) return html`<${Change} kind=${kind} objectKey=${objectKey} original=${text} />`;
  return html`<${Dialog} title=${`${kind} ${objectKey}`} wide><p class="quiet">${failed || _("Reading the object")}</p><//>`;
}
