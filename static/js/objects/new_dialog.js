/** The dialog for new objects from a template: form or YAML, problems while typing, a preview. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { importInto } from "../import/actions.js";
import { kinds } from "./actions.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { MOST, asList, expand, firstText, placeholders, readAll } from "./bulk.js";
import { wordsFrom } from "./document.js";
import { templates } from "./templates.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { BulkFields, Preview } from "./bulk_fields.js";
import { ObjectEditor, useCheck, useLoaded, useSubmit } from "./editor.js";
import { Dialog } from "../parts/dialog.js";
import { library as editorLibrary } from "../parts/editor.js";

const ZONE = "topology.kubernetes.io/zone";
const NO_SPREAD = { key: "", values: "" };

/** Return the values of a label on this cluster's nodes, to use in turn. */
function zones() {
  const found = [...new Set(store.nodes.peek()?.labels?.[ZONE] ?? [])].filter(Boolean);
  return { key: ZONE, values: (found.length ? found : ["zone-a", "zone-b", "zone-c"]).join(", ") };
}

/** Return a template, or the example of a kind, as the initial text. */
function startOf(id, known) {
  const template = templates().find((row) => row.id === id) ?? { id, count: 1, text: known[id].example, spread: false };
  return { ...template, wish: { count: template.count, from: 1, ...(template.spread ? zones() : NO_SPREAD) } };
}

/** Return the problem of the request itself; "" for none. */
function wishProblem(wish, marks, objects) {
  if (!marks.node && wish.count > 1 && !marks.n) return _("To make several, put {n} into the name, as in web-{n}.");
  if (!marks.node && !wish.count) return _("Make at least one.");
  if (objects && objects.length > MOST) return fill(_("At most {n} objects at a time."), { n: number(MOST) });
  return "";
}

function Templates({ value, known, onPick }) {
  const all = templates();
  const others = Object.keys(known ?? {}).filter((kind) => known[kind].example);
  return html`<label class="row wrap">
    <span class="quiet">${_("Start from")}</span>
    <select aria-label=${_("Template")} value=${value} onChange=${(event) => onPick(event.currentTarget.value)}>
      <optgroup label=${_("Templates")}>
        ${all.map((row) => html`<option key=${row.id} value=${row.id}>${row.label}</option>`)}
      </optgroup>
      <optgroup label=${_("Other kinds")}>
        ${others.map((kind) => html`<option key=${kind} value=${kind}>${kind}</option>`)}
      </optgroup>
    </select>
    <span class="quiet cut">${all.find((row) => row.id === value)?.about}</span>
  </label>`;
}

export function NewDialog({ template = "pod" }) {
  const [start, setStart] = useState(() => startOf(template));
  const [text, setText] = useState(start.text);
  const [wish, setWish] = useState(start.wish);
  const [library, setLibrary] = useState(null);
  const known = useLoaded(kinds);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const nodes = store.nodes.value?.names ?? [];
  const first = firstText(text, { from: wish.from, nodes });
  const { answer: checked, isCurrent } = useCheck(first);
  const answer = refused?.text === text ? refused.answer : checked;
  const isChecked = isCurrent || refused?.text === text;
  const marks = placeholders(text);
  const spread = wish.key ? { key: wish.key, values: wordsFrom(wish.values) } : null;
  const objects = useMemo(() => {
    const values = library && readAll(library, text);
    return values && expand(values, { count: wish.count, from: wish.from, nodes, spread });
  }, [library, text, wish, nodes]);
  const problem = wishProblem(wish, marks, objects);
  // A configuration is no object and has its own button.
  const blocked =
    busy ||
    Boolean(problem) ||
    (isChecked && Boolean(answer?.configuration?.past || answer?.problems?.length)) ||
    !objects?.length;

  useEffect(
    () =>
      void editorLibrary().then(
        (loaded) => setLibrary(() => loaded),
        () => {},
      ),
    [],
  );

  const choose = (id) => {
    const next = startOf(id, known);
    setStart(next);
    setText(next.text);
    setWish(next.wish);
  };
  const create = useSubmit(first, isChecked, async () => {
    if (blocked) return;
    setBusy(true);
    // Without repetition the original text is sent, so that problems have lines.
    const source = marks.n || marks.node || spread ? asList(objects) : text;
    const done = await importInto({ text: source, strict: true }).catch((error) => ({
      problems: error.problems ?? [{ path: "", rule: error.message }],
    }));
    setBusy(false);
    if (done.problems.length) {
      setRefused({ text, answer: done });
      return;
    }
    closeDialog();
    notify(ngettext("{n} object made.", "{n} objects made.", objects.length));
  });
  const foot = html`
    ${problem ? html`<span class="is-rejected">${problem}</span>` : html`<kbd>Ctrl+Enter</kbd>`}
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${blocked} onClick=${create}>
      ${objects?.length > 1 ? fill(_("Create {n}"), { n: number(objects.length) }) : _("Create")}
    </button>
  `;
  return html`<${Dialog} title=${_("New object")} wide foot=${foot}>
    <${ObjectEditor} text=${text} revision=${start.id} answer=${answer} label=${_("Manifest as YAML")}
      onText=${setText} onSubmit=${create}
      aside=${html`<${Templates} value=${start.id} known=${known} onPick=${choose} />`}
    />
    <${BulkFields} wish=${wish} marks=${marks} nodes=${nodes.length} onWish=${setWish} />
    <${Preview} objects=${objects} spread=${spread} />
  <//>`;
}
