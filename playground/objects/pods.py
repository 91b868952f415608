"""A pod: what it is, where it is, and what was decided about it."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypedDict

from django.db.models import Count

from playground import limits
from playground.models import FOREVER, ClusterObject, Cycle, PodState, Record
from playground.shapes import Anything, AtMoment, named
from playground.store import events
from playground.store.many import RECORDS
from playground.store.versions import pods_at, pods_on, whole
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


class Placed(AtMoment):
    """`owners`: kind and key of what has a pod's template, for those that have an owner."""

    pods: dict[str, list[str]]
    owners: dict[str, str]


class Owned(TypedDict):
    """`nodes`: of each node how many pods each of `owners` has there, by its place; -1 for pods without an owner."""

    owners: list[str]
    counts: list[int]
    nodes: dict[str, dict[str, int]]


@named("Owners")
class Owners(AtMoment, Owned):
    pass


class PodMoves(TypedDict):
    moves: list[Anything]
    omitted: int


def detail(cluster_id: int, key: str) -> PodAnswer | None:
    """The answer of `pods/{namespace}/{name}/`. A pod that is gone still has its past; None if there never was one."""
    pod = ClusterObject.objects.filter(cluster_id=cluster_id, kind="Pod", key=key).first()
    return detail_then(cluster_id, key, pod.manifest if pod else None, None)


def detail_then(cluster_id: int, key: str, manifest: Any, seq: int | None) -> PodAnswer | None:
    """The same after the record `seq`, None for now, with the manifest of that moment."""
    state = next(iter(whole(cluster_id, list(pods_at(cluster_id, seq).filter(pod=key)))), None)
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
            for event in events.of_pod(cluster_id, key, upto, limits.EVENTS_PER_POD)
        ],
    }


def placed(
    cluster_id: int, nodes: Sequence[str], seq: int | None = None
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The keys of the pods on each of `nodes`, after the record `seq` or now, without nodes that have none; whose they
    are."""
    found: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    on_nodes = pods_on(cluster_id, nodes, seq).order_by("since", "pk")
    for node, pod, owner in on_nodes.values_list("node", "pod", "owned_by"):
        found.setdefault(node, []).append(pod)
        if owner:
            owners[pod] = owner
    return found, owners


def owned(cluster_id: int, seq: int | None = None) -> Owned:
    """Whose pods are on the nodes, after the record `seq` or now; who has most of them comes first."""
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


def moves(cluster_id: int, key: str, upto: int | None = None) -> PodMoves | None:
    """Where the queue put the pod, why, and where a hint left it: `{moves, omitted}`; None if there was no such pod.

    `omitted` is how many changes of place are told no more: all but the last ones, and those of thinned records. `upto`
    is the last record that is told.
    """
    last = FOREVER if upto is None else upto
    states = PodState.objects.filter(cluster_id=cluster_id, pod=key, since__lte=last).order_by("-since")
    changes = set(states.values_list("since", flat=True)[: limits.MOVES_PER_POD])
    if not changes:
        return None
    records = Record.objects.filter(cluster_id=cluster_id, seq__lte=last)
    # A hint that says no changes nothing; most of them stand in the records of what happened to objects and clock.
    others = records.filter(seq__gt=min(changes)).exclude(kind__in=("cycle", "binding")).order_by("-seq")
    wanted = changes | set(others.values_list("seq", flat=True)[: limits.MOVES_PER_POD])
    found = [(seq, json.loads(body)) for seq, body in sorted(RECORDS.at(cluster_id, wanted).items())]
    missing = changes.difference(seq for seq, _ in found)
    return {
        "moves": [move for _, record in found for move in moves_of_pod(record, key)],
        "omitted": len(missing) + states.count() - len(changes),
    }
