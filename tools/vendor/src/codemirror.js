// The YAML editor: the parts of CodeMirror 6 that the profile editor uses, and the `yaml` document tree that its
// completion and lint read. Loaded only when an editor opens. Names are listed so that the rest is left out.
export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completeFromList,
  completionKeymap,
  completionStatus,
  snippetCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from "@codemirror/commands";
export { yaml, yamlLanguage } from "@codemirror/lang-yaml";
export {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
export {
  diagnosticCount,
  forEachDiagnostic,
  forceLinting,
  lintGutter,
  lintKeymap,
  linter,
  nextDiagnostic,
  openLintPanel,
  setDiagnostics,
} from "@codemirror/lint";
export { MergeView, goToNextChunk, goToPreviousChunk, unifiedMergeView } from "@codemirror/merge";
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
export {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  Facet,
  Prec,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
export {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
  rectangularSelection,
  showPanel,
  tooltips,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
export { basicSetup, minimalSetup } from "codemirror";
export { LineCounter, isAlias, isMap, isPair, isScalar, isSeq, parseDocument, visit } from "yaml";
