"""The scheduling queue, now or at a past point in time."""

import json
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from django.db.models import Count, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from playground.configs import selectors as configs
from playground.models import Cluster, ClusterObject, PodState
from playground.response_types import AtRecord
from playground.store.batched_rows import RECORDS
from playground.store.versions import fill_left_columns, pods_at
from scheduler_core.emulations import EMULATIONS

IN_FLIGHT = "inFlight"
LANES = (IN_FLIGHT, "active", "backoff", "errorBackoff", "unschedulable", "gated", "waiting")
# The QueueSort plugin of early versions: Pods are popped in the order of their arrival, whatever their priority.
FIRST_COME = "FIFOSort"
# The first page lists at most so many members of a Pod group per queue, because the UI shows a group as one entry.
MEMBERS = 10


class QueuedPodInfo(TypedDict):
    pod: str
    uid: str
    priority: int
    attempts: int
    since: float
    backoff_until: NotRequired[float]
    plugins: list[str]
    gate: NotRequired[str]
    group: NotRequired[str]
    moved: NotRequired[dict[str, str]]


class QueuedGroup(TypedDict):
    """A Pod group: the number of its Pods in each queue (`bound`: on a Node), and its `minCount`."""

    counts: dict[str, int]
    least: int | None


class Lanes(TypedDict):
    counts: dict[str, int]
    lanes: dict[str, list[QueuedPodInfo]]
    groups: NotRequired[dict[str, QueuedGroup]]


class Queue(AtRecord, Lanes):
    pass


def read_lanes(
    cluster: Cluster, limit: int, seq: int | None = None, tried: str | None = None, group: str = ""
) -> Lanes:
    """Return the number of Pods in every queue, of a `group` or all, and the first `limit` of each queue.

    `tried` is the Pod of the running cycle: it counts as in flight, wherever it was before. If the scheduler knows Pod
    groups, a queue lists at most MEMBERS Pods of each, and `groups` has their counts.
    """
    pods = _of_group(pods_at(cluster.pk, seq), group)
    counts = dict(pods.exclude(pod=tried).values_list("lane").annotate(Count("pk")).order_by("lane"))
    if tried is not None:
        counts[IN_FLIGHT] = _within(pods, IN_FLIGHT, tried).count()
    grouped = _knows_groups(cluster)
    pods_by_lane = {
        lane: _first(cluster, _within(pods, lane, tried), lane, limit, grouped) for lane in LANES if lane in counts
    }
    answer: Lanes = {
        "counts": counts,
        "lanes": {lane: [_entry(pod, tried, grouped) for pod in entries] for lane, entries in pods_by_lane.items()},
    }
    if grouped:
        shown = {pod.pod_group for entries in pods_by_lane.values() for pod in entries if pod.pod_group}
        answer["groups"] = _groups(cluster.pk, pods, sorted(shown), tried)
    return answer


def _knows_groups(cluster: Cluster) -> bool:
    return EMULATIONS[cluster.emulates].traits.pod_groups


def _first(cluster: Cluster, pods: QuerySet[PodState], lane: str, limit: int, grouped: bool) -> Sequence[PodState]:
    order = _order(cluster, lane)
    ordered = pods.order_by(*order)
    if not grouped or not pods.exclude(pod_group="").exists():
        return fill_left_columns(cluster.pk, list(ordered[:limit]))
    place = Window(RowNumber(), partition_by="pod_group", order_by=order)
    first_members = ordered.annotate(place=place).filter(Q(pod_group="") | Q(place__lte=MEMBERS))
    return fill_left_columns(cluster.pk, list(first_members[:limit]))


