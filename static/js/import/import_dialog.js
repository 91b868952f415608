/**
 * The import dialog: the output of kubectl get as text or file, or two CSV files. It checks input at once and imports
 * all or none.
 */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { problemText } from "../base/api.js";
import { checkImport, importAsNew, importInto } from "./import_actions.js";
import { _, ngettext } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { CheckResult } from "./check_result.js";
import { Living, Ownerless } from "./controllers_question.js";
import { Dialog } from "../parts/dialog.js";
import { Editor } from "../parts/editor.js";
import { Segments } from "../parts/segments.js";

const TYPING_PAUSE = 500;
const PLAIN_FROM = 400_000; // characters; longer texts are imported as files because the editor would be slow

const NONE = [];
const MANIFEST = /(\.(ya?ml|json)|(^|\/)Kustomization)$/;

/** A file picker; `folder` picks a folder with all its files. */
function FileField({ label, accept, onPick, files = [], several = false, folder = false }) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return html`<label class="file-field">
    <span>${label}</span>
    <input type="file" accept=${accept} multiple=${several} webkitdirectory=${folder}
      onChange=${(event) => onPick([...event.currentTarget.files])}
    />
    ${
      files.length > 0 &&
      html`<span class="quiet">
        ${several || folder ? `${ngettext("{n} file", "{n} files", files.length)}, ` : ""}
        ${Math.ceil(size / 1024)} KiB
      </span>`
    }
  </label>`;
}

/** Return true if this source has anything to check. */
const isReady = (source) => Boolean(source.text?.trim() || source.files?.length || (source.nodesCsv && source.podsCsv));

