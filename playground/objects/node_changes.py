"""Which nodes have other pods at one moment than at another: what a page that knows the one needs for the other."""

from typing import TypedDict

from django.db.models import Count, Q

from playground.limits import NODES_CHANGED
from playground.models import FOREVER, NodeState, PodState
from playground.objects.nodes import amounts
from playground.shapes import AtMoment
from playground.store.versions import pods_at


class ChangedNodes(TypedDict):
    whole: bool
    names: list[str]
    requested: dict[str, list[int]]
    pods: list[int]


class NodeChanges(AtMoment, ChangedNodes):
    pass


WHOLE: ChangedNodes = {"whole": True, "names": [], "requested": {}, "pods": []}


def between(cluster_id: int, since: int, seq: int | None) -> ChangedNodes:
    """The answer of `node-changes/` but for the moment: from after the record `since` to after `seq` (None: now).

    `whole`: the nodes themselves are others, or too many have changed, so that only `nodes/` tells.
    """
    first, last = sorted((since, FOREVER - 1 if seq is None else seq))
    in_between = Q(since__gt=first, since__lte=last) | Q(until__gt=first, until__lte=last)
    if NodeState.objects.filter(in_between, cluster_id=cluster_id).exists():
        return WHOLE
    versions = PodState.objects.filter(cluster_id=cluster_id).exclude(node="")
    # Two questions, as one with "or" would not use the index of what has ended.
    began = versions.filter(since__gt=first, since__lte=last).order_by().values_list("node", flat=True).distinct()
    ended = versions.filter(until__gt=first, until__lte=last).order_by().values_list("node", flat=True).distinct()
    names = sorted({*began[: NODES_CHANGED + 1], *ended[: NODES_CHANGED + 1]})
    if len(names) > NODES_CHANGED:
        return WHOLE
    place = {name: i for i, name in enumerate(names)}
    pods = [0] * len(names)
    requested: dict[str, list[int]] = {"pods": pods}
    on_nodes = pods_at(cluster_id, seq).filter(node__in=names).values_list("node", "requests")
    for node, requests, count in on_nodes.annotate(Count("pk")).order_by():
        pods[place[node]] += count
        for name, amount in amounts(requests):
            requested.setdefault(name, [0] * len(names))[place[node]] += amount * count
    return {"whole": False, "names": names, "requested": requested, "pods": pods}
