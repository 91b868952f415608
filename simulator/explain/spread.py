"""Topology spread table: each constraint's domains, their numbers of matching pods, and the resulting skew.

Source: pkg/scheduler/framework/plugins/podtopologyspread.
"""

from dataclasses import dataclass, replace
from typing import Literal, NotRequired, TypedDict

import numpy as np

from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY
from kube_objects.sentences import Data, Template
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.pod_topology_spread.args import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.constraints import Constraint, ConstraintSource, CountedNodes
from scheduler_core.plugins.pod_topology_spread.default_selector import default_selector
from scheduler_core.plugins.pod_topology_spread.filtering import Domains, HardSpread, count_domains
from scheduler_core.plugins.pod_topology_spread.plugin import PRE_FILTER, PRE_SCORE
from scheduler_core.plugins.pod_topology_spread.scoring import SoftSpread, WeightedConstraint, weigh_constraints

PLUGIN = "PodTopologySpread"
# Number of rows per constraint: a constraint by hostname has as many domains as there are nodes.
MAX_DOMAINS = 200
MAX_PODS = 200

COUNTED = Template("counts")
LEAVING = Template("does not count: it is being deleted")
NO_KEY = Template("does not count: its node lacks a topology key of the pod's constraints")
NOT_INCLUDED = Template("does not count: its node is left out by nodeAffinityPolicy or nodeTaintsPolicy")
EMPTY_SELECTOR = Template("does not count: an empty selector counts no pods")


Origin = Literal["pod", "profile", "system"]


class _Placement(TypedDict):
    """Result of placing the pod in a domain: skew and fit for hard constraints, raw score for soft ones."""

    skew: NotRequired[int]
    fits: NotRequired[bool]
    score: NotRequired[float]


class _Counts(TypedDict):
    domain: str
    pods: int
    nodes: int
    eligible: int


class ExplainedDomain(_Counts, _Placement):
    pass


class ExplainedConstraint(TypedDict):
    index: int
    hard: bool
    enforced: bool
    topologyKey: str
    maxSkew: int
    minDomains: int | None
    selector: str
    own: bool
    nodeAffinityPolicy: str
    nodeTaintsPolicy: str
    lowest: int
    domainCount: int
    weight: float | None
    nodes: dict[str, int]
    domains: list[ExplainedDomain]
    omitted: int


class ExplainedSpread(TypedDict):
    origin: Origin
    constraints: list[ExplainedConstraint]


class ExplainedSpreadPod(TypedDict):
    pod: str
    node: str
    counts: bool
    why: Data


class UnknownConstraintError(IndexError):
    """Error for a constraint index that the pod does not have."""


@dataclass(slots=True, frozen=True)
class _CountedConstraint:
    """One constraint with all nodes: the mask of eligible nodes, and the number of matching pods on each."""

    constraint: Constraint
    hard: Domains | None
    soft: WeightedConstraint | None
    eligible: BoolColumn
    pods: IntColumn

    @property
    def by_domain(self) -> IntColumn | None:
        """Return the engine's own sums by label code, or None if it counts node by node."""
        if self.hard is not None:
            return self.hard.counts
        return None if self.soft is None else self.soft.counts


def spread_table(context: AttemptContext) -> ExplainedSpread:
    """Return the pod's spread constraints with their domains, the fullest domain first.

    `origin` is `profile` for the profile's default constraints. `enforced` is true if the profile runs the plugin at
    Filter (at Score for soft constraints). `own` is true if the pod itself counts. `weight` of a soft constraint is
    ln(domains + 2). `nodes` has `eligible`, `missingKey`, `affinity` and `taints`.
    """
    rows = [_row(context, i, counted) for i, counted in enumerate(_count_constraints(context))]
    return {"origin": _origin(context), "constraints": rows}


