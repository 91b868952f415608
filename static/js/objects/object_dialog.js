/** The dialog of an existing object, as form and YAML: change or delete it. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { recreate } from "../drive/change_effect.js";
import { deleteObject, isConflict, updateObjects } from "./object_actions.js";
import { mayEdit } from "../access/allowed.js";
import { errorText, get, clusterPath } from "../base/api.js";
import { _, fill } from "../base/i18n.js";
import { documentsOf } from "./bulk_objects.js";
import { preferences } from "../base/preferences.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { toYaml } from "../base/yaml.js";
import { ObjectEditor, useCheck, useSubmit, useUpdateCheck } from "./object_editor.js";
import { Dialog } from "../parts/dialog.js";
import { library as editorLibrary } from "../parts/editor.js";
import { icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";

const parseObjects = (library, text) =>
  documentsOf(text)
    .map((part) => library.parseDocument(part).toJS({ maxAliasCount: 20 }))
    .filter(Boolean);

/** The changes that an API server refuses, with the options: apply them here anyway, or recreate the pod. */
function Refused({ problems, asCluster }) {
  if (!problems.length) return null;
  return html`<section class="card refused" data-refused=${asCluster ? "cluster" : "playground"} role="status">
    <p class="row">
      ${icon(asCluster ? "rejected" : "waiting", asCluster ? "is-rejected" : "is-waiting")} <b class="grow">
        ${
          asCluster
            ? _("Kubernetes refuses this change")
            : _("Kubernetes refuses this change, but the playground allows it")
        }
      </b>
    </p>
    <ul>
      ${problems.map(
        (problem, index) => html`<li key=${index} class="mono">
          ${problem.path}
          : ${problem.rule}
          ${problem.hint && html`<p class="quiet">${problem.hint}</p>`}
        </li>`,
      )}
    </ul>
  </section>`;
}

function Change({ kind, objectKey, original }) {
  const [text, setText] = useState(original);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const { answer: checked, isCurrent } = useCheck(text);
  const update = useUpdateCheck(kind, text, original);
  const wouldRefuse = update.refused;
  const asCluster = kind === "Pod" && preferences.asCluster.value;
  const answer = refused?.text === text ? refused.answer : checked;
  const isChecked = isCurrent || refused?.text === text;
  const hasConflict = refused?.text === text && isConflict(answer.problems);
  const isInvalid = isChecked && Boolean(answer?.problems?.length) && !hasConflict;
  const blocked = busy || text === original || isInvalid;
  const run = async (change) => {
    setBusy(true);
    const library = await editorLibrary();
    const problems = await change(parseObjects(library, text), parseObjects(library, original));
    setBusy(false);
    if (problems === null) return;
    if (problems.length) setRefused({ text, answer: { counts: {}, unused: [], problems } });
    else closeDialog();
  };
  const mayApply = !blocked && !(asCluster && !update.isPending && wouldRefuse.length);
  const isReady = isChecked && !(asCluster && update.isPending);
  const write = (objects, read) => updateObjects(objects, { read, asCluster, overwrite: hasConflict });
  const apply = useSubmit(text, isReady, () => mayApply && run(write));
  const recreateAll = useSubmit(text, isChecked, () => !busy && !isInvalid && run(recreate));
  const foot = html`
    <button type="button" class="btn danger" onClick=${() => deleteObject(kind, objectKey)}>${_("Delete")}</button>
    <span class="grow" />
    <kbd>Ctrl+Enter</kbd>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    ${
      kind === "Pod" &&
      html`<button type="button" class="btn" disabled=${busy || isInvalid}
        title=${_("like kubectl replace --force: a new Pod that must be scheduled again")} onClick=${recreateAll}
      >${_("Delete and create again")}</button>`
    }
    <button type="button" class="btn primary" disabled=${!mayApply} onClick=${apply}>
      ${hasConflict ? _("Overwrite") : _("Apply")}
    </button>
  `;
  const modeSwitch =
    kind === "Pod" &&
    html`<${Segments} label=${_("Change it")} value=${asCluster ? "cluster" : "playground"}
      onPick=${(way) => (preferences.asCluster.value = way === "cluster")}
      options=${[
        ["playground", _("with playground rules"), _("You can change everything")],
        ["cluster", _("with Kubernetes rules"), _("The rules of the Kubernetes API server apply")],
      ]}
    />`;
  return html`<${Dialog} title=${fill(_("{kind} {name}"), { kind, name: objectKey })} wide foot=${foot}>
    <${ObjectEditor} text=${text} revision=${0} answer=${answer} label=${_("Manifest as YAML")} onText=${setText}
      onSubmit=${apply} aside=${modeSwitch} warnings=${isInvalid ? [] : wouldRefuse} isThere
    />
    <${Refused} problems=${isInvalid ? [] : wouldRefuse} asCluster=${asCluster} />
  <//>`;
}

export function ObjectDialog({ kind, objectKey }) {
  const [text, setText] = useState(null);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    get(clusterPath(store.cluster.peek().id, "objects", kind, ...objectKey.split("/"))).then(
      (manifest) => setText(toYaml(manifest)),
      (error) => setFailed(errorText(error)),
    );
  }, []);
  if (text !== null && !mayEdit.value)
    return html`<${Dialog} title=${`${kind} ${objectKey}`} wide><pre class="scroll" tabindex="0">${text}</pre><//>`;
  if (text !== null) return html`<${Change} kind=${kind} objectKey=${objectKey} original=${text} />`;
  return html`<${Dialog} title=${`${kind} ${objectKey}`} wide>
    <p class="quiet">${failed || _("Loading the object")}</p>
  <//>`;
}
