/** Breakpoints, which stop a run. The server stores them with the cluster. */
import { effect, signal } from "../../vendor/preact.js";
import { get, clusterPath, put } from "../base/api.js";
import { isReadOnly } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { podName } from "../base/format.js";
import { reportError } from "../base/notices.js";
import { podInView, store } from "../base/store.js";
import { onRecords } from "../cycle/sync.js";

export const breakpoints = signal([]); // [{kind, …}] of docs/reference/commands-and-trace.md

const isSame = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

function reconcileText({ actor, object }) {
  if (!object) return actor ? fill(_("{actor} acts"), { actor }) : _("a controller acts");
  return actor
    ? fill(_("{actor} acts on {object}"), { actor, object })
    : fill(_("a controller acts on {object}"), { object });
}

const TEXTS = {
  pod: ({ pod }) => fill(_("an attempt of {pod}"), { pod: podName(pod) }),
  rejection: ({ plugin, node }) =>
    node ? fill(_("{plugin} rejects {node}"), { plugin, node }) : fill(_("{plugin} rejects a node"), { plugin }),
  failure: ({ point }) => fill(_("an error at {point}"), { point }),
  preemption: () => _("a preemption"),
  reconcile: reconcileText,
};

export const breakpointText = (breakpoint) =>
  TEXTS[breakpoint.kind]?.(breakpoint) ?? Object.values(breakpoint).join(" ");

/**
 * Change the breakpoints by `edit(list)`, which gets the present list, because this page may not have read all of them.
 */
async function changeBreakpoints(edit) {
  const id = store.cluster.peek().id;
  const address = clusterPath(id, "breakpoints");
  try {
    const next = edit(await get(address));
    const saved = await put(address, next);
    if (store.cluster.peek()?.id === id) breakpoints.value = saved ?? next;
  } catch (error) {
    reportError(error);
  }
}

const without = (known, breakpoint) => known.filter((other) => !isSame(breakpoint, other));
export const addBreakpoint = (breakpoint) => changeBreakpoints((known) => [...without(known, breakpoint), breakpoint]);
export const removeBreakpoint = (breakpoint) => changeBreakpoints((known) => without(known, breakpoint));

export function togglePodBreakpoint() {
  const breakpoint = { kind: "pod", pod: podInView.peek() };
  return breakpoints.peek().some((other) => isSame(breakpoint, other))
    ? removeBreakpoint(breakpoint)
    : addBreakpoint(breakpoint);
}

/** Read them when a cluster opens; call `onStopped(record)` when one of them has stopped a run. */
export function followBreakpoints(onStopped) {
  onRecords((records) => {
    const last = records.findLast((record) => record.stoppedBy);
    if (last) onStopped(last);
  });
  let open = null;
  effect(() => {
    const id = store.cluster.value?.id ?? null;
    if (id === open) return;
    open = id;
    breakpoints.value = [];
    // Breakpoints of a teacher's cluster belong to the teacher.
    if (id !== null && !isReadOnly(id)) {
      get(clusterPath(id, "breakpoints")).then(
        (answer) => open === id && (breakpoints.value = answer),
        () => {}, // `changeBreakpoints` reads them before it writes
      );
    }
  });
}
