"""Bounds: what it costs at least to mend what keeps a pod from a node. The search looks where they are lowest first."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scheduler_core.edits.costs import EVICT, LEAVE, Prices
from scheduler_core.edits.edit import Edit, Edits, cost_of
from scheduler_core.edits.question import Need
from scheduler_core.plugins.node_resources import fit_repairs
from simulator.repair.look import Look
from simulator.repair.rules import apart, floor_of, is_for_others

NEVER = 1 << 40
NOTHING: Edits = frozenset()


def floors(root: Look, prices: Prices) -> Any:
    """What it costs at least to make each node take the pod."""
    rejected = root.rejected_by()
    if not rejected:
        return np.zeros(len(root.nodes), np.int64)
    names = [name for name, _ in rejected]
    by_plugin = [_column(root, name, prices) for name in names]
    columns = np.array([column for _, column in rejected])
    combinations, which = np.unique(columns, axis=1, return_inverse=True)
    which = which.reshape(-1)
    total = np.zeros(len(root.nodes), np.int64)
    for number, combination in enumerate(combinations.T):
        failing = [name for name, fails in zip(names, combination, strict=True) if fails]
        adding_up = apart(failing, prices)
        here = which == number
        for name, column in zip(names, by_plugin, strict=True):
            if name in adding_up:
                total[here] += column[here]
        for name, column in zip(names, by_plugin, strict=True):
            if name in failing:
                total[here] = np.maximum(total[here], column[here])
    whole = of_needs(root.needs_everywhere(), NOTHING)
    return np.minimum(np.maximum(total, whole), NEVER)


def _column(root: Look, plugin: str, prices: Prices) -> Any:
    """What it costs at least, on each node, to mend a rejection by a plugin."""
    floor = floor_of(plugin, prices)
    if plugin == fit_repairs.PLUGIN:
        return fit_repairs.floors(root.pod, root.nodes, prices)
    return np.full(len(root.nodes), NEVER if floor is None else floor, np.int64)


def shortage(root: Look) -> Any:
    """Of each node: how much of what the pod asks for is missing there, as a part of what it asks for, at most 1."""
    worst = np.zeros(len(root.nodes))
    for resource, amount in root.pod.filter_requests.items():
        if amount > 0:
            free = root.nodes.allocatable(resource) - root.nodes.requested(resource)
            worst = np.maximum(worst, np.clip((amount - free) / amount, 0.0, 1.0))
    return worst


def of_needs(needs: Sequence[Need], edits: Edits) -> int:
    """What it costs at least to mend all of them besides. Needs that no edit can mend together add up."""
    total, counted = 0, set[Edit]()
    for least, need in sorted(((_least(need, edits), need) for need in needs), key=lambda entry: -entry[0]):
        own = {edit for option in need.options for edit in option}
        if not own & counted:
            total += least
            counted |= own
    return min(total, NEVER)


def _least(need: Need, edits: Edits) -> int:
    """What it costs at least to mend it besides what is made already."""
    return min((cost_of(option - edits) for option in need.options if not option <= edits), default=NEVER)


def with_others(needs: Sequence[Need], edits: Edits, prices: Prices) -> int:
    """What it costs at least, besides `edits`, when other pods have to leave for one or more of these needs.

    The dearest need that pods leave for says what their leaving costs; what is dearer still is mended without.
    """
    leaving, evicting = prices.least(*LEAVE), prices.least(*EVICT)
    by_leaving = [_by_leaving(need, leaving) for need in needs]
    best = NEVER
    for price in sorted({*by_leaving} - {NEVER}):
        rest = [need for need, own in zip(needs, by_leaving, strict=True) if own > price]
        best = min(best, price + of_needs(rest, edits))
    if evicting is not None:
        # What no eviction mends has to be mended besides.
        both = zip(needs, by_leaving, strict=True)
        stays = [min(price, _once_evicted(need, edits, prices)) for need, price in both if not need.evictable]
        alone = [need for need in needs if not is_for_others(need.plugin)]
        best = min(best, evicting + max(max(stays, default=0), of_needs(alone, edits)))
    return min(best, NEVER)


def _by_leaving(need: Need, leaving: int | None) -> int:
    if leaving is None or not is_for_others(need.plugin):
        return NEVER
    return leaving * need.leave + need.besides


def _once_evicted(need: Need, edits: Edits, prices: Prices) -> int:
    """What it costs at least on an emptied node: there less need be taken away of what the pod asks for."""
    lowering = prices.of("lower_request") if need.plugin == fit_repairs.PLUGIN else None
    return min(_least(need, edits), NEVER if lowering is None else lowering)
