"""Candidates: nodes on which evicting pods makes room, found by dry runs, then filtered by extenders.

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
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.extender import Extender, ExtenderError, Victims
from scheduler_core.framework.handle import FilterRunner
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.preemption.victims import NO_VICTIMS, DryRunRules, select_victims

# Node name → victims; nodes without PDB violations come first.
Candidates = dict[str, Victims]


@dataclass(slots=True)
class DryRuns:
    """The results of dry runs.

    `statuses` is why the other nodes are no candidates; `errors` are messages of internal errors.
    """

    statuses: NodeToStatus
    candidates: Candidates = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def error(self) -> str:
        """Return all error messages as one, sorted (upstream's order is that of its goroutines).

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
    num_candidates: int,
    rules: DryRunRules,
) -> DryRuns:
    """Try the nodes in order until there are `num_candidates` candidates, one of them without a PDB violation.

    Source: DryRunPreemption.
    """
    runs = DryRuns(NodeToStatus(nodes.table.rows))
    has_lower_priority = nodes.lowest_priority < pod.priority
    rest = nodes.take(~has_lower_priority).row_numbers
    runs.statuses.set_rows(rest, np.ones(len(rest), np.int32), [SUCCESS, NO_VICTIMS])
    non_violating: Candidates = {}
    violating: Candidates = {}
    for node, result in _dry_run_nodes(
        filters, state, pod, nodes.take(has_lower_priority), budgets, num_candidates, rules
    ):
        if isinstance(result, Victims) and (result.pods or rules.may_spare_all):
            if not result.pdb_violations:
                non_violating[node.name] = result
            elif len(violating) < num_candidates:
                violating[node.name] = result
            if non_violating and len(non_violating) + len(violating) >= num_candidates:
                break
            continue
        status = result if isinstance(result, Status) else Status.error(_no_victim(node.name))
        runs.statuses.set(node.name, status)
        if status.code == Code.ERROR:
            runs.errors.append(status.message)
    runs.candidates = non_violating | violating
    return runs


def _dry_run_nodes(
    filters: FilterRunner,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    budgets: Sequence[PodDisruptionBudget],
    first_chunk: int,
    rules: DryRunRules,
) -> Iterator[tuple[NodeView, Victims | Status]]:
    """Return the nodes in order with their victims or status, computed in growing chunks."""
    done, size = 0, max(first_chunk, 1)
    while done < len(nodes):
        chunk = nodes.take(np.arange(done, min(done + size, len(nodes))))
        yield from zip(chunk, select_victims(filters, state, pod, chunk, budgets, rules), strict=True)
        done, size = done + size, 2 * size


def call_extenders(
    extenders: Iterable[Extender], pod: Pod, candidates: Candidates, nodes: Nodes, trace: Trace
) -> Candidates:
    """Return the candidates that pass all extenders that support preemption. Source: callExtenders.

    Raises PluginError if an extender fails that isn't ignorable.
    """
    for extender in extenders:
        if not extender.supports_preemption or not extender.is_interested(pod):
            continue
        add_step = partial(trace.add_call, ExtensionPoint.POST_FILTER, extender.name)
        try:
            answer = _call_extender(extender, pod, candidates, nodes)
        except ExtenderError as error:
            add_step(Status.error(str(error)), ignored=extender.ignorable or None)
            if extender.ignorable:
                continue
            raise PluginError(str(error)) from error
        add_step(SUCCESS, in_=len(candidates), out=len(answer), data={"candidates": describe_candidates(answer)})
        candidates = answer
        if not candidates:
            break
    return candidates


def _call_extender(extender: Extender, pod: Pod, candidates: Candidates, nodes: Nodes) -> Candidates:
    """Return the extender's candidates. A node without victims is an error, unless the extender is ignorable."""
    answer = extender.process_preemption(pod, candidates, nodes)
    for name, victims in answer.items():
        if not victims.pods and not extender.ignorable:
            raise ExtenderError(_no_victim(name))
    return {name: victims for name, victims in answer.items() if victims.pods}


def describe_candidates(candidates: Candidates) -> dict[str, Any]:
    """Return the candidates as JSON-ready data for the trace."""
    return {
        node: {"victims": [victim.key for victim in victims.pods], "pdbViolations": victims.pdb_violations}
        for node, victims in candidates.items()
    }


def _no_victim(node_name: str) -> str:
    return f'expected at least one victim pod on node "{node_name}"'
