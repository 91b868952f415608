"""Soft constraints: nodes in domains with fewer matching pods score higher.

Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.objects.pod import Pod
from scheduler_core.plugins.pod_topology_spread.constraints import (
    HOSTNAME,
    Constraint,
    CountedNodes,
    nodes_with_keys,
)


@dataclass(slots=True, frozen=True)
class WeightedConstraint:
    """`counts` by label code (the last entry for nodes without the label); None when pods are counted node by node."""

    constraint: Constraint
    weight: float
    counts: IntColumn | None


@dataclass(slots=True, frozen=True)
class SoftSpread:
    """What PreScore leaves for Score. Only nodes that carry `keys` are scored: `complete` of the `feasible` ones.

    `truncates` cuts scores to whole numbers where others are rounded.
    """

    constraints: Sequence[WeightedConstraint]
    keys: Sequence[str]
    feasible: Nodes
    complete: BoolColumn
    truncates: bool = False

    def scored(self, nodes: Nodes) -> BoolColumn:
        return self.complete if nodes is self.feasible else nodes_with_keys(nodes, self.keys)

    def scores(self, pod: Pod, nodes: Nodes) -> IntColumn:
        """The weighted number of matching pods in the node's domains: fewer is better."""
        total = np.zeros(len(nodes), np.float64)
        for weighted in self.constraints:
            constraint = weighted.constraint
            codes = nodes.label(constraint.topology_key)
            # maxSkew - 1 waters down the differences that the constraint tolerates.
            if weighted.counts is None:
                counts = nodes.pods_matching(constraint.pods(pod.namespace))
                total += np.where(codes >= 0, counts * weighted.weight + (constraint.max_skew - 1), 0.0)
            else:
                by_domain = weighted.counts * weighted.weight + (constraint.max_skew - 1)
                by_domain[-1] = 0.0
                total += by_domain[codes]
        whole = np.trunc(total)
        if not self.truncates:
            whole += total - whole >= 0.5  # halves away from zero, as Go's Round
        return np.where(self.scored(nodes), whole.astype(np.int64), 0)

    def normalized(self, nodes: Nodes, scores: IntColumn) -> IntColumn:
        scored = self.scored(nodes)
        known = scores if scored.all() else scores[scored]
        if not len(known):
            return np.zeros_like(scores)
        lowest, highest = int(np.minimum.reduce(known)), int(np.maximum.reduce(known))
        if highest == 0:
            return np.where(scored, MAX_NODE_SCORE, 0)
        return np.where(scored, MAX_NODE_SCORE * (highest + lowest - scores) // highest, 0)


def weigh(
    pod: Pod, feasible: Nodes, everything: Nodes, constraints: Sequence[Constraint], all_keys: bool
) -> SoftSpread:
    """Count the pods on all nodes; `feasible` decides how many domains there are.

    Source: initPreScoreState, PreScore.
    """
    keys = tuple(constraint.topology_key for constraint in constraints) if all_keys else ()
    complete = nodes_with_keys(feasible, keys)
    candidates = feasible if complete.all() else feasible.take(complete)
    weighted = []
    for constraint in constraints:
        key = constraint.topology_key
        if key == HOSTNAME:
            weighted.append(WeightedConstraint(constraint, _weight(len(candidates)), None))
            continue
        counted = CountedNodes.of(pod, constraint, keys)
        counts = everything.pods_by_domain(constraint.pods(pod.namespace), key, counted).counts
        if not all_keys:
            counts = counts + _on_nodes_without_label(pod, everything, constraint, counted)
        weighted.append(WeightedConstraint(constraint, _weight(_number_of_domains(candidates, key)), counts))
    return SoftSpread(weighted, keys, feasible, complete)


def _number_of_domains(nodes: Nodes, key: str) -> int:
    """Upstream takes a missing label for an empty one: both are one domain."""
    present = np.zeros(len(nodes.label_values(key)) + 1, np.bool_)  # the last entry is also entry -1
    present[nodes.label(key)] = True
    empty = nodes.label_code(key, "")
    if empty >= 0 and present[empty]:
        present[empty], present[-1] = False, True
    return int(present.sum())


def _on_nodes_without_label(pod: Pod, nodes: Nodes, constraint: Constraint, counted: CountedNodes) -> IntColumn:
    """By label code: nodes that lack the label share the domain of those where it is empty."""
    key = constraint.topology_key
    counts = np.zeros(len(nodes.label_values(key)) + 1, np.int64)
    empty = nodes.label_code(key, "")
    if empty >= 0:
        without = (nodes.label(key) < 0) & counted.mask(nodes)
        counts[empty] = nodes.pods_matching(constraint.pods(pod.namespace))[without].sum()
    return counts


def _weight(domains: int) -> float:
    """Few large domains must not outweigh many small ones. Source: topologyNormalizingWeight."""
    return math.log(domains + 2)
