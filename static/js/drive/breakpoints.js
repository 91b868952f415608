/** Breakpoints, which stop a run. The server stores them with the cluster. */
import { effect, signal } from "../../vendor/preact.js";
import { get, of, put } from "../base/api.js";
import { readOnly } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";
import { podName } from "../base/format.js";
import { report } from "../base/notices.js";
import { podInView, store } from "../base/store.js";
import { onRecords } from "../cycle/sync.js";

export const breakpoints = signal([]); // [{kind, …}] of docs/reference/commands-and-trace.md

const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

function reconcileText({ actor, object }) {
  if (!object) return actor ? fill(_("{actor} does something"), { actor }) : _("a controller does something");
  return actor
    ? fill(_("{actor} does something about {object}"), { actor, object })
    : fill(_("a controller does something about {object}"), { object });
}

const TEXTS = {
  pod: ({ pod }) => fill(_("an attempt of {pod}"), { pod: podName(pod) }),
  rejection: ({ plugin, node }) =>
    node ? fill(_("{plugin} rejects {node}"), { plugin, node }) : fill(_("{plugin} rejects a node"), { plugin }),
  failure: ({ point }) => fill(_("an error at {point}"), { point }),
  preemption: () => _("a preemption"),
  reconcile: reconcileText,
};

/** Return the condition of a breakpoint in words. */
export const breakpointText = (one) => TEXTS[one.kind]?.(one) ?? Object.values(one).join(" ");

/** Change the breakpoints by `how`, which gets the present list, because this page may not have read all of them. */
async function change(how) {
  const id = store.cluster.peek().id;
  const address = of(id, "breakpoints");
  try {
    const next = how(await get(address));
    const saved = await put(address, next);
    if (store.cluster.peek()?.id === id) breakpoints.value = saved ?? next;
  } catch (error) {
    report(error);
  }
}

const without = (known, one) => known.filter((other) => !same(one, other));
export const addBreakpoint = (one) => change((known) => [...without(known, one), one]);
export const removeBreakpoint = (one) => change((known) => without(known, one));

/** Set a breakpoint on the selected pod, or remove it. */
export function toggleForPod() {
  const one = { kind: "pod", pod: podInView.peek() };
  return breakpoints.peek().some((other) => same(one, other)) ? removeBreakpoint(one) : addBreakpoint(one);
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
    if (id !== null && !readOnly(id)) {
      get(of(id, "breakpoints")).then(
        (found) => open === id && (breakpoints.value = found),
        () => {}, // `change` reads them before it writes
      );
    }
  });
}
