"""One Pod's manifest, Node, cycles, Events and queue moves, and the Pods of each Node by owner."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypedDict

from django.db.models import Count

from playground import limits
from playground.models import FOREVER, ClusterObject, Cycle, PodState, Record
from playground.response_types import Anything, AtRecord, named
from playground.store import event_rows
from playground.store.batched_rows import RECORDS
from playground.store.versions import fill_left_columns, pods_at, pods_on
from simulator.explain.pod_history import moves_of_pod


class PodCycle(TypedDict):
    number: int
    attempt: int
    outcome: str
    node: str | None
    message: str


class PodEvent(TypedDict):
    seq: int
    t: float
    type: str
    reason: str
    message: str


@named("Pod")
class PodAnswer(TypedDict):
    manifest: Anything | None
    requests: dict[str, int]
    node: str | None
    lane: str
    cycles: list[PodCycle]
    events: list[PodEvent]


class Placed(AtRecord):
    """The Pods on each Node. `owners` maps a Pod to the kind and key of its workload, if it has one."""

    pods: dict[str, list[str]]
    owners: dict[str, str]


class Owned(TypedDict):
    """The number of Pods of each owner. `nodes` maps a Node to counts by index in `owners`; -1 is no owner."""

    owners: list[str]
    counts: list[int]
    nodes: dict[str, dict[str, int]]


@named("Owners")
class Owners(AtRecord, Owned):
    pass


class PodMoves(TypedDict):
    moves: list[Anything]
    omitted: int


def read_pod(cluster_id: int, key: str) -> PodAnswer | None:
    """Return the answer of `pods/{namespace}/{name}/`: for a deleted Pod its past, None if it never existed."""
    pod = ClusterObject.objects.filter(cluster_id=cluster_id, kind="Pod", key=key).first()
    return read_past_pod(cluster_id, key, pod.manifest if pod else None, None)


def read_past_pod(cluster_id: int, key: str, manifest: Any, seq: int | None) -> PodAnswer | None:
    """Return the same after the record `seq` (None: now), with the manifest of that point in time."""
    state = next(iter(fill_left_columns(cluster_id, list(pods_at(cluster_id, seq).filter(pod=key)))), None)
    upto = FOREVER if seq is None else seq
    cycles = Cycle.objects.filter(cluster_id=cluster_id, pod=key, seq__lte=upto).order_by("number")
    past: list[PodCycle] = [
        {"number": number, "attempt": attempt, "outcome": outcome, "node": node or None, "message": message}
        for number, attempt, outcome, node, message in cycles.values_list(
            "number", "attempt", "outcome", "node", "message"
        )
    ]
    if manifest is None and not past:
        return None
    return {
        "manifest": manifest,
        "requests": json.loads(state.requests) if state else {},
        "node": (state.node or None) if state else None,
        "lane": state.lane if state else "gone",
        "cycles": past,
        "events": [
            {"seq": event.seq, "t": event.t, "type": event.type, "reason": event.reason, "message": event.message}
            for event in event_rows.read_events_of_pod(cluster_id, key, upto, limits.EVENTS_PER_POD)
        ],
    }


def read_placed_pods(
    cluster_id: int, nodes: Sequence[str], seq: int | None = None
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the keys of the Pods on each of `nodes` after the record `seq` or now, and each Pod's owner.

    Nodes without Pods and Pods without an owner are left out.
    """
    pods_by_node: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    on_nodes = pods_on(cluster_id, nodes, seq).order_by("since", "pk")
    for node, pod, owner in on_nodes.values_list("node", "pod", "owned_by"):
        pods_by_node.setdefault(node, []).append(pod)
        if owner:
            owners[pod] = owner
    return pods_by_node, owners


def read_owned_pods(cluster_id: int, seq: int | None = None) -> Owned:
    """Return how many Pods of each owner are on each Node, after the record `seq` or now.

    The owner with the most Pods comes first.
    """
    on_nodes = pods_at(cluster_id, seq).exclude(node="").values_list("node", "owned_by")
    rows = list(on_nodes.annotate(Count("pk")).order_by())
    totals = Counter[str]()
    for _, owner, count in rows:
        totals[owner] += count
    names = sorted((name for name in totals if name), key=lambda name: (-totals[name], name))
    place = {name: str(i) for i, name in enumerate(names)} | {"": "-1"}
    nodes: dict[str, dict[str, int]] = {}
    for node, owner, count in rows:
        nodes.setdefault(node, {})[place[owner]] = count
    return {"owners": names, "counts": [totals[name] for name in names], "nodes": nodes}


def read_pod_moves(cluster_id: int, key: str, upto: int | None = None) -> PodMoves | None:
    """Return `{moves, omitted}`: where the queue put the Pod and why, and where a queueing hint left it.

    `omitted` is the number of queue moves that are left out: all but the newest, and those in pruned records. `upto` is
    the last record to include. Returns None if there was no such Pod.
    """
    last = FOREVER if upto is None else upto
    states = PodState.objects.filter(cluster_id=cluster_id, pod=key, since__lte=last).order_by("-since")
    changes = set(states.values_list("since", flat=True)[: limits.MOVES_PER_POD])
    if not changes:
        return None
    records = Record.objects.filter(cluster_id=cluster_id, seq__lte=last)
    # A hint that skips the Pod moves nothing. Most such hints are in the records of object and clock changes.
    others = records.filter(seq__gt=min(changes)).exclude(kind__in=("cycle", "binding")).order_by("-seq")
    wanted = changes | set(others.values_list("seq", flat=True)[: limits.MOVES_PER_POD])
    records_by_seq = [(seq, json.loads(body)) for seq, body in sorted(RECORDS.get_many(cluster_id, wanted).items())]
    missing = changes.difference(seq for seq, _ in records_by_seq)
    return {
        "moves": [move for _, record in records_by_seq for move in moves_of_pod(record, key)],
        "omitted": len(missing) + states.count() - len(changes),
    }
