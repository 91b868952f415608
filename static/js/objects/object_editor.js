/** The object editor: form and YAML in sync, completion, and problems by path while typing. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { checkImport } from "../import/import_actions.js";
import { checkUpdate, loadKinds } from "./object_actions.js";
import { problemText } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { completionSource } from "./completion.js";
import { CheckResult } from "../import/check_result.js";
import { Editor, library as editorLibrary } from "../parts/editor.js";
import { Segments } from "../parts/segments.js";
import { ObjectForm } from "./object_form.js";

const TYPING_PAUSE = 300;
const NOTHING = [];

/**
 * Return the server's check of a text shortly after the last key: {answer, isCurrent}. `answer` is null before the
 * first one; while it is about an earlier text, `isCurrent` is false.
 */
export function useCheck(text) {
  const [checked, setChecked] = useState({ text: null, answer: null });
  const turn = useRef(0);
  useEffect(() => {
    turn.current += 1;
    const ownTurn = turn.current;
    const timer = setTimeout(async () => {
      const result = await checkImport({ text, strict: true }).catch((error) => ({
        problems: [{ path: "", rule: error.message }],
      }));
      if (ownTurn === turn.current) setChecked({ text, answer: result });
    }, TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return { answer: checked.answer, isCurrent: checked.text === text };
}

/**
 * Return how to call `submit`: at once if the text is checked, else after the check, unless the text changes. No
 * unchecked text is sent, and no press is lost.
 */
export function useSubmit(text, isChecked, submit) {
  const [requestedText, setRequestedText] = useState(null);
  useEffect(() => {
    if (requestedText === null) return;
    if (requestedText === text && !isChecked) return;
    setRequestedText(null);
    if (requestedText === text) submit();
  });
  return () => (isChecked ? submit() : setRequestedText(text));
}

/**
 * Return what an API server would refuse of a changed pod, shortly after the last key: {refused, isPending}. `refused`
 * is [] until it is known, and for other kinds; while pending, it is about an earlier text.
 */
export function useUpdateCheck(kind, text, original) {
  const [checked, setChecked] = useState({ text: null, problems: [] });
  useEffect(() => {
    if (kind !== "Pod" || text === original) return undefined;
    let isCancelled = false;
    const timer = setTimeout(async () => {
      // The other check reports a text that is no pod.
      const answer = await checkUpdate(text, original).catch(() => ({ refused: [] }));
      if (!isCancelled) setChecked({ text, problems: answer.refused.flatMap(({ problems }) => problems) });
    }, TYPING_PAUSE);
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [text]);
  const needsCheck = kind === "Pod" && text !== original;
  return { refused: needsCheck ? checked.problems : NOTHING, isPending: needsCheck && checked.text !== text };
}

// The editor opens before the schema is loaded and is not recreated while the user types, so completion waits.
const complete = (context) =>
  loadKinds().then(
    (schema) => completionSource(schema)(context),
    () => null,
  );

/** Return a value that is loaded once; null until then. */
export function useLoaded(load) {
  const [value, setValue] = useState(null);
  useEffect(() => {
    let isUnmounted = false;
    load().then(
      (loaded) => isUnmounted || setValue(() => loaded),
      () => {}, // the editor works without it
    );
    return () => (isUnmounted = true);
  }, []);
  return value;
}

/**
 * `text` belongs to the caller; `revision` changes when it was set from outside. `checked`: the text of `answer`, with
 * the same lines as `text`. `aside`: more switches beside form and YAML. `warnings`: problems that do not block;
 * `isThere`: the object exists, so most fields of a pod are immutable in a cluster.
 */
export function ObjectEditor({
  text,
  revision,
  answer,
  label,
  onText,
  onSubmit,
  aside,
  warnings = NOTHING,
  isThere = false,
}) {
  const [view, setView] = useState("yaml");
  const [written, setWritten] = useState(0);
  const [goTo, setGoTo] = useState(null);
  const schema = useLoaded(loadKinds);
  const library = useLoaded(editorLibrary);
  const problems = answer?.problems ?? [];
  const marks = useMemo(
    () =>
      [...problems, ...warnings].map((problem) => ({
        line: problem.line,
        text: problemText(problem),
        severity: warnings.includes(problem) ? "warning" : "error",
      })),
    [answer, warnings],
  );
  const fromForm = (next) => {
    setWritten(written + 1);
    onText(next);
  };
  return html`
    <div class="row wrap">
      ${aside}
      <span class="grow" />
      <${Segments} label=${_("Edit as")} value=${view} onPick=${setView}
        options=${[["form", _("form")], ["yaml", "YAML"]]}
      />
    </div>
    ${
      view === "yaml" &&
      html`<div class="editor-box">
        <${Editor} takesFocus label=${label} value=${text}
          revision=${`${revision} ${written}`} onChange=${onText} onSubmit=${onSubmit} problems=${marks} goTo=${goTo}
          complete=${complete}
        />
      </div>`
    }
    ${
      view === "form" &&
      (schema && library
        ? html`<${ObjectForm} text=${text} schema=${schema} library=${library} problems=${problems}
          isThere=${isThere} onText=${fromForm}
        />`
        : html`<p class="quiet">${_("Loading the editor")}</p>`)
    }
    <${CheckResult} answer=${answer} good=${_("valid")}
      onPick=${(problem) => (setView("yaml"), setGoTo({ line: problem.line }))}
    />
  `;
}
