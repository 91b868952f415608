"""Lower bounds: the least cost at which edits can make a node take the pod. The search opens low bounds first."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scheduler_core.edits.costs import EVICT, LEAVE, Prices
from scheduler_core.edits.edit import Edit, Edits, total_cost
from scheduler_core.edits.question import Need
from scheduler_core.plugins.node_resources import fit_repairs
from simulator.repair.pod_diagnosis import PodDiagnosis
from simulator.repair.repair_rules import can_affect_other_pods, independent_plugins, least_cost

NEVER = 1 << 40
NOTHING: Edits = frozenset()


def lower_bounds(root: PodDiagnosis, prices: Prices) -> Any:
    """Return for each node a lower bound of the cost at which it takes the pod."""
    rejected = root.rejected_by()
    if not rejected:
        return np.zeros(len(root.nodes), np.int64)
    names = [name for name, _ in rejected]
    by_plugin = [_column(root, name, prices) for name in names]
    columns = np.array([column for _, column in rejected])
    combinations, combination_of = np.unique(columns, axis=1, return_inverse=True)
    combination_of = combination_of.reshape(-1)
    total = np.zeros(len(root.nodes), np.int64)
    for number, combination in enumerate(combinations.T):
        failing = [name for name, fails in zip(names, combination, strict=True) if fails]
        independent = independent_plugins(failing, prices)
        here = combination_of == number
        for name, column in zip(names, by_plugin, strict=True):
            if name in independent:
                total[here] += column[here]
        for name, column in zip(names, by_plugin, strict=True):
            if name in failing:
                total[here] = np.maximum(total[here], column[here])
    pod_bound = bound_of_needs(root.needs_on_all_nodes(), NOTHING)
    return np.minimum(np.maximum(total, pod_bound), NEVER)


def _column(root: PodDiagnosis, plugin: str, prices: Prices) -> Any:
    """Return for each node a lower bound of the cost of fixing a rejection by a plugin."""
    floor = least_cost(plugin, prices)
    if plugin == fit_repairs.PLUGIN:
        return fit_repairs.lower_bounds(root.pod, root.nodes, prices)
    return np.full(len(root.nodes), NEVER if floor is None else floor, np.int64)


def relative_shortage(root: PodDiagnosis) -> Any:
    """Return for each node the largest missing share (0 to 1) of any resource that the pod requests."""
    worst = np.zeros(len(root.nodes))
    for resource, amount in root.pod.filter_requests.items():
        if amount > 0:
            free = root.nodes.allocatable(resource) - root.nodes.requested(resource)
            worst = np.maximum(worst, np.clip((amount - free) / amount, 0.0, 1.0))
    return worst


def bound_of_needs(needs: Sequence[Need], edits: Edits) -> int:
    """Return a lower bound of the extra cost of fixing all needs.

    Costs add up for needs that share no edit.
    """
    total, counted = 0, set[Edit]()
    for least, need in sorted(((_cheapest_option(need, edits), need) for need in needs), key=lambda entry: -entry[0]):
        own = {edit for option in need.options for edit in option}
        if not own & counted:
            total += least
            counted |= own
    return min(total, NEVER)


def _cheapest_option(need: Need, edits: Edits) -> int:
    """Return the cost of a need's cheapest option, without the edits that are already made."""
    return min((total_cost(option - edits) for option in need.options if not option <= edits), default=NEVER)


def bound_with_evictions(needs: Sequence[Need], edits: Edits, prices: Prices) -> int:
    """Return a lower bound of the extra cost if other pods leave the node for one or more of the needs.

    For each possible price of leaving, the needs that cost more than this price are fixed without it.
    """
    leaving, evicting = prices.least(*LEAVE), prices.least(*EVICT)
    by_leaving = [_cost_by_leaving(need, leaving) for need in needs]
    best = NEVER
    for price in sorted({*by_leaving} - {NEVER}):
        rest = [need for need, own in zip(needs, by_leaving, strict=True) if own > price]
        best = min(best, price + bound_of_needs(rest, edits))
    if evicting is not None:
        # Needs that no eviction fixes are fixed in addition.
        both = zip(needs, by_leaving, strict=True)
        stays = [min(price, _cost_once_evicted(need, edits, prices)) for need, price in both if not need.evictable]
        alone = [need for need in needs if not can_affect_other_pods(need.plugin)]
        best = min(best, evicting + max(max(stays, default=0), bound_of_needs(alone, edits)))
    return min(best, NEVER)


def _cost_by_leaving(need: Need, leaving: int | None) -> int:
    if leaving is None or not can_affect_other_pods(need.plugin):
        return NEVER
    return leaving * need.leave + need.besides


def _cost_once_evicted(need: Need, edits: Edits, prices: Prices) -> int:
    """Return a need's lower bound on an emptied node, where the pod's request is lowered less."""
    lowering = prices.cost_of("lower_request") if need.plugin == fit_repairs.PLUGIN else None
    return min(_cheapest_option(need, edits), NEVER if lowering is None else lowering)
