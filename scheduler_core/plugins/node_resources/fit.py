"""NodeResourcesFit: the node must have the requested resources free; its use determines the score."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.names import is_extended_resource, is_scalar_resource
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reads,
    ScorePlugin,
)
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.node_resources import fit_args as fit_args
from scheduler_core.plugins.node_resources import fit_hints
from scheduler_core.plugins.node_resources.fit_args import (
    LEAST_ALLOCATED,
    MOST_ALLOCATED,
    NodeResourcesFitArgs,
    ScoringStrategy,
)
from scheduler_core.plugins.node_resources.resource_allocation import (
    Load,
    Scorer,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
    resource_loads,
)

TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"
PRE_FILTER = "PreFilterNodeResourcesFit"
FIRST_RESOURCES = ("cpu", "memory", "ephemeral-storage")


class NodeResourcesFit(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/noderesources/fit.go."""

    name = "NodeResourcesFit"
    reads = Reads.LOAD
    reads_metadata = False
    args_rules: ClassVar[ArgsRules] = fit_args.RULES

    def __init__(self, args: NodeResourcesFitArgs, strategy: ScoringStrategy, scorer: Scorer) -> None:
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        self._resources = strategy.resources
        self._scorer = scorer

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        """Build the plugin. Raises BuildError for args that validation doesn't check. Source: NewFit."""
        cls.args_rules.build(args)
        typed: NodeResourcesFitArgs = args
        assert typed.scoring_strategy is not None  # it was checked
        return cls(typed, typed.scoring_strategy, _scorer(typed.scoring_strategy))

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        state.write(PRE_FILTER, ConstantState(pod.filter_requests))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return True

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: ConstantState[Mapping[str, int]] | None = state.find(PRE_FILTER)
        if data is None:
            raise PluginError(f'error reading "{PRE_FILTER}" from cycleState: not found')
        outcome = _Outcome(len(nodes))
        outcome.add(nodes.pod_count >= nodes.allocatable("pods"), None, TOO_MANY_PODS)
        for resource, amount in self._checked(data.value):
            allocatable = nodes.allocatable(resource)
            # `requested + amount > allocatable` would overflow for a huge request.
            short, hopeless = amount > allocatable - nodes.requested(resource), self._hopeless(amount, allocatable)
            counts = self._counts(resource, allocatable)
            if counts is not None:
                short, hopeless = short & counts, None if hopeless is None else hopeless & counts
            outcome.add(short, hopeless, INSUFFICIENT.format(resource=resource))
        return outcome.verdicts()

    def _checked(self, requests: Mapping[str, int]) -> list[tuple[str, int]]:
        """Return the requests to check, in the order of the reasons. Upstream's order of the rest is random."""
        rest = sorted(name for name in requests if is_scalar_resource(name) and not self._ignores(name))
        return [(name, amount) for name in (*FIRST_RESOURCES, *rest) if (amount := requests.get(name, 0)) > 0]

    def _counts(self, resource: str, allocatable: IntColumn) -> BoolColumn | None:
        """Return where this plugin checks the resource; None means on every node."""
        return None

    def _hopeless(self, amount: int, allocatable: IntColumn) -> BoolColumn | None:
        """Return where the pod would not fit even on an empty node."""
        return amount > allocatable

    def _ignores(self, resource: str) -> bool:
        group = resource.partition("/")[0]
        return is_extended_resource(resource) and (resource in self._ignored or group in self._ignored_groups)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        return SUCCESS

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        return True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return self._scorer(self._loads(nodes, pod), len(nodes))

    def _loads(self, nodes: Nodes, pod: Pod) -> list[Load]:
        return resource_loads(nodes, self._resources, pod.scoring_requests, nonzero=True)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        pod_event = ClusterEvent(EventResource.POD, ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN)
        node_event = ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE)
        return [
            ClusterEventWithHint(pod_event, fit_hints.after_pod_event),
            ClusterEventWithHint(node_event, fit_hints.after_node_change),
        ]


def _scorer(strategy: ScoringStrategy) -> Scorer:
    if strategy.type == LEAST_ALLOCATED:
        return least_allocated
    if strategy.type == MOST_ALLOCATED:
        return most_allocated
    ratio = strategy.requested_to_capacity_ratio
    assert ratio is not None  # it was checked
    return requested_to_capacity_ratio(ratio.shape or ())


class _Outcome:
    """The reasons for which each node fails; nodes with the same reasons share a code into `_statuses`."""

    def __init__(self, size: int) -> None:
        self._codes = np.zeros(size, np.int32)
        self._statuses = [SUCCESS]

    def add(self, failed: BoolColumn, hopeless: BoolColumn | None, reason: str) -> None:
        """Add a reason to the `failed` nodes; the `hopeless` ones would fail even if they were empty."""
        if not np.count_nonzero(failed):
            return
        # Each code splits into three: passed, failed, and hopeless. The codes that occur are renumbered.
        split = 3 * self._codes + failed
        if hopeless is not None:
            split += hopeless
        used = np.bincount(split, minlength=3 * len(self._statuses)) > 0
        used[0] = True  # Success stays code 0
        self._codes = (np.cumsum(used, dtype=np.int32) - 1)[split]
        self._statuses = [_failed(self._statuses[s // 3], s % 3, reason) for s in np.flatnonzero(used).tolist()]

    def verdicts(self) -> Verdicts:
        return Verdicts(self._codes, self._statuses)


def _failed(before: Status, level: int, reason: str) -> Status:
    """Return `before` with `reason` added; one hopeless reason makes the status unresolvable."""
    if level == 0:
        return before
    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if level == 2 else max(before.code, Code.UNSCHEDULABLE)
    return Status(code, (*before.reasons, reason))