def spread_pods(context: AttemptContext, index: int, domain: str) -> list[ExplainedSpreadPod]:
    """Return the pods of one domain that the constraint's selector matches, at most MAX_PODS.

    Pods that count come first. Raises UnknownConstraintError.
    """
    constraints = _count_constraints(context)
    if not 0 <= index < len(constraints):
        raise UnknownConstraintError(f"the pod has {len(constraints)} spread constraints, and none numbered {index}")
    counted = constraints[index]
    constraint, nodes = counted.constraint, context.nodes
    pods: list[ExplainedSpreadPod] = []
    code = nodes.label_code(constraint.topology_key, domain)
    for row in np.flatnonzero(nodes.label(constraint.topology_key) == code).tolist() if code >= 0 else ():
        pods += _pods_on(context, counted, nodes[row])
    return sorted(pods, key=lambda entry: (not entry["counts"], entry["pod"]))[:MAX_PODS]


def _pods_on(context: AttemptContext, counted: _CountedConstraint, node: NodeView) -> list[ExplainedSpreadPod]:
    constraint = counted.constraint
    entries: list[ExplainedSpreadPod] = []
    for pod in node.pods:
        if pod.namespace != context.pod.namespace or not constraint.selects(pod.labels):
            continue
        why: Data = COUNTED()
        if pod.terminating:
            why = LEAVING()
        elif constraint.selector is None or not constraint.selector.requirements:
            why = EMPTY_SELECTOR()
        elif not counted.eligible[node.row]:
            why = NOT_INCLUDED() if constraint.topology_key in node.labels else NO_KEY()
        counts = why["template"] == COUNTED
        entries.append({"pod": pod.key, "node": node.name, "counts": counts, "why": why})
    return entries


def _origin(context: AttemptContext) -> Origin:
    if context.pod.spread_constraints:
        return "pod"
    return "system" if _source(context).system_defaulted else "profile"


def _source(context: AttemptContext) -> ConstraintSource:
    return ConstraintSource(context.args(PLUGIN, PodTopologySpreadArgs), context.lister, default_selector)


def _count_constraints(context: AttemptContext) -> list[_CountedConstraint]:
    pod, nodes = context.pod, context.nodes
    counted: list[_CountedConstraint] = []
    for domains in _hard_spread(context).domains:
        pods = nodes.pods_matching(domains.constraint.pods(pod.namespace))
        counted.append(_CountedConstraint(domains.constraint, domains, None, domains.counted.mask(nodes), pods))
    soft = _soft_spread(context)
    for weighted in soft.constraints:
        constraint = weighted.constraint
        mask = CountedNodes.for_constraint(pod, constraint, tuple(soft.keys)).mask(nodes)
        # By hostname, pods are counted node by node, whatever the policies.
        eligible = np.ones_like(mask) if weighted.counts is None else mask
        counted.append(
            _CountedConstraint(
                constraint, None, weighted, eligible, nodes.pods_matching(constraint.pods(pod.namespace))
            )
        )
    return counted


def _hard_spread(context: AttemptContext) -> HardSpread:
    """Return PreFilter's counts of hard constraints, or count now if the attempt did not run PreFilter."""
    counted: HardSpread | None = context.state.find(PRE_FILTER)
    if counted is not None:
        return counted
    return count_domains(context.pod, context.nodes, _source(context).constraints(context.pod, DO_NOT_SCHEDULE))


def _soft_spread(context: AttemptContext) -> SoftSpread:
    """Return PreScore's counts of soft constraints.

    If the attempt did not run PreScore, count now over the feasible nodes, or over all nodes if none is feasible.
    """
    counted: ConstantState[SoftSpread] | None = context.state.find(PRE_SCORE)
    if counted is not None:
        return counted.value
    source, feasible = _source(context), context.attempt.feasible
    constraints = source.constraints(context.pod, SCHEDULE_ANYWAY)
    all_keys = bool(context.pod.spread_constraints) or not source.system_defaulted
    left = feasible if feasible is not None and len(feasible) else context.nodes
    return weigh_constraints(context.pod, left, context.nodes, constraints, all_keys)


