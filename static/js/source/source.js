/** The source panel: objects as YAML beside the result, in sync with the cluster both ways. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import {
  rerun,
  applyText,
  configuration,
  findConfiguration,
  forgetSource,
  compareWithCluster,
  readWindow,
  rereadWindow,
  rerunWithEdits,
  objectWindow,
  writeState,
} from "./source_actions.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { preferences } from "../base/preferences.js";
import { splitDocuments, idOf, findChange } from "./yaml_documents.js";
import { store } from "../base/store.js";
import { onRecords } from "../cycle/sync.js";
import { icon } from "../parts/icon.js";
import { LegacyNotice } from "../profile/legacy_notice.js";
import { library as load, marks, setup } from "../parts/editor.js";
import { RerunResult } from "../profile/rerun_result.js";

const PAUSE = 90; // ms after the last key before a valid text is applied
const LONGER = 900; // ms for a new, deleted or renamed document, which may be incomplete

const textOf = (objects) => [...objects.values()].map(({ text }) => text).join("---\n");

/**
 * Return a text that follows the cluster: edited parts stay, the rest is updated. An object whose text stays keeps the
 * manifest before its edit in `read`.
 */
function followCluster(text, before, now, page) {
  const docs = splitDocuments(text).map((document) => ({ ...document, id: idOfText(document.text, page) }));
  const own = new Map(docs.map((document) => [document.id, document.text]));
  const remaining = [...now].map(([id, object]) => {
    const { text: clusterText } = object;
    const ownText = own.get(id);
    const isOwn =
      writeState.peek().state !== "same" &&
      ownText !== undefined &&
      before?.has(id) &&
      ownText.trimEnd() !== before.get(id).text.trimEnd();
    if (isOwn) object.read = before.get(id).read ?? before.get(id).manifest;
    return isOwn || (ownText !== undefined && before?.get(id)?.text === clusterText)
      ? ownText.replace(/\n*$/, "\n")
      : clusterText;
  });
  const extra = docs
    .filter(({ id }) => !now.has(id) && !before?.has(id))
    .map((document) => document.text.replace(/\n*$/, "\n"));
  return [...remaining, ...extra].join("---\n");
}

