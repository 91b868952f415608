"""PodTopologySpread in v1.20.2.

Source (v1.20): pkg/scheduler/framework/plugins/podtopologyspread.
"""

from dataclasses import replace
from typing import Any, Self

from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.core import TopologySpreadConstraint
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import PreFilterResult
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.legacy.args import PodTopologySpreadArgs
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.pod_topology_spread import args as today
from scheduler_core.plugins.pod_topology_spread import plugin
from scheduler_core.plugins.pod_topology_spread.constraints import Constraint, ConstraintSource
from scheduler_core.plugins.pod_topology_spread.default_selector import selector_by_match
from scheduler_core.plugins.pod_topology_spread.filtering import count_domains
from scheduler_core.plugins.pod_topology_spread.scoring import weigh_constraints


class _Source(ConstraintSource):
    def constraints(self, pod: Pod, action: str) -> list[Constraint]:
        """Return the constraints, in which an empty selector counts every pod of the namespace."""
        return [replace(constraint, empty_counts=True) for constraint in super().constraints(pod, action)]


class PodTopologySpread(plugin.PodTopologySpread):
    """v1.20.2's plugin: pods on nodes that the pod can't use count in their domain, and scores are truncated.

    Nodes that lack a topology key are never scored; without constraints every node gets the highest score.
    """

    def __init__(self, args: today.PodTopologySpreadArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._source = _Source(args, handle.lister, selector_by_match)

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: PodTopologySpreadArgs = args
        constraints = tuple(
            TopologySpreadConstraint(given.max_skew, given.topology_key, given.when_unsatisfiable)
            for given in typed.default_constraints
        )
        return cls(today.PodTopologySpreadArgs(constraints, typed.defaulting_type), handle)

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        constraints = self._source.constraints(pod, DO_NOT_SCHEDULE)
        state.write(plugin.PRE_FILTER, count_domains(pod, nodes, constraints, whole_domains=True))
        return PreFilterResult()

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        constraints = self._source.constraints(pod, SCHEDULE_ANYWAY)
        spread = weigh_constraints(pod, nodes, self._handle.nodes, constraints, all_keys=True)
        state.write(plugin.PRE_SCORE, ConstantState(replace(spread, truncates=True)))
        return SUCCESS
