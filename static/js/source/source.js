/** The source panel: objects as YAML beside the result, in sync with the cluster both ways. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import {
  again,
  apply,
  configuration,
  findConfiguration,
  forget,
  look,
  read,
  readAgain,
  runAgain,
  windowed,
  written,
} from "./actions.js";
import { _, fill, number } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { preferences } from "../base/preferences.js";
import { documents, idOf, onlyChange } from "./documents.js";
import { store } from "../base/store.js";
import { onRecords } from "../cycle/sync.js";
import { icon } from "../parts/icon.js";
import { PastFound } from "../profile/legacy_found.js";
import { library as load, marks, setup } from "../parts/editor.js";
import { Effect } from "../profile/effect.js";

const PAUSE = 90; // ms after the last key before a valid text is applied
const LONGER = 900; // ms for a new, deleted or renamed document, which may be incomplete

const textOf = (objects) => [...objects.values()].map(({ text }) => text).join("---\n");

/**
 * Return a text that follows the cluster: edited parts stay, the rest is updated. An object whose text stays keeps the
 * manifest before its edit in `read`.
 */
function followed(text, before, now, page) {
  const docs = documents(text).map((one) => ({ ...one, id: idOfText(one.text, page) }));
  const own = new Map(docs.map((one) => [one.id, one.text]));
  const remaining = [...now].map(([id, object]) => {
    const { text: theirs } = object;
    const mine = own.get(id);
    const isOwn =
      written.peek().state !== "same" &&
      mine !== undefined &&
      before?.has(id) &&
      mine.trimEnd() !== before.get(id).text.trimEnd();
    if (isOwn) object.read = before.get(id).read ?? before.get(id).manifest;
    return isOwn || (mine !== undefined && before?.get(id)?.text === theirs) ? mine.replace(/\n*$/, "\n") : theirs;
  });
  const extra = docs.filter(({ id }) => !now.has(id) && !before?.has(id)).map((one) => one.text.replace(/\n*$/, "\n"));
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
function lighting(cm) {
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
          let at = effect.value?.[0];
          effect.value && at < effect.value[1];
          at = transaction.state.doc.lineAt(at).to + 1
        )
          ranges.push(line.range(transaction.state.doc.lineAt(at).from));
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
  const led = useRef(null);
  const [ready, setReady] = useState(false);
  const page = windowed.value;
  const { state, problems } = written.value;
  const selected = useSelected();
  const cluster = store.cluster.value.id;
  const cycle = store.shown.value?.record.cycle.number;

  const typed = () => {
    if (follow.current.quiet) return;
    const started = performance.now();
    clearTimeout(timer.current);
    const { cm, view } = editor.current;
    const found = look(cm, view.state.doc.toString());
    configuration.value = null;
    const seek = async () => {
      const text = view.state.doc.toString();
      if ((await findConfiguration(cm, text)) && view.state.doc.toString() === text)
        written.value = { state: "edited", problems: [] };
      return configuration.peek();
    };
    if (found.problems) timer.current = setTimeout(seek, PAUSE);
    if (found.problems) return void (written.value = { state: "edited", problems: found.problems });
    const { changed, made, gone } = found;
    if (!changed.length && !made.length && !gone.length) return void (written.value = { state: "same", problems: [] });
    written.value = { state: "edited", problems: [] };
    // Only a text about exactly the known objects can delete some.
    const mayGo = () =>
      !store.busy.peek() && written.peek().state !== "applied" && follow.current.page === windowed.peek();
    const go = async () => {
      if (!mayGo()) return void (timer.current = setTimeout(go, PAUSE));
      const text = view.state.doc.toString();
      if (made.length && ((await seek()) || view.state.doc.toString() !== text)) return;
      const last = look(cm, text);
      if ("changed" in last) apply(last, started);
    };
    timer.current = setTimeout(go, made.length || gone.length ? LONGER : PAUSE);
    return undefined;
  };

  useEffect(() => {
    let gone = false;
    load().then((cm) => {
      if (gone) return;
      const lights = lighting(cm);
      const extensions = [...setup(cm, { label: _("The cluster's objects as YAML"), onChange: typed }), lights.field];
      editor.current = {
        cm,
        lights,
        view: new cm.EditorView({ state: cm.EditorState.create({ doc: "", extensions }), parent: host.current }),
      };
      setReady(true);
    });
    return () => {
      gone = true;
      clearTimeout(timer.current);
      editor.current?.view.destroy();
      forget();
    };
  }, []);
  useEffect(() => {
    forget();
    read();
    const again = coalesce(readAgain, 200);
    // A record does not include its writes, so each one triggers a read.
    return onRecords(() => again());
  }, [cluster]);
  // The first request about a cycle prepares the server; later ones are quick.
  useEffect(() => void runAgain(), [cluster, cycle]);
  useEffect(() => {
    if (!ready || !page) return;
    const { view } = editor.current;
    const now = view.state.doc.toString();
    const { before } = follow.current;
    const isOther =
      !before || before.offset !== page.offset || before.search !== page.search || before.cluster !== cluster;
    const change = onlyChange(now, isOther ? textOf(page.objects) : followed(now, before.objects, page.objects, page));
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
    const place = documents(view.state.doc.toString()).find((one) => idOfText(one.text, page) === selected);
    const effects = [lights.set.of(place ? [place.from, place.to] : null)];
    if (place && !view.hasFocus) effects.push(cm.EditorView.scrollIntoView(place.from, { y: "start", yMargin: 24 }));
    view.dispatch({ effects });
    // Once, so that a later search of the user is not overridden.
    const isNew = led.current !== selected;
    led.current = selected;
    if (isNew && !place && selected && written.peek().state === "same" && !page.objects.has(selected)) {
      const [kind, key] = selected.split(/ (.*)/);
      read({ near: { kind, key } });
    }
  }, [selected, page !== null, page?.offset, ready]);

  const found = configuration.value;
  // After it became the profile's draft, remove it from the text.
  const takeOut = () => {
    const { view } = editor.current;
    const from = found.from && view.state.doc.lineAt(found.from - 1).from;
    view.dispatch({ changes: { from, to: found.to } });
  };
  const size = page?.objects.size ?? 0;
  const held = state !== "same";
  const status = {
    same: _("as the cluster is"),
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
        placeholder=${_("Find objects by name")} disabled=${held} value=${page?.search ?? ""}
        onInput=${(event) => read({ search: event.currentTarget.value })}
      />
      <span class="quiet num">
        ${
          page
            ? fill(_("{from}–{to} of {all}"), {
                from: number(size ? page.offset + 1 : 0),
                to: number(page.offset + size),
                all: number(page.total),
              })
            : ""
        }
      </span>
      <button type="button" class="btn icon" aria-label=${_("Objects before these")} disabled=${held || !page?.offset}
        onClick=${() => read({ ...page, offset: Math.max(0, page.offset - 40) })}
      >${icon("left")}</button>
      <button type="button" class="btn icon" aria-label=${_("Objects after these")}
        disabled=${held || !page || page.offset + size >= page.total}
        onClick=${() => read({ ...page, offset: page.offset + size })}
      >${icon("right")}</button>
    </div>
    <div class="editor source-editor" ref=${host}>
      ${!ready && html`<p class="quiet">${_("Loading the editor")}</p>`}
    </div>
    ${
      problems.length > 0 &&
      html`<ul class="source-problems" role="alert">
        ${problems.slice(0, 3).map(
          (one) => html`<li key=${one.line} class="is-rejected">
            ${fill(_("line {n}: {text}"), { n: one.line, text: one.text })}
          </li>`,
        )}
      </ul>`
    }
    ${found && html`<${PastFound} past=${found.past} onUse=${takeOut} />`}
    <${Effect} from=${again} />
  </section>`;
}
