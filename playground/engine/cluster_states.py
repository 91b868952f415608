"""The state of a cluster as the API and the event stream send it."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from django.db.models import F, QuerySet

from playground.engine.lease_answers import LeaseAnswer, describe_lease
from playground.models import Cluster, ClusterObject, Command, CommandState, Cycle, PodState
from playground.models.states import count_by
from playground.response_types import Anything, DateTime, named
from playground.store.batched_rows import RECORDS
from playground.store.undo_stacks import NextChanges, next_changes, next_changes_of_all
from playground.store.versions import pods_at
from simulator.simulation import Record as EngineRecord

# The lanes of Pods that the scheduler has finished with.
SETTLED = ("bound", "ignored")


@named("Running")
class RunningCommand(TypedDict):
    number: int
    kind: str
    records: int
    cycles: int
    total: NotRequired[int]


@named("Fork")
class ForkPoint(TypedDict):
    seq: int
    cycle: int
    t: float


class BranchOf(TypedDict):
    """A cluster's place in its tree of branches. `parent` and `fork` are null for a cluster that is no fork."""

    name: str
    parent: int | None
    fork: ForkPoint | None


class ClusterAnswer(NextChanges):
    id: int
    name: str
    created: DateTime
    example: str | None
    lesson: str | None
    owner: str
    emulates: str
    seed: int
    revision: int
    t: float
    cycle: int
    first_cycle: int
    counts: dict[str, int]
    lanes: dict[str, int]
    state: Literal["idle", "queued", "running", "paused"]
    running: RunningCommand | None
    lease: LeaseAnswer | None
    config_version: int
    actors: list[str]
    live: bool
    pace: float
    speed: float
    branch: BranchOf
    breakpoints: int
    stopped_by: Anything | None


@dataclass
class Counts:
    """The numbers of Pods per lane and of objects per kind after the record `revision`.

    A value of None is unknown and has to be counted.
    """

    revision: int = -1
    lanes: dict[str, int] | None = None
    kinds: dict[str, int] | None = None

    def follow(self, records: Sequence[EngineRecord], moved: Mapping[str, int]) -> None:
        """Update the counts after these records were stored. `moved` is the change in the number of Pods per lane."""
        self.revision = records[-1].seq
        if self.lanes is not None:
            totals = {lane: self.lanes.get(lane, 0) + moved.get(lane, 0) for lane in sorted({*self.lanes, *moved})}
            self.lanes = {lane: count for lane, count in totals.items() if count}
        if any(op != "update" for record in records for op, *_ in record.manifests):
            self.kinds = None


def read_state(cluster_id: int, known: Counts | None = None) -> ClusterAnswer | None:
    """Return the cluster's state (docs/reference/http-api.md), or None if there is no such cluster.

    Counts that `known` lacks, or has for another revision, are read from the database and stored in `known`.
    """
    cluster = Cluster.objects.find_described(cluster_id=cluster_id)
    if cluster is None:
        return None
    counts = Counts() if known is None else known
    if counts.revision != cluster.revision:
        counts.revision, counts.lanes, counts.kinds = cluster.revision, None, None
    if counts.kinds is None:
        counts.kinds = _group_by_cluster(ClusterObject.objects.count_by_kind(cluster_ids=[cluster_id]))[cluster_id]
    if counts.lanes is None:
        counts.lanes = _group_by_cluster(PodState.objects.count_by_lane(cluster_ids=[cluster_id]))[cluster_id]
    kinds, lanes = dict(counts.kinds), dict(counts.lanes)
    return _describe_state(cluster, kinds, lanes, next_changes(cluster_id))


def read_state_at(cluster_id: int, seq: int, cycle: int) -> ClusterAnswer | None:
    """Return the state after the record `seq`, when `cycle` was the last cycle and no command was running."""
    current = read_state(cluster_id)
    if current is None:
        return None
    lanes = _group_by_cluster(count_by(pods_at(cluster_id, seq), "lane"))[cluster_id]
    body = RECORDS.get_many(cluster_id, [seq]).get(seq)
    # A thinned record has no body. The time of the next cycle is close enough.
    following = Cycle.objects.filter(cluster_id=cluster_id, number=cycle + 1)
    t: float = json.loads(body)["t"] if body else following.values_list("t", flat=True).first() or 0.0
    then: ClusterAnswer = {
        **current,
        "emulates": Cluster(pk=cluster_id).emulated_at(seq),
        "revision": seq,
        "t": t,
        "cycle": cycle,
        "counts": current["counts"] | _count_pods(lanes) | {"pods": sum(lanes.values())},
        "lanes": lanes,
        "state": "idle",
        "running": None,
        "lease": None,
        "stopped_by": None,
    }
    return then


