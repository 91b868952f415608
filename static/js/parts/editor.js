/** The YAML editor: CodeMirror, loaded with the first editor. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";

let loading = null;
const load = () => (loading ??= import("../../vendor/codemirror.js"));

/** The library itself, which also reads YAML. */
export const library = load;

export function setup(cm, { label, onChange, onSubmit = () => false, complete = null }) {
  const { EditorView, keymap, tags } = cm;
  // Colors are the page's tokens, so that they follow the theme.
  const highlight = cm.HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--chosen-text)" },
    { tag: [tags.string, tags.attributeValue], color: "var(--text)" },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--passed-text)" },
    { tag: [tags.comment, tags.meta], color: "var(--text-3)", fontStyle: "italic" },
    { tag: tags.invalid, color: "var(--rejected-text)" },
  ]);
  const submit = { key: "Mod-Enter", run: () => (onSubmit?.(), true) };
  return [
    EditorView.cspNonce.of(document.querySelector("script[nonce]")?.nonce ?? ""),
    cm.lineNumbers(),
    cm.foldGutter(),
    cm.lintGutter(),
    cm.history(),
    cm.drawSelection(),
    cm.indentOnInput(),
    cm.bracketMatching(),
    cm.closeBrackets(),
    cm.highlightActiveLine(),
    cm.indentUnit.of("  "),
    cm.syntaxHighlighting(highlight),
    cm.yaml(),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    ...(complete ? [cm.autocompletion({ override: [complete], icons: false })] : []),
    keymap.of([
      submit,
      ...(complete ? cm.completionKeymap : []),
      ...cm.closeBracketsKeymap,
      ...cm.historyKeymap,
      ...cm.foldKeymap,
      ...cm.lintKeymap,
      ...cm.defaultKeymap,
    ]),
    EditorView.updateListener.of((update) => update.docChanged && onChange?.(update.state.doc.toString())),
  ];
}

/** Show problems as diagnostics of the editor. */
export function marks(view, problems) {
  const lines = view.state.doc.lines;
  return problems
    .filter((problem) => problem.line)
    .map((problem) => {
      const line = view.state.doc.line(Math.min(problem.line, lines));
      const start = line.from + line.text.search(/\S|$/);
      return {
        from: start,
        to: Math.max(line.to, start),
        severity: problem.severity ?? "error",
        message: problem.text,
      };
    });
}

/**
 * `value`: the initial text, applied again when `revision` changes. In between, the editor owns the text: a delayed
 * value must not overwrite newer typing. `onChange(text)`; `problems`: [{line, text}] marked in the gutter; `onSubmit`:
 * Ctrl+Enter; `goTo`: {line} moves the cursor there when it changes; `takesFocus`: focus when ready; `complete`: a
 * completion source, fixed from the start.
 */
export function Editor({
  value,
  revision = 0,
  label,
  problems = [],
  onChange,
  onSubmit,
  goTo,
  takesFocus = false,
  complete,
}) {
  const host = useRef(null);
  const view = useRef(null);
  const bundle = useRef(null);
  const handlers = useRef({});
  const [failed, setFailed] = useState(false);
  const [ready, setReady] = useState(false);
  handlers.current = { onChange, onSubmit };

  useEffect(() => {
    let isUnmounted = false;
    load().then(
      (cm) => {
        if (isUnmounted) return;
        bundle.current = cm;
        const extensions = setup(cm, {
          label,
          complete,
          onChange: (text) => handlers.current.onChange?.(text),
          onSubmit: () => handlers.current.onSubmit?.(),
        });
        view.current = new cm.EditorView({
          state: cm.EditorState.create({ doc: value, extensions }),
          parent: host.current,
        });
        if (takesFocus) view.current.focus();
        setReady(true);
      },
      () => setFailed(true),
    );
    return () => {
      isUnmounted = true;
      view.current?.destroy();
    };
  }, []);

  useEffect(() => {
    const doc = view.current?.state.doc;
    if (doc && doc.toString() !== value) view.current.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [revision, ready]);
  useEffect(() => {
    if (ready) view.current.dispatch(bundle.current.setDiagnostics(view.current.state, marks(view.current, problems)));
  }, [problems, ready]);
  useEffect(() => {
    if (!ready || !goTo?.line) return;
    const line = view.current.state.doc.line(Math.min(goTo.line, view.current.state.doc.lines));
    view.current.dispatch({ selection: { anchor: line.from }, scrollIntoView: true });
    view.current.focus();
  }, [goTo, ready]);

  if (failed) {
    // Without the library, use a plain text area.
    return html`<textarea class="editor plain mono" aria-label=${label} value=${value} spellcheck=${false}
      onInput=${(event) => onChange?.(event.currentTarget.value)}
    ></textarea>`;
  }
  return html`<div class="editor" ref=${host}>${!ready && html`<p class="quiet">${_("Loading the editor")}</p>`}</div>`;
}