/** `initialFiles`: files that the user has dropped on the page. */
export function ImportDialog({ initialFiles = NONE }) {
  const open = store.cluster.value;
  const [kind, setKind] = useState("text");
  const [text, setText] = useState("");
  const [files, setFiles] = useState({ files: [], nodesCsv: null, podsCsv: null });
  const [without, setWithout] = useState(false);
  const [choices, setChoices] = useState({ live: null, nodes: true, keeps: true });
  const [ownerCounts, setOwnerCounts] = useState({}); // counts of pods' owners in the original text: {kind: count}
  const [objectCounts, setObjectCounts] = useState({}); // counts of all objects: {kind: count}
  // The first nodes of a new cluster may arrive while the dialog is open.
  const [chosen, setTarget] = useState(null);
  const isEmpty = open && !open.counts?.nodes && !store.nodes.value?.names?.length;
  const target = chosen ?? (isEmpty ? "here" : "new");
  const [name, setName] = useState(_("imported cluster"));
  const [answer, setAnswer] = useState(null);
  const [busy, setBusy] = useState("");
  const [goTo, setGoTo] = useState(null);
  const [dropped, setDropped] = useState(0);
  const turn = useRef(0);
  const input =
    kind === "text"
      ? { text }
      : kind === "csv"
        ? { nodesCsv: files.nodesCsv, podsCsv: files.podsCsv }
        : { files: files.files };
  // Owners without pods most likely need running controllers.
  const runsControllers = choices.live ?? !objectCounts.Pod;
  const offersControllers = Object.keys(ownerCounts).length > 0 && !(target === "here" && open?.actors?.length > 0);
  const nodeless = !objectCounts.Node && !objectCounts.NodeGroup && (target === "new" || isEmpty);
  const live = offersControllers && runsControllers ? (nodeless && choices.nodes ? "with nodes" : "on") : undefined;
  // Objects for live controllers must be valid for them.
  const source = { ...input, withoutPlugins: without, strict: offersControllers && runsControllers };
  const isLiving = live !== undefined || (target === "here" && open?.actors?.length > 0);
  const ownerless = (isLiving && answer?.ownerless) || null;
  const importSource = { ...source, live, keepOwnerless: Boolean(ownerless) && choices.keeps };
  const ready = isReady(source);
  const marks = useMemo(
    () => (answer?.problems ?? []).map((problem) => ({ line: problem.line, text: problemText(problem) })),
    [answer],
  );

  useEffect(() => {
    turn.current += 1;
    const ownTurn = turn.current;
    setAnswer(null);
    // The check needs an open cluster; without one the import itself checks.
    if (!ready || !open) return undefined;
    const timer = setTimeout(
      async () => {
        setBusy(_("Checking"));
        try {
          const result = await checkImport(source);
          if (ownTurn === turn.current) setAnswer(result);
          if (ownTurn === turn.current && !result.problems.length) {
            setOwnerCounts(result.workloads ?? {});
            setObjectCounts(result.counts);
          }
        } catch (error) {
          if (ownTurn === turn.current)
            setAnswer({ counts: {}, unused: [], problems: [{ path: "", rule: error.message }] });
        }
        if (ownTurn === turn.current) setBusy("");
      },
      kind === "text" ? TYPING_PAUSE : 0,
    );
    return () => clearTimeout(timer);
  }, [kind, text, files, without, source.strict, Boolean(open)]);
  useEffect(() => {
    setWithout(false);
    setOwnerCounts({});
  }, [kind, text, files]);

  const pick =
    (part) =>
    ([file]) =>
      setFiles({ ...files, [part]: file ?? null });
  const pickFiles = (picked) => setFiles({ ...files, files: picked });
  const pickFolder = (picked) =>
    pickFiles(picked.filter((file) => MANIFEST.test(file.webkitRelativePath || file.name)));
  const takeFiles = async (picked) => {
    const [file, ...others] = picked;
    if (!file) return;
    if (others.length || file.size > PLAIN_FROM) {
      pickFiles([file, ...others]);
      setKind("file");
    } else {
      setText(await file.text());
      setDropped(dropped + 1);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    takeFiles(event.dataTransfer.files);
  };
  useEffect(() => void takeFiles(initialFiles), []);
  const run = async () => {
    setBusy(_("Importing"));
    try {
      const done =
        target === "new"
          ? await importAsNew(importSource, name, answer?.counts)
          : await importInto(importSource, answer?.counts);
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
  const blocked =
    !ready || Boolean(busy) || (open && (!answer || answer.problems.length > 0 || !Object.keys(answer.counts).length));
  const foot = html`
    <span class="quiet grow" role="status">${busy}</span>
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${blocked} onClick=${run}>${_("Import")}</button>
  `;
  const [before, after] = _("the output of {command}").split("{command}");
  return html`<${Dialog} title=${_("Import nodes and pods")} wide foot=${foot}>
    <div class="row wrap">
      <${Segments} label=${_("Import from")} value=${kind} onPick=${setKind}
        options=${[["text", _("paste")], ["file", _("files")], ["folder", _("folder")], ["csv", _("CSV lists")]]}
      />
      <span class="quiet">
        ${
          kind === "csv"
            ? _("a list of nodes and a list of pods, as in the documented columns")
            : html`${before}<code>kubectl get nodes,pods -A -o yaml</code>${after}`
        }
      </span>
    </div>
    ${
      kind === "text" &&
      html`<div class="editor-box" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
        <${Editor} takesFocus label=${_("YAML or JSON to import")} value=${text} revision=${dropped}
          onChange=${setText} goTo=${goTo} problems=${marks}
        />
      </div>`
    }
    ${
      kind === "file" &&
      html`<${FileField} key="file" label=${_("YAML or JSON files")}
        accept=".yaml,.yml,.json,application/json,text/yaml" several files=${files.files} onPick=${pickFiles}
      />`
    }
    ${
      kind === "folder" &&
      html`<${FileField} key="folder" label=${_("A folder of manifests")} folder files=${files.files}
        onPick=${pickFolder}
      />`
    }
    ${
      kind === "csv" &&
      html`<div class="row wrap">
        <${FileField} label=${_("Nodes")} accept=".csv,.gz" files=${files.nodesCsv ? [files.nodesCsv] : []}
          onPick=${pick("nodesCsv")}
        />
        <${FileField} label=${_("Pods")} accept=".csv,.gz" files=${files.podsCsv ? [files.podsCsv] : []}
          onPick=${pick("podsCsv")}
        />
      </div>`
    }
    <${CheckResult} answer=${answer} onWithout=${() => setWithout(true)}
      onPick=${kind === "text" ? (problem) => setGoTo({ line: problem.line }) : undefined}
      lives=${offersControllers && runsControllers}
    />
    <fieldset class="row wrap target">
      <legend class="quiet">${_("Into")}</legend>
      <label class="row">
        <input type="radio" name="target" checked=${target === "new"}
          onChange=${() => setTarget("new")}
        /> ${_("a new cluster")}
      </label>
      ${
        target === "new" &&
        html`<input type="text" class="small" aria-label=${_("Name of the new cluster")} maxlength="100"
          value=${name} onInput=${(event) => setName(event.currentTarget.value)}
        />`
      }
      ${
        open &&
        html`<label class="row">
          <input type="radio" name="target" checked=${target === "here"}
            onChange=${() => setTarget("here")}
          /> ${open.name}
        </label>`
      }
    </fieldset>
    ${
      offersControllers &&
      html`<${Living} workloads=${ownerCounts} choices=${{ ...choices, live: runsControllers }} nodeless=${nodeless}
        onChoices=${setChoices} />`
    }
    ${
      ownerless &&
      html`<${Ownerless} counts=${ownerless} keeps=${choices.keeps}
        onKeep=${(keeps) => setChoices({ ...choices, keeps })} />`
    }
  <//>`;
}
