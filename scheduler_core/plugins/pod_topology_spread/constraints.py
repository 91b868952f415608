"""Topology spread constraints of a pod, its own or default ones, in the form that the plugin counts with.

Source: pkg/scheduler/framework/plugins/podtopologyspread/common.go.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Self

import numpy as np

from kube_objects.parsers.selectors import from_labels, with_requirements
from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, Pod, TopologySpreadConstraint
from kube_objects.selectors import LabelSelector, NodeSelector
from kube_objects.taints import Toleration
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.helper import column_by_code, untolerated_taint
from scheduler_core.plugins.node_selector import nodes_fit_pod, required_affinity
from scheduler_core.plugins.pod_topology_spread.args import SYSTEM_DEFAULTING, PodTopologySpreadArgs

HONOR, IGNORE = "Honor", "Ignore"
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"

_NO_PODS = PodSelector(frozenset(), ())

SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(3, HOSTNAME, SCHEDULE_ANYWAY),
    TopologySpreadConstraint(5, ZONE, SCHEDULE_ANYWAY),
)


@dataclass(slots=True, frozen=True)
class Constraint:
    """A topology spread constraint. `selector` None selects nothing.

    `honor_affinity` and `honor_taints` exclude nodes that the pod can't use.
    """

    max_skew: int
    topology_key: str
    selector: LabelSelector | None
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False
    empty_counts: bool = False
    """True if an empty selector counts all pods; otherwise it counts none."""

    @classmethod
    def from_api(cls, constraint: TopologySpreadConstraint, labels: Mapping[str, str]) -> Self:
        """Convert a constraint of the API. `labels` are the pod's: matchLabelKeys adds their values to the selector."""
        selector = constraint.label_selector
        if selector is not None and constraint.match_label_keys:
            own = {key: labels[key] for key in constraint.match_label_keys if key in labels}
            selector = with_requirements(selector, from_labels(own))
        return cls(
            constraint.max_skew,
            constraint.topology_key,
            selector,
            1 if constraint.min_domains is None else constraint.min_domains,
            constraint.node_affinity_policy == HONOR,
            constraint.node_taints_policy == HONOR,
        )

    def selects(self, labels: Mapping[str, str]) -> bool:
        return self.selector is not None and self.selector.matches(labels)

    def pods(self, namespace: str) -> PodSelector:
        """Return a selector of the pods that count. Source: countPodsMatchSelector."""
        if self.selector is None or not (self.selector.requirements or self.empty_counts):
            return _NO_PODS
        return PodSelector(frozenset((namespace,)), (self.selector,), terminating=False)


@dataclass(slots=True, frozen=True)
class CountedNodes:
    """The nodes whose pods count for a constraint: they have all topology keys, and its policies include them.

    Equal for all pods that are equal in the fields that the policies read. Source: matchNodeInclusionPolicies.
    """

    keys: tuple[str, ...]
    selector: frozenset[tuple[str, str]]
    affinity: NodeSelector | None
    tolerations: tuple[Toleration, ...] | None
    pod: Pod = field(compare=False, repr=False)

    @classmethod
    def for_constraint(cls, pod: Pod, constraint: Constraint, keys: tuple[str, ...]) -> Self:
        return cls(
            keys,
            frozenset(pod.node_selector.items() if constraint.honor_affinity else ()),
            required_affinity(pod) if constraint.honor_affinity else None,
            pod.tolerations if constraint.honor_taints else None,
            pod,
        )

    def mask(self, nodes: Nodes) -> BoolColumn:
        mask = nodes_with_keys(nodes, self.keys)
        if self.selector or self.affinity is not None:
            mask &= nodes_fit_pod(self.pod, nodes)
        if self.tolerations is not None:
            mask &= _tolerated(self.pod, nodes)
        return mask


class ConstraintSource:
    """The constraints of pods: their own, or the profile's default ones.

    `select` returns the selector of the default constraints for a pod.
    """

    def __init__(
        self, args: PodTopologySpreadArgs, lister: Lister, select: Callable[[Pod, Lister], LabelSelector]
    ) -> None:
        self.system_defaulted = args.defaulting_type == SYSTEM_DEFAULTING
        self._lister = lister
        self._select = select
        defaults = (
            SYSTEM_DEFAULTS
            if self.system_defaulted
            else tuple(
                TopologySpreadConstraint(
                    max_skew=default.max_skew,
                    topology_key=default.topology_key,
                    when_unsatisfiable=default.when_unsatisfiable,
                    min_domains=default.min_domains,
                    node_affinity_policy=default.node_affinity_policy or HONOR,
                    node_taints_policy=default.node_taints_policy or IGNORE,
                )
                for default in args.default_constraints
            )
        )
        # Default constraints get their selector later, so no pod's labels matter here.
        self._defaults = {action: _with_action(defaults, action, {}) for action in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)}
        # Pods of one workload share their constraints.
        self._with_selector = {
            action: lru_cache(maxsize=1024)(partial(_with_selector, constraints))
            for action, constraints in self._defaults.items()
        }

    def may_have(self, pod: Pod, action: str) -> bool:
        """Return True if the pod, or a later pod of its template, may have constraints with this action."""
        return bool(pod.spread_constraints or self._defaults[action])

    def constraints(self, pod: Pod, action: str) -> Sequence[Constraint]:
        """Return the constraints with `whenUnsatisfiable: <action>`; defaults apply only to pods without their own."""
        if pod.spread_constraints:
            return _with_action(pod.spread_constraints, action, pod.labels)
        defaults = self._defaults[action]
        if not defaults:
            return ()
        selector = self._select(pod, self._lister)
        return self._with_selector[action](selector) if selector.requirements else ()


def _with_selector(defaults: Iterable[Constraint], selector: LabelSelector) -> Sequence[Constraint]:
    return tuple([replace(constraint, selector=selector) for constraint in defaults])


def _with_action(
    constraints: Iterable[TopologySpreadConstraint], action: str, labels: Mapping[str, str]
) -> list[Constraint]:
    return [
        Constraint.from_api(constraint, labels) for constraint in constraints if constraint.when_unsatisfiable == action
    ]


def nodes_with_keys(nodes: Nodes, keys: Iterable[str]) -> BoolColumn:
    """Return True for the nodes that have all `keys`. Source: nodeLabelsMatchSpreadConstraints."""
    complete: BoolColumn | None = None
    for key in keys:
        has_key: BoolColumn = nodes.label(key) >= 0
        complete = has_key if complete is None else complete & has_key
    return np.ones(len(nodes), np.bool_) if complete is None else complete


def _tolerated(pod: Pod, nodes: Nodes) -> BoolColumn:
    lists = nodes.taint_lists
    return column_by_code(nodes.taints, len(lists), np.bool_, lambda code: untolerated_taint(pod, lists[code]) is None)
