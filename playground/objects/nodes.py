"""Nodes as columns, now or at a past moment: what each offers, and what the pods on it request."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypedDict

from django.db.models import Count

from playground.models import FOREVER, ClusterObject, NodeState
from playground.shapes import Anything, AtMoment, named
from playground.store.versions import pods_at

# The short name of the label that the map groups by, and where it is read from, first one wins.
ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
# A label that every node has another value of is no column.
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


class Nodes(AtMoment, NodeColumns):
    pass


class NodePod(TypedDict):
    pod: str
    priority: int
    requests: dict[str, int]


@named("Node")
class NodeAnswer(TypedDict):
    manifest: Anything
    pods: list[NodePod]


def columns(cluster_id: int, seq: int | None = None) -> NodeColumns:
    """The answer of `nodes/` but for the moment; every column has one entry a node, in the order of `names`."""
    states = sorted(_states_at(cluster_id, seq), key=lambda state: _natural(state.name))
    place = {state.name: i for i, state in enumerate(states)}
    requested: dict[str, list[int]] = {}
    pods = [0] * len(states)
    on_nodes = pods_at(cluster_id, seq).exclude(node="").values_list("node", "requests")
    # Pods made from one template ask for the same: far fewer rows than pods, fewer texts still.
    for node, requests, count in on_nodes.annotate(Count("pk")).order_by():
        row = place.get(node)
        if row is None:
            continue
        pods[row] += count
        for name, amount in amounts(requests):
            column = requested.get(name)
            if column is None:
                column = requested[name] = [0] * len(states)
            column[row] += amount * count
    requested["pods"] = pods
    resources = _resources(states, requested)
    return {
        "names": [state.name for state in states],
        "labels": _labels(states),
        "resources": resources,
        "allocatable": {name: [state.allocatable.get(name, 0) for state in states] for name in resources},
        "requested": {name: requested.get(name, [0] * len(states)) for name in resources},
        "pods": pods,
        "unschedulable": [state.unschedulable for state in states],
        "taints": [state.taints for state in states],
    }


def detail(cluster_id: int, name: str, seq: int | None = None) -> NodeAnswer | None:
    """`{manifest, pods}` of a node, the pods after the record `seq` or now; None when there is no such node."""
    node = ClusterObject.objects.filter(cluster_id=cluster_id, kind="Node", key=name).first()
    if node is None:
        return None
    pods = pods_at(cluster_id, seq).filter(node=name).order_by("-priority", "pod")
    return {
        "manifest": node.manifest,
        "pods": [{"pod": pod.pod, "priority": pod.priority, "requests": json.loads(pod.requests)} for pod in pods],
    }


def _states_at(cluster_id: int, seq: int | None) -> Iterable[NodeState]:
    states = NodeState.objects.filter(cluster_id=cluster_id)
    return states.filter(until=FOREVER) if seq is None else states.filter(since__lte=seq, until__gt=seq)


def _resources(states: Iterable[NodeState], requested: Iterable[str]) -> list[str]:
    names = {name for state in states for name in state.allocatable} | set(requested)
    names.discard("pods")
    return [name for name in FIRST_RESOURCES if name in names] + sorted(names.difference(FIRST_RESOURCES)) + ["pods"]


def _labels(states: list[NodeState]) -> dict[str, list[str]]:
    names = sorted({name for state in states for name in state.labels} - NOT_SHOWN)[:MOST_LABELS]
    zones = [next((state.labels[name] for name in ZONE if name in state.labels), "") for state in states]
    return {"zone": zones} | {name: [state.labels.get(name, "") for state in states] for name in names}


@lru_cache(maxsize=4096)
def amounts(requests: str) -> tuple[tuple[str, int], ...]:
    """What a pod asks for, from the text that is stored."""
    return tuple(json.loads(requests).items())


@lru_cache(maxsize=16384)
def _natural(name: str) -> tuple[Any, ...]:
    """node-2 before node-10."""
    return tuple(part.zfill(20) if part.isdigit() else part for part in re.split(r"(\d+)", name))