/** Return the object of a document by its first lines, because it may be invalid now. */
function idOfText(text, page) {
  const field = (pattern) => text.match(pattern)?.[1]?.replace(/^["']|["']$/g, "");
  const namespace = field(/^ {2}namespace: (\S+)/m);
  return idOf(
    {
      kind: field(/^kind: (\S+)/m),
      apiVersion: field(/^apiVersion: (\S+)/m),
      metadata: { name: field(/^ {2}name: (\S+)/m), ...(namespace ? { namespace } : {}) },
    },
    page,
  );
}

/** Return highlighted lines: an extension, and the effect that sets [from, to] or null. */
function createHighlighter(cm) {
  const set = cm.StateEffect.define();
  const line = cm.Decoration.line({ class: "lit" });
  const field = cm.StateField.define({
    create: () => cm.Decoration.none,
    update(old, transaction) {
      let marked = old.map(transaction.changes);
      for (const effect of transaction.effects) {
        if (!effect.is(set)) continue;
        const ranges = [];
        for (
          let position = effect.value?.[0];
          effect.value && position < effect.value[1];
          position = transaction.state.doc.lineAt(position).to + 1
        )
          ranges.push(line.range(transaction.state.doc.lineAt(position).from));
        marked = cm.Decoration.set(ranges);
      }
      return marked;
    },
    provide: (own) => cm.EditorView.decorations.from(own),
  });
  return { set, field };
}

/** Return the selected object: the node or the pod pinned last, else the cycle's pod. */
function useSelected() {
  const { pod, node } = store.pinned.value;
  const last = useRef({ pod: null, node: null, id: null });
  if (pod !== last.current.pod && pod) last.current = { pod, node, id: `Pod ${pod}` };
  else if (node !== last.current.node && node) last.current = { pod, node, id: `Node ${node}` };
  else if (!pod && !node) last.current = { pod, node, id: null };
  const cycle = store.shown.value?.record.cycle.pod;
  return last.current.id ?? (cycle ? `Pod ${cycle}` : null);
}

export function Source() {
  const host = useRef(null);
  const editor = useRef(null); // {cm, view, lights}
  const timer = useRef(0);
  const follow = useRef({ quiet: false, before: null });
  const scrolledTo = useRef(null);
  const [ready, setReady] = useState(false);
  const page = objectWindow.value;
  const { state, problems } = writeState.value;
  const selected = useSelected();
  const cluster = store.cluster.value.id;
  const cycle = store.shown.value?.record.cycle.number;

  const handleTyping = () => {
    if (follow.current.quiet) return;
    const started = performance.now();
    clearTimeout(timer.current);
    const { cm, view } = editor.current;
    const differences = compareWithCluster(cm, view.state.doc.toString());
    configuration.value = null;
    const seekConfiguration = async () => {
      const text = view.state.doc.toString();
      if ((await findConfiguration(cm, text)) && view.state.doc.toString() === text)
        writeState.value = { state: "edited", problems: [] };
      return configuration.peek();
    };
    if (differences.problems) timer.current = setTimeout(seekConfiguration, PAUSE);
    if (differences.problems) return void (writeState.value = { state: "edited", problems: differences.problems });
    const { changed, made, gone } = differences;
    if (!changed.length && !made.length && !gone.length)
      return void (writeState.value = { state: "same", problems: [] });
    writeState.value = { state: "edited", problems: [] };
    // Only a text about exactly the known objects can delete some.
    const canApply = () =>
      !store.busy.peek() && writeState.peek().state !== "applied" && follow.current.page === objectWindow.peek();
    const applySoon = async () => {
      if (!canApply()) return void (timer.current = setTimeout(applySoon, PAUSE));
      const text = view.state.doc.toString();
      if (made.length && ((await seekConfiguration()) || view.state.doc.toString() !== text)) return;
      const last = compareWithCluster(cm, text);
      if ("changed" in last) applyText(last, started);
    };
    timer.current = setTimeout(applySoon, made.length || gone.length ? LONGER : PAUSE);
    return undefined;
  };

  useEffect(() => {
    let isUnmounted = false;
    load().then((cm) => {
      if (isUnmounted) return;
      const lights = createHighlighter(cm);
      const extensions = [
        ...setup(cm, { label: _("The cluster's objects as YAML"), onChange: handleTyping }),
        lights.field,
      ];
      editor.current = {
        cm,
        lights,
        view: new cm.EditorView({ state: cm.EditorState.create({ doc: "", extensions }), parent: host.current }),
      };
      setReady(true);
    });
    return () => {
      isUnmounted = true;
      clearTimeout(timer.current);
      editor.current?.view.destroy();
      forgetSource();
    };
  }, []);
  useEffect(() => {
    forgetSource();
    readWindow();
    const reread = coalesce(rereadWindow, 200);
    // A record does not include its writes, so each one triggers a read.
    return onRecords(() => reread());
  }, [cluster]);
  // The first request about a cycle prepares the server; later ones are quick.
  useEffect(() => void rerunWithEdits(), [cluster, cycle]);
  useEffect(() => {
    if (!ready || !page) return;
    const { view } = editor.current;
    const currentText = view.state.doc.toString();
    const { before } = follow.current;
    const isOther =
      !before || before.offset !== page.offset || before.search !== page.search || before.cluster !== cluster;
    const change = findChange(
      currentText,
      isOther ? textOf(page.objects) : followCluster(currentText, before.objects, page.objects, page),
    );
    follow.current = { quiet: true, before: { ...page, cluster }, page };
    if (change) view.dispatch({ changes: change });
    follow.current.quiet = false;
  }, [page, ready]);
  useEffect(() => {
    if (!ready) return;
    const { cm, view } = editor.current;
    view.dispatch(cm.setDiagnostics(view.state, marks(view, problems)));
  }, [problems, ready]);
  useEffect(() => {
    if (!ready || !page) return;
    const { cm, view, lights } = editor.current;
    const place = splitDocuments(view.state.doc.toString()).find(
      (document) => idOfText(document.text, page) === selected,
    );
    const effects = [lights.set.of(place ? [place.from, place.to] : null)];
    if (place && !view.hasFocus) effects.push(cm.EditorView.scrollIntoView(place.from, { y: "start", yMargin: 24 }));
    view.dispatch({ effects });
    // Once, so that a later search of the user is not overridden.
    const isNew = scrolledTo.current !== selected;
    scrolledTo.current = selected;
    if (isNew && !place && selected && writeState.peek().state === "same" && !page.objects.has(selected)) {
      const [kind, key] = selected.split(/ (.*)/);
      readWindow({ near: { kind, key } });
    }
  }, [selected, page !== null, page?.offset, ready]);

  const legacy = configuration.value;
  // After it became the profile's draft, remove it from the text.
  const removeConfiguration = () => {
    const { view } = editor.current;
    const from = legacy.from && view.state.doc.lineAt(legacy.from - 1).from;
    view.dispatch({ changes: { from, to: legacy.to } });
  };
  const size = page?.objects.size ?? 0;
  const hasEdits = state !== "same";
  const status = {
    same: _("same as the cluster"),
    edited: problems.length ? _("not valid yet") : _("writing"),
    applied: _("changing the cluster"),
    refused: _("refused"),
  }[state];
  return html`<section class="panel source" aria-labelledby="source-title" data-state=${state}>
    <div class="head">
      <h2 id="source-title">${_("Source")}</h2>
      <span class="about grow" role="status">${status}</span>
      <button type="button" class="btn bare icon" aria-label=${_("Close the source")} title=${_("Close the source")}
        onClick=${() => (preferences.source.value = false)}
      >${icon("close")}</button>
    </div>
    <div class="row source-places">
      <input type="search" class="small grow" aria-label=${_("Find objects by name")}
        placeholder=${_("Find objects by name")} disabled=${hasEdits} value=${page?.search ?? ""}
        onInput=${(event) => readWindow({ search: event.currentTarget.value })}
      />
      <span class="quiet num">
        ${
          page
            ? fill(_("{from}–{to} of {all}"), {
                from: formatNumber(size ? page.offset + 1 : 0),
                to: formatNumber(page.offset + size),
                all: formatNumber(page.total),
              })
            : ""
        }
      </span>
      <button type="button" class="btn icon" aria-label=${_("Previous objects")}
        disabled=${hasEdits || !page?.offset}
        onClick=${() => readWindow({ ...page, offset: Math.max(0, page.offset - 40) })}
      >${icon("left")}</button>
      <button type="button" class="btn icon" aria-label=${_("Next objects")}
        disabled=${hasEdits || !page || page.offset + size >= page.total}
        onClick=${() => readWindow({ ...page, offset: page.offset + size })}
      >${icon("right")}</button>
    </div>
    <div class="editor source-editor" ref=${host}>
      ${!ready && html`<p class="quiet">${_("Loading the editor")}</p>`}
    </div>
    ${
      problems.length > 0 &&
      html`<ul class="source-problems" role="alert">
        ${problems.slice(0, 3).map(
          (problem) => html`<li key=${problem.line} class="is-rejected">
            ${fill(_("line {n}: {text}"), { n: problem.line, text: problem.text })}
          </li>`,
        )}
      </ul>`
    }
    ${legacy && html`<${LegacyNotice} past=${legacy.past} onUse=${removeConfiguration} />`}
    <${RerunResult} from=${rerun} />
  </section>`;
}
