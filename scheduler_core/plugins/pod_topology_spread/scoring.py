"""Soft constraints: nodes in domains with fewer matching pods score higher.

Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, IntColumn, highest, lowest
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.pod_topology_spread.constraints import (
    HOSTNAME,
    Constraint,
    CountedNodes,
    nodes_with_keys,
)

FloatColumn = NDArray[np.floating[Any]]


@dataclass(slots=True, frozen=True)
class WeightedConstraint:
    """A soft constraint with its weight. `counts` is by label code, or None if pods are counted by node."""

    constraint: Constraint
    weight: float
    counts: IntColumn | None

    @property
    def by_domain(self) -> FloatColumn | None:
        """Return the weighted count of each domain, indexed as `counts`."""
        if self.counts is None:
            return None
        points = self._points(self.counts)
        points[-1] = 0.0
        return points

    def by_node(self, pod: Pod, nodes: Nodes) -> FloatColumn:
        """Return the weighted count of each node's domain; 0 without the label."""
        codes, by_domain = nodes.label(self.constraint.topology_key), self.by_domain
        if by_domain is not None:
            return by_domain[codes]
        return np.where(codes >= 0, self._points(nodes.pods_matching(self.constraint.pods(pod.namespace))), 0.0)

    def _points(self, counts: IntColumn) -> FloatColumn:
        # maxSkew - 1 reduces the effect of differences that the constraint tolerates.
        points: FloatColumn = counts * self.weight + (self.constraint.max_skew - 1)
        return points


@dataclass(slots=True, frozen=True)
class SoftSpread:
    """The state that PreScore writes for Score. Only nodes with all `keys` are scored.

    `complete` marks these among the `feasible` nodes; None means all. `truncates` truncates scores, else they are
    rounded.
    """

    constraints: Sequence[WeightedConstraint]
    keys: Sequence[str]
    feasible: Nodes
    complete: BoolColumn | None
    truncates: bool = False

    def scored(self, nodes: Nodes) -> BoolColumn | None:
        """Return True for the nodes that are scored, or None if all are."""
        return self.complete if nodes is self.feasible else _complete(nodes, self.keys)

    def scores_one(self, node: NodeView) -> bool:
        return self.scored(node.as_nodes) is None

    def scores(self, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return the weighted number of matching pods in the nodes' domains; fewer is better."""
        first = self.constraints[0].by_domain if len(self.constraints) == 1 else None
        if first is not None:  # there are fewer domains than nodes, so round by domain
            whole = self._whole(first)[nodes.label(self.constraints[0].constraint.topology_key)]
        else:
            # A label that no node has adds nothing.
            counting = [c for c in self.constraints if nodes.label_values(c.constraint.topology_key)]
            if not counting:
                return np.zeros(len(nodes), np.int64)
            total = np.zeros(len(nodes), np.float64)
            for weighted in counting:
                total += weighted.by_node(pod, nodes)
            whole = self._whole(total)
        scored = self.scored(nodes)
        return whole if scored is None else np.where(scored, whole, 0)

    def _whole(self, total: FloatColumn) -> IntColumn:
        whole = np.trunc(total)
        if not self.truncates:
            whole += total - whole >= 0.5  # halves away from zero, as Go's Round
        return whole.astype(np.int64)

    def normalized(self, nodes: Nodes, scores: IntColumn) -> IntColumn:
        scored = self.scored(nodes)
        counting = scores if scored is None else scores[scored]
        if not len(counting):
            return np.zeros_like(scores)
        min_score, max_score = lowest(counting), highest(counting)
        shares = (
            MAX_NODE_SCORE * (max_score + min_score - scores) // max_score
            if max_score
            else np.full_like(scores, MAX_NODE_SCORE)
        )
        return shares if scored is None else np.where(scored, shares, 0)


def weigh_constraints(
    pod: Pod, feasible: Nodes, all_nodes: Nodes, constraints: Sequence[Constraint], all_keys: bool
) -> SoftSpread:
    """Count the matching pods on all nodes; `feasible` determines the number of domains.

    Source: initPreScoreState, PreScore.
    """
    keys = tuple(constraint.topology_key for constraint in constraints) if all_keys else ()
    complete = _complete(feasible, keys)
    candidates = feasible if complete is None else feasible.take(complete)
    weighted = []
    for constraint in constraints:
        key = constraint.topology_key
        if key == HOSTNAME:
            weighted.append(WeightedConstraint(constraint, _weight(len(candidates)), None))
            continue
        counted = CountedNodes.for_constraint(pod, constraint, keys)
        counts = all_nodes.pods_by_domain(constraint.pods(pod.namespace), key, counted).counts
        if not all_keys and all_nodes.label_code(key, "") >= 0:
            counts = counts + _on_nodes_without_label(pod, all_nodes, constraint, counted)
        weighted.append(WeightedConstraint(constraint, _weight(_number_of_domains(candidates, key)), counts))
    return SoftSpread(weighted, keys, feasible, complete)


def _complete(nodes: Nodes, keys: Sequence[str]) -> BoolColumn | None:
    """Return True for the nodes that have all `keys`, or None if all do."""
    complete = nodes_with_keys(nodes, keys) if keys else None
    return None if complete is None or complete.all() else complete


def _number_of_domains(nodes: Nodes, key: str) -> int:
    """Return the number of domains; upstream counts a missing label and an empty value as one."""
    if not nodes.label_values(key):
        return min(len(nodes), 1)
    nodes_in = np.bincount(nodes.label(key) + 1, minlength=1)  # by code, those without the label first
    empty = nodes.label_code(key, "") + 1
    is_twice = bool(nodes_in[0]) and 0 < empty < len(nodes_in) and bool(nodes_in[empty])
    return int(np.count_nonzero(nodes_in)) - is_twice


def _on_nodes_without_label(pod: Pod, nodes: Nodes, constraint: Constraint, counted: CountedNodes) -> IntColumn:
    """Return, by label code, the pods on nodes without the label, which share the domain of the empty value."""
    key = constraint.topology_key
    counts = np.zeros(len(nodes.label_values(key)) + 1, np.int64)
    without = (nodes.label(key) < 0) & counted.mask(nodes)
    counts[nodes.label_code(key, "")] = nodes.pods_matching(constraint.pods(pod.namespace))[without].sum()
    return counts


def _weight(domains: int) -> float:
    """Return the weight, so that few large domains don't outweigh many small ones.

    Source: topologyNormalizingWeight.
    """
    return math.log(domains + 2)