def _row(context: AttemptContext, index: int, counted: _CountedConstraint) -> ExplainedConstraint:
    constraint, nodes = counted.constraint, context.nodes
    domains = _domains(context, counted)
    present = [row for row in domains if row["eligible"]]
    lowest = counted.hard.lowest if counted.hard is not None else min((row["pods"] for row in present), default=0)
    return {
        "index": index,
        "hard": counted.hard is not None,
        "enforced": PLUGIN in _plugins_at(context, hard=counted.hard is not None),
        "topologyKey": constraint.topology_key,
        "maxSkew": constraint.max_skew,
        "minDomains": constraint.min_domains,
        "selector": wording.format_selector(constraint.selector),
        "own": constraint.selects(context.pod.labels),
        "nodeAffinityPolicy": "Honor" if constraint.honor_affinity else "Ignore",
        "nodeTaintsPolicy": "Honor" if constraint.honor_taints else "Ignore",
        "lowest": lowest,
        "domainCount": len(present),
        "weight": None if counted.soft is None else counted.soft.weight,
        "nodes": _left_out(context, counted, nodes),
        "domains": domains[:MAX_DOMAINS],
        "omitted": max(len(domains) - MAX_DOMAINS, 0),
    }


def _plugins_at(context: AttemptContext, hard: bool) -> list[str]:
    """Return the plugins that enforce hard constraints or score soft ones."""
    return [plugin.name for plugin in (context.framework.filter if hard else context.framework.score)]


def _left_out(context: AttemptContext, counted: _CountedConstraint, nodes: Nodes) -> dict[str, int]:
    """Count the nodes excluded for each reason; a node may have several."""
    constraint = counted.constraint
    by_affinity = CountedNodes.for_constraint(context.pod, replace(constraint, honor_taints=False), ()).mask(nodes)
    by_taints = CountedNodes.for_constraint(context.pod, replace(constraint, honor_affinity=False), ()).mask(nodes)
    return {
        "eligible": int(counted.eligible.sum()),
        "missingKey": int((nodes.label(constraint.topology_key) < 0).sum()),
        "affinity": int((~by_affinity).sum()),
        "taints": int((~by_taints).sum()),
    }


def _domains(context: AttemptContext, counted: _CountedConstraint) -> list[ExplainedDomain]:
    constraint, nodes = counted.constraint, context.nodes
    key = constraint.topology_key
    values = nodes.label_values(key)
    node_counts = _sums(nodes, key, np.ones(len(nodes), np.int64))
    eligible = _sums(nodes, key, counted.eligible.astype(np.int64))
    by_domain = counted.by_domain
    pods = _sums(nodes, key, counted.pods) if by_domain is None else by_domain
    rows: list[ExplainedDomain] = []
    for code in np.flatnonzero(node_counts).tolist():
        row: _Counts = {
            "domain": values[code],
            "pods": int(pods[code]),
            "nodes": int(node_counts[code]),
            "eligible": int(eligible[code]),
        }
        rows.append({**row, **_placement(context, counted, int(pods[code]))})
    return sorted(rows, key=lambda row: (-row["pods"], row["domain"]))


def _sums(nodes: Nodes, key: str, amounts: IntColumn) -> IntColumn:
    """Return sums by label code, without nodes that lack the label."""
    sums: IntColumn = np.bincount(nodes.label(key) + 1, amounts, len(nodes.label_values(key)) + 1)[1:].astype(np.int64)
    return sums


def _placement(context: AttemptContext, counted: _CountedConstraint, pods: int) -> _Placement:
    constraint = counted.constraint
    if counted.soft is not None:
        return {"score": pods * counted.soft.weight + (constraint.max_skew - 1)}
    assert counted.hard is not None
    skew = pods + constraint.selects(context.pod.labels) - counted.hard.lowest
    return {"skew": skew, "fits": skew <= constraint.max_skew}
