"""Metrics of a cluster after a run: utilization and its spread, fragmentation, and skew between zones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.columns import Column
from scheduler_core.cache.node_table import NodeTable

# Labels that hold a node's zone, in order of precedence.
ZONE_LABELS = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
MOST_RESOURCES = 6
BINS = 10
PODS = "pods"


def measure(table: NodeTable, workload: Sequence[Pod], placed: Mapping[str, str]) -> dict[str, Any]:
    """Return the metrics of a cluster.

    `placed` maps each placed pod of the workload to its node. Shares are fractions of 1, to 6 digits.
    """
    resources = _resources(table)
    return {
        "nodes": len(table.nodes),
        "nodes_used": int(np.count_nonzero(table.pod_count.values)),
        "utilisation": {name: usage for name in resources if (usage := _utilisation(table, name)) is not None},
        "fragmentation": _fragmentation(table, workload, resources),
        "zones": _zones(table, placed),
    }


def _resources(table: NodeTable) -> list[str]:
    """Return cpu, memory, and then extended resources such as GPUs."""
    names = {name for node in table.nodes for name, amount in node.allocatable.items() if amount}
    others = sorted(name for name in names if "/" in name)
    return [*(name for name in ("cpu", "memory") if name in names), *others][:MOST_RESOURCES]


def _utilisation(table: NodeTable, resource: str) -> dict[str, Any] | None:
    """Return requested / allocatable of the nodes that have the resource, its standard deviation and distribution."""
    allocatable, requested = _amounts(table.allocatable(resource)), _amounts(table.requested(resource))
    having = allocatable > 0
    if not having.any():
        return None
    shares = requested[having] / allocatable[having]
    bins = np.clip((shares * BINS).astype(np.int64), 0, BINS - 1)
    return {
        "mean": _rounded(requested[having].sum() / allocatable[having].sum()),
        "spread": _rounded(shares.std()),
        "histogram": np.bincount(bins, minlength=BINS).tolist(),
    }


def _fragmentation(table: NodeTable, workload: Sequence[Pod], resources: Sequence[str]) -> dict[str, float]:
    """Return the share of each free resource that an average pod of the workload could not use.

    A kind of pod (by its requests) counts as often as it occurs, and only for resources that it requests. Free amounts
    on nodes where the pod does not fit are lost to it. This is the measure of "Beware of Fragmentation" (ATC '23).
    """
    kinds = Counter(
        tuple(sorted((name, amount) for name, amount in pod.requests.items() if amount)) for pod in workload
    )
    named = sorted({name for kind in kinds for name, _ in kind})
    free = {
        name: np.maximum(_amounts(table.allocatable(name)) - _amounts(table.requested(name)), 0)
        for name in sorted({*named, *resources})
    }
    has_slot = _amounts(table.pod_count) < _amounts(table.allocatable(PODS))
    fits = {kind: _fits(kind, free, has_slot) for kind in kinds}
    result: dict[str, float] = {}
    for resource in resources:
        asking = {kind: count for kind, count in kinds.items() if any(name == resource for name, _ in kind)}
        total = int(free[resource].sum())
        if not asking or not total:
            continue
        lost = sum(count * int(free[resource][~fits[kind]].sum()) for kind, count in asking.items())
        result[resource] = _rounded(lost / (total * sum(asking.values())))
    return result


def _fits(
    kind: Sequence[tuple[str, int]], free: Mapping[str, NDArray[np.int64]], has_slot: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    fits = has_slot.copy()
    for name, amount in kind:
        fits &= free[name] >= amount
    return fits


def _zones(table: NodeTable, placed: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the number of placed pods of each zone, and the skew; None without zones."""
    zones = {
        node.name: next((node.labels[label] for label in ZONE_LABELS if label in node.labels), None)
        for node in table.nodes
    }
    counts: dict[str, int] = dict.fromkeys(sorted(zone for zone in zones.values() if zone is not None), 0)
    if not counts:
        return None
    for node in placed.values():
        zone = zones.get(node)
        if zone is not None:
            counts[zone] += 1
    return {"pods": counts, "skew": max(counts.values()) - min(counts.values())}


def _amounts(column: Column) -> NDArray[np.int64]:
    return column.values.astype(np.int64)


def _rounded(value: float) -> float:
    return round(float(value), 6)
