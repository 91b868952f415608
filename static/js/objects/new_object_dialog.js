/** The dialog for new objects from a template: form or YAML, problems while typing, a preview. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { importInto } from "../import/import_actions.js";
import { loadKinds } from "./object_actions.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { MOST, toListText, expandObjects, firstText, findPlaceholders, readAll } from "./bulk_objects.js";
import { wordsFrom } from "./yaml_document.js";
import { templates } from "./templates.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { BulkFields, Preview } from "./bulk_fields.js";
import { ObjectEditor, useCheck, useLoaded, useSubmit } from "./object_editor.js";
import { Dialog } from "../parts/dialog.js";
import { library as editorLibrary } from "../parts/editor.js";

const ZONE = "topology.kubernetes.io/zone";
const NO_SPREAD = { key: "", values: "" };

/** Return the values of a label on this cluster's nodes, to use in turn. */
function zoneLabels() {
  const values = [...new Set(store.nodes.peek()?.labels?.[ZONE] ?? [])].filter(Boolean);
  return { key: ZONE, values: (values.length ? values : ["zone-a", "zone-b", "zone-c"]).join(", ") };
}

/** Return a template, or the example of a kind, as the initial text. */
function initialState(id, known) {
  const template = templates().find((row) => row.id === id) ?? { id, count: 1, text: known[id].example, spread: false };
  return { ...template, settings: { count: template.count, from: 1, ...(template.spread ? zoneLabels() : NO_SPREAD) } };
}

/** Return the problem of the request itself; "" for none. */
function settingsProblem(settings, placeholders, objects) {
  if (!placeholders.node && settings.count > 1 && !placeholders.n)
    return _("To create several, put {n} into the name, as in web-{n}.");
  if (!placeholders.node && !settings.count) return _("Create at least one object.");
  if (objects && objects.length > MOST) return fill(_("At most {n} objects at a time."), { n: formatNumber(MOST) });
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
  const [start, setStart] = useState(() => initialState(template));
  const [text, setText] = useState(start.text);
  const [settings, setSettings] = useState(start.settings);
  const [library, setLibrary] = useState(null);
  const known = useLoaded(loadKinds);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const nodes = store.nodes.value?.names ?? [];
  const first = firstText(text, { from: settings.from, nodes });
  const { answer: checked, isCurrent } = useCheck(first);
  const answer = refused?.text === text ? refused.answer : checked;
  const isChecked = isCurrent || refused?.text === text;
  const placeholders = findPlaceholders(text);
  const spread = settings.key ? { key: settings.key, values: wordsFrom(settings.values) } : null;
  const objects = useMemo(() => {
    const values = library && readAll(library, text);
    return values && expandObjects(values, { count: settings.count, from: settings.from, nodes, spread });
  }, [library, text, settings, nodes]);
  const problem = settingsProblem(settings, placeholders, objects);
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
    const next = initialState(id, known);
    setStart(next);
    setText(next.text);
    setSettings(next.settings);
  };
  const create = useSubmit(first, isChecked, async () => {
    if (blocked) return;
    setBusy(true);
    // Without repetition the original text is sent, so that problems have lines.
    const source = placeholders.n || placeholders.node || spread ? toListText(objects) : text;
    const done = await importInto({ text: source, strict: true }).catch((error) => ({
      problems: error.problems ?? [{ path: "", rule: error.message }],
    }));
    setBusy(false);
    if (done.problems.length) {
      setRefused({ text, answer: done });
      return;
    }
    closeDialog();
    notify(ngettext("{n} object created.", "{n} objects created.", objects.length));
  });
  const foot = html`
    ${problem ? html`<span class="is-rejected">${problem}</span>` : html`<kbd>Ctrl+Enter</kbd>`}
    <span class="grow" />
    <button type="button" class="btn" onClick=${closeDialog}>${_("Cancel")}</button>
    <button type="button" class="btn primary" disabled=${blocked} onClick=${create}>
      ${objects?.length > 1 ? fill(_("Create {n}"), { n: formatNumber(objects.length) }) : _("Create")}
    </button>
  `;
  return html`<${Dialog} title=${_("New object")} wide foot=${foot}>
    <${ObjectEditor} text=${text} revision=${start.id} answer=${answer} label=${_("Manifest as YAML")}
      onText=${setText} onSubmit=${create}
      aside=${html`<${Templates} value=${start.id} known=${known} onPick=${choose} />`}
    />
    <${BulkFields} settings=${settings} placeholders=${placeholders} nodes=${nodes.length} onSettings=${setSettings} />
    <${Preview} objects=${objects} spread=${spread} />
  <//>`;
}
