"""Nodes whose Pods differ between two points in time, so that the UI need not read all Nodes again."""

from typing import TypedDict

from django.db.models import Q

from playground.limits import NODES_NAMED
from playground.models import FOREVER, NodeState, PodState
from playground.objects.node_reads import count_on_nodes
from playground.response_types import AtRecord
from playground.store.versions import pods_at, pods_on


class ChangedNodes(TypedDict):
    whole: bool
    names: list[str]
    requested: dict[str, list[int]]
    pods: list[int]


class NodeChanges(AtRecord, ChangedNodes):
    pass


ALL_CHANGED: ChangedNodes = {"whole": True, "names": [], "requested": {}, "pods": []}


def read_node_changes(cluster_id: int, since: int, seq: int | None) -> ChangedNodes:
    """Return the answer of `node-changes/` without its revision, for the records after `since` up to `seq`.

    `seq` None means the newest record.

    `whole` means that the Nodes themselves changed, so the client must read `nodes/` again.
    """
    first, last = sorted((since, FOREVER - 1 if seq is None else seq))
    in_between = Q(since__gt=first, since__lte=last) | Q(until__gt=first, until__lte=last)
    if NodeState.objects.filter(in_between, cluster_id=cluster_id).exists():
        return ALL_CHANGED
    versions = PodState.objects.filter(cluster_id=cluster_id).exclude(node="")
    # Two queries, because one with "or" doesn't use the index on `until`.
    began = versions.filter(since__gt=first, since__lte=last).order_by().values_list("node", flat=True).distinct()
    ended = versions.filter(until__gt=first, until__lte=last).order_by().values_list("node", flat=True).distinct()
    names = sorted({*began, *ended})
    place = {name: i for i, name in enumerate(names)}
    is_few = len(names) <= NODES_NAMED
    looked_at = pods_on(cluster_id, names, seq) if is_few else pods_at(cluster_id, seq).exclude(node="")
    pods, requested = count_on_nodes(looked_at, place)
    return {"whole": False, "names": names, "requested": {"pods": pods} | requested, "pods": pods}