def has_moved(cluster_id: int, last: int) -> bool:
    """Return True if commands wait or run, if the last record is newer than `last`, or if the cluster was deleted."""
    return not Cluster.objects.filter(pk=cluster_id, submitted=F("applied"), revision__lte=last).exists()


def read_states(clusters: QuerySet[Cluster]) -> list[ClusterAnswer]:
    """Return the states of several clusters, with nearly as many queries as for one.

    Each names the holder of its lease.
    """
    described = list(Cluster.objects.describe(clusters))
    ids = [cluster.pk for cluster in described]
    kinds = _group_by_cluster(ClusterObject.objects.count_by_kind(cluster_ids=ids))
    lanes = _group_by_cluster(PodState.objects.count_by_lane(cluster_ids=ids))
    changes = next_changes_of_all(ids)
    return [
        _describe_state(cluster, kinds[cluster.pk], lanes[cluster.pk], changes[cluster.pk]) for cluster in described
    ]


def _describe_state(
    cluster: Cluster, kinds: dict[str, int], lanes: dict[str, int], changes: NextChanges
) -> ClusterAnswer:
    pods, nodes = kinds.pop("Pod", 0), kinds.pop("Node", 0)
    counts = {"nodes": nodes, "pods": pods, **_count_pods(lanes)}
    is_busy = cluster.submitted > cluster.applied
    running = _describe_running(cluster) if is_busy else None
    was_stopped = cluster.last_state == CommandState.STOPPED  # type: ignore[attr-defined]  # annotated by the query
    return {
        "id": cluster.pk,
        "name": cluster.name,
        "created": cluster.created.isoformat(),
        "example": cluster.example or None,
        "lesson": cluster.lesson,  # type: ignore[attr-defined]  # likewise
        "owner": cluster.owner_name,  # type: ignore[attr-defined]  # likewise
        "emulates": cluster.emulates,
        "seed": cluster.seed,
        "revision": cluster.revision,
        "t": cluster.t,
        "cycle": cluster.cycle,
        "first_cycle": cluster.first_cycle,
        "counts": counts | kinds,
        "lanes": lanes,
        "state": "running" if running else "queued" if is_busy else "paused" if was_stopped else "idle",
        "running": running,
        "lease": describe_lease(cluster),
        "config_version": cluster.config_version,
        "actors": cluster.actors,
        "live": cluster.live,
        "pace": cluster.pace,
        "speed": cluster.speed,
        "branch": describe_branch(cluster),
        "breakpoints": len(cluster.breakpoints),
        # The breakpoint that ended the last command, if that was a run that ended at one.
        "stopped_by": cluster.last_stopped_by,  # type: ignore[attr-defined]  # likewise
        **changes,
    }


def _count_pods(lanes: dict[str, int]) -> dict[str, int]:
    """Return the numbers of bound and of pending Pods."""
    settled = sum(lanes.get(lane, 0) for lane in SETTLED)
    return {"bound": lanes.get("bound", 0), "pending": sum(lanes.values()) - settled}


def describe_branch(cluster: Cluster) -> BranchOf:
    fork: ForkPoint | None = None
    if cluster.parent_id is not None:
        # A cluster with a parent is a fork, which stores its place.
        seq, cycle, t = cluster.fork_seq or 0, cluster.fork_cycle or 0, cluster.fork_t or 0.0
        fork = {"seq": seq, "cycle": cycle, "t": t}
    return {"name": cluster.name, "parent": cluster.parent_id, "fork": fork}


def _group_by_cluster(counts: Iterable[tuple[int, str, int]]) -> dict[int, dict[str, int]]:
    numbers: dict[int, dict[str, int]] = defaultdict(dict)
    for cluster_id, kind, number in counts:
        numbers[cluster_id][kind] = number
    return numbers


def _describe_running(cluster: Cluster) -> RunningCommand | None:
    running = Command.objects.find_running(cluster_id=cluster.pk, after=cluster.applied)
    if running is None:
        return None
    answer: RunningCommand = {
        "number": running.number,
        "kind": running.kind,
        "records": running.records,
        "cycles": running.cycles,
    }
    return answer if running.total is None else {**answer, "total": running.total}
