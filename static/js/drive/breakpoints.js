/** Breakpoints: where a run stops. The server keeps them with the cluster. */
import { effect, signal } from "../../vendor/preact.js";
import { get, of, put } from "../base/api.js";
import { readOnly } from "../class/state.js";
import { _, fill } from "../base/i18n.js";
import { podName } from "../base/format.js";
import { notify, report } from "../base/notices.js";
import { podInView, store } from "../base/store.js";

export const breakpoints = signal([]); // [{kind, pod?, plugin?, node?, point?}]

const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

/** What a breakpoint waits for, in words. */
export function breakpointText({ kind, pod, plugin, node, point }) {
  if (kind === "pod") return fill(_("an attempt of {pod}"), { pod: podName(pod) });
  if (kind === "rejection")
    return node ? fill(_("{plugin} rejects {node}"), { plugin, node }) : fill(_("{plugin} rejects a node"), { plugin });
  if (kind === "failure") return fill(_("an error at {point}"), { point });
  return _("a preemption");
}

async function save(next) {
  const id = store.cluster.peek().id;
  try {
    const saved = await put(of(id, "breakpoints"), next);
    breakpoints.value = saved ?? next;
  } catch (error) {
    report(error);
  }
}

export const addBreakpoint = (one) =>
  breakpoints.peek().some((other) => same(one, other)) ? undefined : save([...breakpoints.peek(), one]);
export const removeBreakpoint = (one) => save(breakpoints.peek().filter((other) => !same(one, other)));

/** A breakpoint on the pod in view: set it, or take it away. */
export function toggleForPod() {
  const one = { kind: "pod", pod: podInView.peek() };
  return breakpoints.peek().some((other) => same(one, other)) ? removeBreakpoint(one) : addBreakpoint(one);
}

/** Read them when a cluster is opened, and say when one of them has stopped a run. */
export function followBreakpoints() {
  let open = null;
  let stopped = null;
  effect(() => {
    const cluster = store.cluster.value;
    const by = cluster?.stopped_by ? `${cluster.id} ${cluster.cycle} ${JSON.stringify(cluster.stopped_by)}` : null;
    if (by && by !== stopped && cluster.id === open)
      notify(fill(_("Stopped at a breakpoint: {what}."), { what: breakpointText(cluster.stopped_by) }));
    stopped = by;
    if (cluster?.id === open) return;
    open = cluster?.id ?? null;
    breakpoints.value = [];
    // Those of a teacher's cluster are the teacher's.
    if (open !== null && !readOnly(open)) {
      get(of(open, "breakpoints")).then(
        (found) => open === cluster.id && (breakpoints.value = found),
        () => {}, // the dialog asks again
      );
    }
  });
}
