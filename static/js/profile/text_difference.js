/** Two texts with their differences marked: side by side if there is room, else one below the other. */
import { html, useEffect, useRef } from "../../vendor/preact.js";

/** `before`, `after`: texts; `label`: the name for screen readers. */
export function Merge({ before, after, label, sideBySide = false }) {
  const host = useRef(null);
  useEffect(() => {
    let view = null;
    let isUnmounted = false;
    import("../../vendor/codemirror.js").then((cm) => {
      if (isUnmounted) return;
      const { EditorState, EditorView } = cm;
      const common = [
        EditorView.cspNonce.of(document.querySelector("script[nonce]")?.nonce ?? ""),
        cm.lineNumbers(),
        cm.yaml(),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.lineWrapping,
      ];
      if (sideBySide) {
        view = new cm.MergeView({
          a: { doc: before, extensions: common },
          b: { doc: after, extensions: common },
          parent: host.current,
          collapseUnchanged: { margin: 3 },
        });
      } else {
        const merged = cm.unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: 3 },
        });
        view = new EditorView({
          state: EditorState.create({ doc: after, extensions: [...common, merged] }),
          parent: host.current,
        });
      }
    });
    return () => {
      isUnmounted = true;
      view?.destroy();
    };
  }, [before, after, sideBySide]);
  return html`<div class="editor merge" ref=${host} />`;
}
