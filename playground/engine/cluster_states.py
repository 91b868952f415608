"""A cluster's state, as the API and the stream tell it."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from django.db.models import F, QuerySet

from playground.engine.holders import LeaseAnswer, lease_of
from playground.models import Cluster, ClusterObject, Command, CommandState, Cycle, PodState
from playground.models.states import count_by
from playground.shapes import Anything, Moment
from playground.store.changes import CanBeTaken, can_be_taken, can_be_taken_of_all
from playground.store.many import RECORDS
from playground.store.versions import pods_at
from simulator.simulation import Record as EngineRecord

# Where pods are that the scheduler has nothing more to do with.
SETTLED = ("bound", "ignored")


class Running(TypedDict):
    number: int
    kind: str
    records: int
    cycles: int
    total: NotRequired[int]


class Fork(TypedDict):
    seq: int
    cycle: int
    t: float


class BranchOf(TypedDict):
    """The last two are null for what was not forked from anything."""

    name: str
    parent: int | None
    fork: Fork | None


class ClusterAnswer(CanBeTaken):
    id: int
    name: str
    created: Moment
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
    running: Running | None
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
    """How many pods are in each lane, and how many objects there are of each kind, after the record `revision`.

    None for what is not known, and has to be counted.
    """

    revision: int = -1
    lanes: dict[str, int] | None = None
    kinds: dict[str, int] | None = None

    def follow(self, records: Sequence[EngineRecord], moved: Mapping[str, int]) -> None:
        """These were stored: so many pods more, or fewer, there are in each lane."""
        self.revision = records[-1].seq
        if self.lanes is not None:
            found = {lane: self.lanes.get(lane, 0) + moved.get(lane, 0) for lane in sorted({*self.lanes, *moved})}
            self.lanes = {lane: count for lane, count in found.items() if count}
        if any(op != "update" for record in records for op, *_ in record.manifests):
            self.kinds = None


def state(cluster_id: int, known: Counts | None = None) -> ClusterAnswer | None:
    """The cluster's state of docs/api.md; None when there is no such cluster.

    What is not `known`, or of another revision, is counted, and noted there.
    """
    cluster = Cluster.objects.find_described(cluster_id=cluster_id)
    if cluster is None:
        return None
    counts = Counts() if known is None else known
    if counts.revision != cluster.revision:
        counts.revision, counts.lanes, counts.kinds = cluster.revision, None, None
    if counts.kinds is None:
        counts.kinds = _by_cluster(ClusterObject.objects.count_by_kind(cluster_ids=[cluster_id]))[cluster_id]
    if counts.lanes is None:
        counts.lanes = _by_cluster(PodState.objects.count_by_lane(cluster_ids=[cluster_id]))[cluster_id]
    kinds, lanes = dict(counts.kinds), dict(counts.lanes)
    return _state(cluster, kinds, lanes, can_be_taken(cluster_id))


def state_at(cluster_id: int, seq: int, cycle: int) -> ClusterAnswer | None:
    """The state after the record `seq`, when `cycle` was the last one, and nothing at work."""
    found = state(cluster_id)
    if found is None:
        return None
    lanes = _by_cluster(count_by(pods_at(cluster_id, seq), "lane"))[cluster_id]
    body = RECORDS.at(cluster_id, [seq]).get(seq)
    # Of a record that was thinned out, the time of the next cycle is as good.
    following = Cycle.objects.filter(cluster_id=cluster_id, number=cycle + 1)
    t: float = json.loads(body)["t"] if body else following.values_list("t", flat=True).first() or 0.0
    then: ClusterAnswer = {
        **found,
        "emulates": Cluster(pk=cluster_id).emulated_at(seq),
        "revision": seq,
        "t": t,
        "cycle": cycle,
        "counts": found["counts"] | _pods(lanes) | {"pods": sum(lanes.values())},
        "lanes": lanes,
        "state": "idle",
        "running": None,
        "lease": None,
        "stopped_by": None,
    }
    return then


def has_moved(cluster_id: int, last: int) -> bool:
    """Whether commands wait or are at work, or `last` is not its last record; True also for a cluster that is gone."""
    return not Cluster.objects.filter(pk=cluster_id, submitted=F("applied"), revision__lte=last).exists()


def states(clusters: QuerySet[Cluster]) -> list[ClusterAnswer]:
    """The states of several clusters, each with the current holder of its lease; nearly as many queries as for one."""
    found = list(Cluster.objects.describe(clusters))
    ids = [cluster.pk for cluster in found]
    kinds = _by_cluster(ClusterObject.objects.count_by_kind(cluster_ids=ids))
    lanes = _by_cluster(PodState.objects.count_by_lane(cluster_ids=ids))
    changes = can_be_taken_of_all(ids)
    return [_state(cluster, kinds[cluster.pk], lanes[cluster.pk], changes[cluster.pk]) for cluster in found]


def _state(cluster: Cluster, kinds: dict[str, int], lanes: dict[str, int], changes: CanBeTaken) -> ClusterAnswer:
    pods, nodes = kinds.pop("Pod", 0), kinds.pop("Node", 0)
    counts = {"nodes": nodes, "pods": pods, **_pods(lanes)}
    is_busy = cluster.submitted > cluster.applied
    running = _running(cluster) if is_busy else None
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
        "lease": lease_of(cluster),
        "config_version": cluster.config_version,
        "actors": cluster.actors,
        "live": cluster.live,
        "pace": cluster.pace,
        "speed": cluster.speed,
        "branch": branch_of(cluster),
        "breakpoints": len(cluster.breakpoints),
        # The breakpoint that ended the last command, if it is a run that one ended.
        "stopped_by": cluster.last_stopped_by,  # type: ignore[attr-defined]  # likewise
        **changes,
    }


def _pods(lanes: dict[str, int]) -> dict[str, int]:
    """How many are bound, and how many wait for it."""
    settled = sum(lanes.get(lane, 0) for lane in SETTLED)
    return {"bound": lanes.get("bound", 0), "pending": sum(lanes.values()) - settled}


def branch_of(cluster: Cluster) -> BranchOf:
    fork: Fork | None = None
    if cluster.parent_id is not None:
        # What was forked says where.
        seq, cycle, t = cluster.fork_seq or 0, cluster.fork_cycle or 0, cluster.fork_t or 0.0
        fork = {"seq": seq, "cycle": cycle, "t": t}
    return {"name": cluster.name, "parent": cluster.parent_id, "fork": fork}


def _by_cluster(counts: Iterable[tuple[int, str, int]]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for cluster_id, kind, number in counts:
        found[cluster_id][kind] = number
    return found


def _running(cluster: Cluster) -> Running | None:
    running = Command.objects.find_running(cluster_id=cluster.pk, after=cluster.applied)
    if running is None:
        return None
    found: Running = {
        "number": running.number,
        "kind": running.kind,
        "records": running.records,
        "cycles": running.cycles,
    }
    return found if running.total is None else {**found, "total": running.total}
