"""Candidates: the nodes on which evicting pods would make room, found by dry runs, then judged by extenders.

Source: pkg/scheduler/framework/preemption/preemption.go DryRunPreemption, callExtenders.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeStatuses
from scheduler_core.framework.extender import Extender, ExtenderError, Victims
from scheduler_core.framework.handle import FilterRunner
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.preemption.victims import NO_VICTIMS, DryRunRules, select_victims

# By node name; those without a violated disruption budget come first.
Candidates = dict[str, Victims]


@dataclass(slots=True)
class DryRuns:
    """`statuses`: why the other nodes are no candidates; `errors`: the texts of internal errors among them."""

    statuses: NodeStatuses
    candidates: Candidates = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def error(self) -> str:
        """All texts as one, sorted (upstream's order is that of its threads).

        Source: apimachinery/pkg/util/errors aggregate.Error.
        """
        texts = sorted(set(self.errors))
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def dry_run(
    filters: FilterRunner,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    budgets: Sequence[PodDisruptionBudget],
    wanted: int,
    rules: DryRunRules,
) -> DryRuns:
    """Try one node after the other until there are `wanted` candidates, one of them without a violated budget."""
    runs = DryRuns(NodeStatuses(nodes.table.rows))
    hopeful = nodes.lowest_priority < pod.priority
    rest = nodes.take(~hopeful).row_numbers
    runs.statuses.set_rows(rest, np.ones(len(rest), np.int32), [SUCCESS, NO_VICTIMS])
    harmless: Candidates = {}
    violating: Candidates = {}
    for node, result in _tried(filters, state, pod, nodes.take(hopeful), budgets, wanted, rules):
        if isinstance(result, Victims) and (result.pods or rules.may_spare_all):
            if not result.pdb_violations:
                harmless[node.name] = result
            elif len(violating) < wanted:
                violating[node.name] = result
            if harmless and len(harmless) + len(violating) >= wanted:
                break
            continue
        status = result if isinstance(result, Status) else Status.error(_no_victim(node.name))
        runs.statuses.set(node.name, status)
        if status.code == Code.ERROR:
            runs.errors.append(status.message)
    runs.candidates = harmless | violating
    return runs


def _tried(
    filters: FilterRunner,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    budgets: Sequence[PodDisruptionBudget],
    wanted: int,
    rules: DryRunRules,
) -> Iterator[tuple[NodeView, Victims | Status]]:
    """The nodes in order, with what came of them: some at a time, since many cost little more than one."""
    done, size = 0, max(wanted, 1)
    while done < len(nodes):
        chunk = nodes.take(np.arange(done, min(done + size, len(nodes))))
        yield from zip(chunk, select_victims(filters, state, pod, chunk, budgets, rules), strict=True)
        done, size = done + size, 2 * size


def ask_extenders(
    extenders: Iterable[Extender], pod: Pod, candidates: Candidates, nodes: Nodes, trace: Trace
) -> Candidates:
    """What the extenders that support preemption leave. Raises PluginError when one fails that is not ignorable."""
    for extender in extenders:
        if not extender.supports_preemption or not extender.is_interested(pod):
            continue
        note = partial(trace.add_call, ExtensionPoint.POST_FILTER, extender.name)
        try:
            answer = _answer(extender, pod, candidates, nodes)
        except ExtenderError as error:
            note(Status.error(str(error)), ignored=extender.ignorable or None)
            if extender.ignorable:
                continue
            raise PluginError(str(error)) from error
        note(SUCCESS, in_=len(candidates), out=len(answer), data={"candidates": describe(answer)})
        candidates = answer
        if not candidates:
            break
    return candidates


def _answer(extender: Extender, pod: Pod, candidates: Candidates, nodes: Nodes) -> Candidates:
    """A node without victims is an error, which an ignorable extender is forgiven."""
    answer = extender.process_preemption(pod, candidates, nodes)
    for name, victims in answer.items():
        if not victims.pods and not extender.ignorable:
            raise ExtenderError(_no_victim(name))
    return {name: victims for name, victims in answer.items() if victims.pods}


def describe(candidates: Candidates) -> dict[str, Any]:
    """JSON-ready, for the trace."""
    return {
        node: {"victims": [victim.key for victim in victims.pods], "pdbViolations": victims.pdb_violations}
        for node, victims in candidates.items()
    }


def _no_victim(node_name: str) -> str:
    return f'expected at least one victim pod on node "{node_name}"'
