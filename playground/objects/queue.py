"""The scheduling queue, now or at a past moment."""

import json
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from django.db.models import Count, Q, QuerySet

from playground.configs import selectors as configs
from playground.models import Cluster, PodState, Record
from playground.shapes import AtMoment
from playground.store.versions import pods_at

IN_FLIGHT = "inFlight"
LANES = (IN_FLIGHT, "active", "backoff", "errorBackoff", "unschedulable", "gated", "waiting")
# Pods are popped as they came, whatever their priority: what the old versions did.
FIRST_COME = "FIFOSort"


class QueuedPod(TypedDict):
    pod: str
    uid: str
    priority: int
    attempts: int
    since: float
    backoff_until: NotRequired[float]
    plugins: list[str]
    gate: NotRequired[str]
    moved: NotRequired[dict[str, str]]


class Lanes(TypedDict):
    counts: dict[str, int]
    lanes: dict[str, list[QueuedPod]]


class Queue(AtMoment, Lanes):
    pass


def lanes(cluster: Cluster, limit: int, seq: int | None = None, tried: str | None = None) -> Lanes:
    """`{counts, lanes}`: how many pods are in every lane, and the first `limit` of each that waits for something.

    `tried` is the pod that is being tried at that moment: it is in flight, wherever it was before its cycle.
    """
    pods = pods_at(cluster.pk, seq)
    counts = dict(pods.exclude(pod=tried).values_list("lane").annotate(Count("pk")).order_by("lane"))
    if tried is not None:
        counts[IN_FLIGHT] = _within(pods, IN_FLIGHT, tried).count()
    found = {lane: _in_order(cluster, _within(pods, lane, tried), lane)[:limit] for lane in LANES if lane in counts}
    return {
        "counts": counts,
        "lanes": {lane: [_entry(pod, tried) for pod in entries] for lane, entries in found.items()},
    }


def lane_page(
    cluster: Cluster, lane: str, offset: int, limit: int, seq: int | None = None, tried: str | None = None
) -> Lanes:
    """`lanes` for a part of one lane, each pod with the move that brought it there where its record is still stored."""
    pods = _within(pods_at(cluster.pk, seq), lane, tried)
    found = list(_in_order(cluster, pods, lane)[offset : offset + limit])
    # What brought the pod in flight is in the record of its cycle, which is not over.
    moved = _moves(cluster.pk, [pod for pod in found if pod.pod != tried])
    entries = [_entry(pod, tried) for pod in found]
    for entry in entries:
        if entry["pod"] in moved:
            entry["moved"] = moved[entry["pod"]]
    return {"counts": {lane: pods.count()}, "lanes": {lane: entries}}


def _within(pods: QuerySet[PodState], lane: str, tried: str | None) -> QuerySet[PodState]:
    """Those of a lane, while `tried` is in flight."""
    if tried is None:
        return pods.filter(lane=lane)
    return pods.filter(Q(lane=lane) | Q(pod=tried)) if lane == IN_FLIGHT else pods.filter(lane=lane).exclude(pod=tried)


def _moves(cluster_id: int, pods: Sequence[PodState]) -> dict[str, dict[str, str]]:
    """Pod → its last move in the record that this version of it is from."""
    wanted = {(pod.since, pod.pod) for pod in pods}
    records = Record.objects.filter(cluster_id=cluster_id, seq__in={since for since, _ in wanted})
    moves = {}
    for seq, body in records.values_list("seq", "body"):
        for move in json.loads(body).get("moves", ()):
            if (seq, move["pod"]) in wanted:
                moves[move["pod"]] = {name: str(value) for name, value in move.items() if name != "pod" and value}
    return moves


def _in_order(cluster: Cluster, pods: QuerySet[PodState], lane: str) -> QuerySet[PodState]:
    if lane in ("backoff", "errorBackoff"):
        return pods.order_by("backoff_until", "since", "pk")
    if configs.queue_sort(cluster) == FIRST_COME:
        return pods.order_by("entered", "since", "pk")
    # PrioritySort: priority, then the time of entering; pods of one moment in the order they came.
    return pods.order_by("-priority", "entered", "since", "pk")


def _entry(pod: PodState, tried: str | None) -> QueuedPod:
    entry: QueuedPod = {
        "pod": pod.pod,
        "uid": pod.uid,
        "priority": pod.priority,
        # Being popped is what counts an attempt.
        "attempts": pod.attempts + (pod.pod == tried),
        "since": pod.entered,
        "plugins": pod.plugins,
    }
    if pod.backoff_until is not None:
        entry["backoff_until"] = pod.backoff_until
    if pod.gate:
        entry["gate"] = pod.gate
    return entry