def _groups(cluster_id: int, pods: QuerySet[PodState], names: list[str], tried: str | None) -> dict[str, QueuedGroup]:
    """Return counts and `minCount` of the Pod groups in `names`, which has at most `limit` names per queue."""
    groups: dict[str, QueuedGroup] = {name: {"counts": {}, "least": None} for name in names}
    members = pods.filter(pod_group__in=names)
    rows = (
        members.exclude(pod=tried).values_list("pod_group", "lane").annotate(Count("pk")).order_by("pod_group", "lane")
    )
    for group, lane, count in rows:
        groups[group]["counts"][lane] = count
    for group in members.filter(pod=tried).values_list("pod_group", flat=True):
        counts = groups[group]["counts"]
        counts[IN_FLIGHT] = counts.get(IN_FLIGHT, 0) + 1
    objects = ClusterObject.objects.filter(cluster_id=cluster_id, kind="PodGroup", key__in=names)
    for key, manifest in objects.values_list("key", "manifest"):
        policy = manifest.get("spec", {}).get("schedulingPolicy") or {}
        groups[key]["least"] = (policy.get("gang") or {}).get("minCount")
    return groups


def read_lane_page(
    cluster: Cluster,
    lane: str,
    offset: int,
    limit: int,
    seq: int | None = None,
    tried: str | None = None,
    group: str = "",
) -> Lanes:
    """Return the Pods of one queue, or of the `group` in it, from `offset` on.

    Each Pod has the move that brought it there, if that record is still stored.
    """
    pods = _within(_of_group(pods_at(cluster.pk, seq), group), lane, tried)
    page = fill_left_columns(cluster.pk, list(pods.order_by(*_order(cluster, lane))[offset : offset + limit]))
    # The move of the Pod in flight is in the record of its cycle, which has not ended.
    moved = _moves(cluster.pk, [pod for pod in page if pod.pod != tried])
    grouped = _knows_groups(cluster)
    entries = [_entry(pod, tried, grouped) for pod in page]
    for entry in entries:
        if entry["pod"] in moved:
            entry["moved"] = moved[entry["pod"]]
    return {"counts": {lane: pods.count()}, "lanes": {lane: entries}}


def _of_group(pods: QuerySet[PodState], group: str) -> QuerySet[PodState]:
    return pods.filter(pod_group=group) if group else pods


def _within(pods: QuerySet[PodState], lane: str, tried: str | None) -> QuerySet[PodState]:
    """Return the Pods of a queue while the Pod `tried` is in flight."""
    if tried is None:
        return pods.filter(lane=lane)
    return pods.filter(Q(lane=lane) | Q(pod=tried)) if lane == IN_FLIGHT else pods.filter(lane=lane).exclude(pod=tried)


def _moves(cluster_id: int, pods: Sequence[PodState]) -> dict[str, dict[str, str]]:
    """Return each Pod's last move in the record that created this version of its state."""
    wanted = {(pod.since, pod.pod) for pod in pods}
    moves = {}
    for seq, body in RECORDS.get_many(cluster_id, {since for since, _ in wanted}).items():
        for move in json.loads(body).get("moves", ()):
            if (seq, move["pod"]) in wanted:
                moves[move["pod"]] = {name: str(value) for name, value in move.items() if name != "pod" and value}
    return moves


def _order(cluster: Cluster, lane: str) -> tuple[str, ...]:
    if lane in ("backoff", "errorBackoff"):
        return "backoff_until", "since", "pk"
    if configs.queue_sort(cluster) == FIRST_COME:
        return "entered", "since", "pk"
    # PrioritySort: by priority, then by queueing time. Pods with the same time stay in the order of arrival.
    return "-priority", "entered", "since", "pk"


def _entry(pod: PodState, tried: str | None, grouped: bool) -> QueuedPodInfo:
    entry: QueuedPodInfo = {
        "pod": pod.pod,
        "uid": pod.uid,
        "priority": pod.priority,
        # The queue counts an attempt when it pops the Pod.
        "attempts": pod.attempts + (pod.pod == tried),
        "since": pod.entered,
        "plugins": pod.plugins,
    }
    if pod.backoff_until is not None:
        entry["backoff_until"] = pod.backoff_until
    if pod.gate:
        entry["gate"] = pod.gate
    if grouped and pod.pod_group:
        entry["group"] = pod.pod_group
    return entry
