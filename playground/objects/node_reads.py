"""Nodes as columns, now or at a past point in time: their allocatable resources, and the requests of their Pods."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import Any, TypedDict

from cachetools import LRUCache
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from playground.models import FOREVER, ClusterObject, NodeState, PodState
from playground.response_types import Anything, AtRecord, named
from playground.store.versions import pods_at, pods_on

# The labels that the map's `zone` is read from. The first one that a Node has wins.
ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
# A label with a different value on every Node is useless as a column.
NOT_SHOWN = frozenset({"kubernetes.io/hostname"})
MOST_LABELS = 30
FIRST_RESOURCES = ("cpu", "memory", "ephemeral-storage")


class NodeColumns(TypedDict):
    names: list[str]
    labels: dict[str, list[str]]
    resources: list[str]
    allocatable: dict[str, list[int]]
    requested: dict[str, list[int]]
    pods: list[int]
    unschedulable: list[bool]
    taints: list[list[str]]


class Nodes(AtRecord, NodeColumns):
    pass


class NodePod(TypedDict):
    pod: str
    priority: int
    requests: dict[str, int]


@named("Node")
class NodeAnswer(TypedDict):
    manifest: Anything
    pods: list[NodePod]


def read_nodes(cluster_id: int, seq: int | None = None) -> NodeColumns:
    """Return the answer of `nodes/` without its revision. A column has one entry per Node, in the order of `names`."""
    fixed = _fixed(_rows_at(cluster_id, seq))
    size = len(fixed.names)
    pods, requested = count_on_nodes(pods_at(cluster_id, seq).exclude(node=""), fixed.place)
    requested["pods"] = pods
    resources = _resources({*fixed.allocatable, *requested})
    return {
        "names": fixed.names,
        "labels": fixed.labels,
        "resources": resources,
        "allocatable": {name: fixed.allocatable.get(name) or [0] * size for name in resources},
        "requested": {name: requested.get(name) or [0] * size for name in resources},
        "pods": pods,
        "unschedulable": fixed.unschedulable,
        "taints": fixed.taints,
    }


def count_on_nodes(pods: QuerySet[PodState], place: Mapping[str, int]) -> tuple[list[int], dict[str, list[int]]]:
    """Return the number of Pods on each Node of `place`, and their requests by resource and Node.

    Python adds up the requests, because few Pods of a Node request the same and SQL would return nearly as many rows.
    """
    counts, requested = [0] * len(place), dict[str, list[int]]()
    for node, requests in pods.order_by().values_list("node", "requests"):
        row = place.get(node)
        if row is None:
            continue
        counts[row] += 1
        for name, amount in amounts(requests):
            column = requested.get(name)
            if column is None:
                column = requested[name] = [0] * len(place)
            column[row] += amount
    return counts, requested


def read_node(cluster_id: int, name: str, seq: int | None = None) -> NodeAnswer | None:
    """Return `{manifest, pods}` of a Node, with the Pods after the record `seq` or now; None for no such Node."""
    node = ClusterObject.objects.filter(cluster_id=cluster_id, kind="Node", key=name).first()
    if node is None:
        return None
    pods = pods_on(cluster_id, [name], seq).order_by("-priority", "pod")
    return {
        "manifest": node.manifest,
        "pods": [{"pod": pod.pod, "priority": pod.priority, "requests": json.loads(pod.requests)} for pod in pods],
    }


# A node's row of NodeState, its JSON still text: name, labels, allocatable, taints, whether it is unschedulable.
_Row = tuple[str, str, str, str, bool]


@dataclass(frozen=True)
class _Fixed:
    """The columns that depend on Nodes only, not on Pods. Answers share an instance, so callers must not modify it."""

    names: list[str]
    place: dict[str, int]
    labels: dict[str, list[str]]
    allocatable: dict[str, list[int]]
    unschedulable: list[bool]
    taints: list[list[str]]


# Nodes change rarely, and parsing their JSON dominates an answer. The cache holds so many Nodes in all. Its key is a
# digest of their rows, so a change of any row misses the cache.
MOST_KEPT = 20_000
_by_digest: LRUCache[bytes, _Fixed] = LRUCache(MOST_KEPT, getsizeof=lambda fixed: len(fixed.names) + 1)
_fixed_lock = Lock()


def _rows_at(cluster_id: int, seq: int | None) -> list[_Row]:
    states = NodeState.objects.filter(cluster_id=cluster_id)
    states = states.filter(until=FOREVER) if seq is None else states.filter(since__lte=seq, until__gt=seq)
    # As stored text, because the column's own type would parse each value.
    texts = [Cast(name, TextField()) for name in ("labels", "allocatable", "taints")]
    return sorted(states.values_list("name", *texts, "unschedulable"))


def _fixed(rows: Sequence[_Row]) -> _Fixed:
    digest = blake2b(repr(rows).encode()).digest()
    with _fixed_lock:
        fixed = _by_digest.get(digest)
    if fixed is None:
        fixed = _read(sorted(rows, key=lambda row: _natural_sort_key(row[0])))
        if len(rows) < MOST_KEPT:
            with _fixed_lock:
                _by_digest[digest] = fixed
    return fixed


def _read(rows: Sequence[_Row]) -> _Fixed:
    names = [name for name, *_ in rows]
    labels, amounts_of = [json.loads(row[1]) for row in rows], [json.loads(row[2]) for row in rows]
    offered = sorted({name for one in amounts_of for name in one})
    return _Fixed(
        names=names,
        place={name: i for i, name in enumerate(names)},
        labels=_labels(labels),
        allocatable={name: [one.get(name, 0) for one in amounts_of] for name in offered},
        unschedulable=[is_unschedulable for *_, is_unschedulable in rows],
        taints=[json.loads(row[3]) for row in rows],
    )


def _resources(names: set[str]) -> list[str]:
    names.discard("pods")
    return [name for name in FIRST_RESOURCES if name in names] + sorted(names.difference(FIRST_RESOURCES)) + ["pods"]


def _labels(labels: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    names = sorted({name for one in labels for name in one} - NOT_SHOWN)[:MOST_LABELS]
    zones = [next((one[name] for name in ZONE if name in one), "") for one in labels]
    return {"zone": zones} | {name: [one.get(name, "") for one in labels] for name in names}


@lru_cache(maxsize=4096)
def amounts(requests: str) -> tuple[tuple[str, int], ...]:
    """Return a Pod's requests by resource from their stored JSON text."""
    return tuple(json.loads(requests).items())


@lru_cache(maxsize=16384)
def _natural_sort_key(name: str) -> tuple[Any, ...]:
    """Return a sort key that puts node-2 before node-10."""
    return tuple(part.zfill(20) if part.isdigit() else part for part in re.split(r"(\d+)", name))
