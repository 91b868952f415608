"""The scheduling queue, now or at a past moment."""

import json
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, QuerySet

from playground.models import FOREVER, Cluster, PodState, Record
from playground.selectors import configs

# The lanes that a pod to be popped may be in; then all that are shown, in this order.
POPPED_FROM = ("active", "backoff")
LANES = ("inFlight", "active", "backoff", "errorBackoff", "unschedulable", "gated", "waiting")
# Pods are popped as they came, whatever their priority: what the old versions did.
FIRST_COME = "FIFOSort"


def pods_at(cluster_id: int, seq: int | None) -> QuerySet[PodState]:
    """The pods' versions that were valid after the record `seq`; the current ones for None."""
    pods = PodState.objects.filter(cluster_id=cluster_id)
    return pods.filter(until=FOREVER) if seq is None else pods.filter(since__lte=seq, until__gt=seq)


def can_be_popped(cluster_id: int) -> int:
    """How many pods a run can pop without anything else happening."""
    return pods_at(cluster_id, None).filter(lane__in=POPPED_FROM).count()


def lanes(cluster: Cluster, limit: int, seq: int | None = None) -> dict[str, Any]:
    """`{counts, lanes}`: how many pods are in every lane, and the first `limit` of each that waits for something."""
    pods = pods_at(cluster.pk, seq)
    counts = dict(pods.values_list("lane").annotate(Count("pk")).order_by("lane"))
    found = {lane: _in_order(cluster, pods, lane)[:limit] for lane in LANES if lane in counts}
    return {"counts": counts, "lanes": {lane: [_entry(pod) for pod in entries] for lane, entries in found.items()}}


def lane_page(cluster: Cluster, lane: str, offset: int, limit: int, seq: int | None = None) -> dict[str, Any]:
    """`lanes` for a part of one lane, each pod with the move that brought it there where its record is still stored."""
    pods = pods_at(cluster.pk, seq)
    found = list(_in_order(cluster, pods, lane)[offset : offset + limit])
    moved = _moves(cluster.pk, found)
    entries = [_entry(pod) | ({"moved": moved[pod.pod]} if pod.pod in moved else {}) for pod in found]
    return {"counts": {lane: pods.filter(lane=lane).count()}, "lanes": {lane: entries}}


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
    pods = pods.filter(lane=lane)
    if lane in ("backoff", "errorBackoff"):
        return pods.order_by("backoff_until", "since", "pk")
    if configs.queue_sort(cluster) == FIRST_COME:
        return pods.order_by("entered", "since", "pk")
    # PrioritySort: priority, then the time of entering; pods of one moment in the order they came.
    return pods.order_by("-priority", "entered", "since", "pk")


def _entry(pod: PodState) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "pod": pod.pod,
        "uid": pod.uid,
        "priority": pod.priority,
        "attempts": pod.attempts,
        "since": pod.entered,
        "plugins": pod.plugins,
    }
    if pod.backoff_until is not None:
        entry["backoff_until"] = pod.backoff_until
    if pod.gate:
        entry["gate"] = pod.gate
    return entry
