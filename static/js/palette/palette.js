/**
 * The command palette finds actions, clusters, cycles, objects and lessons by a few letters; Enter runs or shows one.
 */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { findObjects, showObject } from "../objects/object_actions.js";
import { goToCycle } from "../cycle/playback.js";
import { isOffered } from "../access/allowed.js";
import { isComposing } from "../base/input_method.js";
import { _, ngettext, fill, formatNumber, loadWithMessages } from "../base/i18n.js";
import { useLessons } from "./lesson_rows.js";
import { matching } from "./text_search.js";
import { actions } from "./action_table.js";
import { preferences } from "../base/preferences.js";
import { closeDialog } from "../base/screen.js";
import { lastCycle, store } from "../base/store.js";
import { laneWord } from "../cycle/cycle_texts.js";
import { icon } from "../parts/icon.js";
import { entered, typed } from "./early_palette.js";

const TYPING_PAUSE = 120;
const PAGE = 8;

/** The current keys of an action. */
function Keys({ action }) {
  const off = !preferences.singleKeys.value;
  const keys = action.keys.filter((key) => !(key.single && off));
  return html`<span class="keys-of">${keys.map((key) => html`<kbd key=${key.shown}>${key.shown}</kbd>`)}</span>`;
}

/** Return the actions. Actions that are never possible here show only for a query, with the reason. */
const listActions = (query) => (query ? actions() : actions().filter(({ id }) => isOffered(id)));

/** Return actions that match by their label or by synonyms from `others(id)`. */
function matchActions(query, others) {
  const own = matching(listActions(query), query, (action) => `${action.label} ${action.group}`);
  const rest = query ? listActions(query).filter(({ id }) => !own.some((action) => action.id === id)) : [];
  return [...own, ...matching(rest, query, (action) => `${others(action.id)} ${action.label}`)];
}

const actionRows = (query, others) =>
  matchActions(query, others).map((action) => ({
    key: `action ${action.id}`,
    id: action.id,
    label: action.label,
    about: action.blocked() || action.group,
    blocked: Boolean(action.blocked()),
    end: html`<${Keys} action=${action} />`,
    run: action.run,
  }));

function cycleRows(query) {
  const cycle = Number(query);
  const { first } = store.history.value;
  if (!/^\d+$/.test(query) || cycle < first || cycle > lastCycle.value) return [];
  return [
    {
      key: "cycle",
      label: fill(_("go to cycle {n}"), { n: formatNumber(cycle) }),
      about: _("Playback"),
      run: () => goToCycle(cycle),
    },
  ];
}

const clusterRows = (query) =>
  query
    ? matching(store.clusters.value ?? [], query, (cluster) => `${_("open cluster")} ${cluster.name}`)
        .filter((cluster) => cluster.id !== store.cluster.value?.id)
        .map((cluster) => ({
          key: `cluster ${cluster.id}`,
          label: cluster.name,
          about: _("open cluster"),
          run: () => openCluster(cluster.id).catch(() => {}),
        }))
    : [];

const objectRows = (answer) =>
  (answer?.objects ?? []).map((object) => ({
    key: `object ${object.kind} ${object.key}`,
    label: object.key,
    name: true,
    about: object.kind,
    end: html`<span class="quiet">${object.node ?? (object.lane ? laneWord(object.lane) : "")}</span>`,
    run: () => showObject(object.kind, object.key),
  }));

/** Sort exact names first: the node "eve" comes before "Events". */
const byName = (query) => (a, b) => isCalled(b, query) - isCalled(a, query);
const isCalled = ({ name, label }, query) => Boolean(name) && (label === query || label.endsWith(`/${query}`));

/** Sort possible actions before impossible ones. */
const possibleFirst = (a, b) => Number(Boolean(a.blocked)) - Number(Boolean(b.blocked));

/** Close the palette; a dialog that the chosen action opened stays open. */
const closePalette = () => store.dialog.peek()?.name === "palette" && closeDialog();

const noSynonyms = () => "";

/** Return the synonyms of actions, loaded with the first use of the palette. */
function useSynonyms() {
  const [synonymsOf, setSynonymsOf] = useState(() => noSynonyms);
  useEffect(() => {
    loadWithMessages(() => import("./synonyms.js")).then(
      (module) => setSynonymsOf(() => module.synonymsOf),
      () => {},
    );
  }, []);
  return synonymsOf;
}

/** Return the objects of the cluster that match, fetched when the typing pauses. */
function useObjects(query) {
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    setAnswer((old) => (query && old ? { ...old, stale: true } : null));
    if (!query || !store.cluster.peek()) return undefined;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      findObjects(query, ended.signal).then(
        setAnswer,
        (error) => error.name === "AbortError" || setAnswer({ total: 0, objects: [] }),
      );
    }, TYPING_PAUSE);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [query]);
  return answer;
}

export function Palette() {
  const root = useRef(null);
  const list = useRef(null);
  const before = useRef(null);
  const [text, setText] = useState(typed.peek());
  // The key of the selected row; null for the first row.
  const [active, setActive] = useState(null);
  const query = text.trim();
  const objects = useObjects(query);
  const others = useSynonyms();
  const lessons = useLessons(query);
  // A user who types an object's name and presses Enter means the object, so lessons wait for its answer.
  const isAnswered = !store.cluster.value || (objects && !objects.stale);
  const rows = [
    ...cycleRows(query),
    ...actionRows(query, others),
    ...clusterRows(query),
    ...objectRows(objects),
    ...(isAnswered ? lessons : []),
  ].sort((a, b) => possibleFirst(a, b) || byName(query)(a, b));
  // A selected row stays selected when new rows come above it.
  const activeIndex = rows.length
    ? Math.max(
        0,
        rows.findIndex((row) => row.key === active),
      )
    : -1;
  const more = objects && objects.total - objects.objects.length;

  // A layout effect, so that the input gets the keys from the first frame.
  useLayoutEffect(() => {
    before.current = document.activeElement;
    root.current.showModal();
    root.current.querySelector("input").focus();
    return () => {
      // The early text was for this use.
      typed.value = "";
      entered.value = false;
      before.current?.focus?.();
    };
  }, []);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [activeIndex, query]);

  const pick = (row) => {
    if (row.blocked) return;
    // The focus returns first, because the action may move it. The action runs at once, because the next key may need
    // its effect, such as the pinned node.
    root.current.close();
    before.current?.focus?.();
    before.current = null;
    closeDialog();
    row.run();
  };
  useEffect(() => {
    if (!entered.peek() || !query || !rows[activeIndex]) return;
    entered.value = false;
    pick(rows[activeIndex]);
  });
  const handleKey = (event) => {
    // During composition, arrows and Enter belong to the input method.
    if (isComposing(event)) return;
    const moves = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      PageDown: Math.min(rows.length - 1, activeIndex + PAGE),
      PageUp: Math.max(0, activeIndex - PAGE),
    };
    if (event.key in moves && rows.length) setActive(rows[(moves[event.key] + rows.length) % rows.length].key);
    else if (event.key === "Enter" && rows[activeIndex]) pick(rows[activeIndex]);
    else if (event.key === "Enter") entered.value = true;
    else return;
    event.preventDefault();
  };
  return html`<dialog class="palette" ref=${root} aria-label=${_("Command palette")} onClose=${closePalette}
    onClick=${(event) => event.target === root.current && closeDialog()}
  >
    <div class="palette-head">
      ${icon("find", "quiet")}
      <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
        aria-activedescendant=${rows.length ? `palette-${activeIndex}` : undefined}
        aria-label=${_("Command palette")}
        placeholder=${_("an action, an object, a lesson, a cluster, a cycle's number")} autocomplete="off"
        spellcheck=${false}
        maxlength="200" value=${text}
        onInput=${(event) => (setText(event.currentTarget.value), setActive(null), (entered.value = false))}
        onKeyDown=${handleKey}
      />
      <kbd>Esc</kbd>
    </div>
    <ul class="palette-list scroll" id="palette-list" role="listbox" aria-label=${_("Results")} ref=${list}
      tabindex="-1"
    >
      ${rows.map(
        (row, index) => html`<li role="option" key=${row.key} id=${`palette-${index}`} data-action=${row.id}
          aria-selected=${index === activeIndex ? "true" : "false"} aria-disabled=${row.blocked ? "true" : undefined}
          onPointerMove=${() => row.key !== active && setActive(row.key)} onClick=${() => pick(row)}
        >
          <span class=${`grow cut ${row.name ? "mono" : ""}`}>${row.label}</span>
          <span class="quiet cut">${row.about}</span>
          ${row.end}
        </li>`,
      )}
    </ul>
    <p class="palette-foot quiet" role="status">
      ${
        !rows.length && !objects?.stale
          ? _("No results")
          : more > 0
            ? ngettext("{n} more object: type more of its name", "{n} more objects: type more of the name", more)
            : html`<kbd>↑</kbd> <kbd>↓</kbd> ${_("choose")} <kbd>Enter</kbd> ${_("run or show")}`
      }
    </p>
  </dialog>`;
}
