"""Make records from the journal. See docs/reference/commands-and-trace.md."""

from functools import lru_cache
from typing import Any

from kube_objects.defects import describe_defect
from kube_objects.meta import KubeObject
from scheduler_core.cycle.schedule_one import PodAttempt
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.journal import BOUND, GONE, IGNORED, WAITING, ManifestChange, Record

VERSION = 1
# The largest number of moves in a record; further moves, as of a bulk creation, are only counted.
MAX_MOVES = 500


def make_record(cluster: SimulatedCluster, seq: int, kind: str, **fields: Any) -> Record:
    """Return the record of everything since the last one, and clear the journal."""
    journal = cluster.journal
    data: dict[str, Any] = {"v": VERSION, "seq": seq, "t": _round_time(cluster.now), "kind": kind, **fields}
    if journal.moves:
        data["moves"] = journal.moves[:MAX_MOVES]
        if len(journal.moves) > MAX_MOVES:
            data["movesOmitted"] = len(journal.moves) - MAX_MOVES
    if journal.events:
        data["events"] = journal.events
    if journal.error is not None:
        data["error"] = describe_defect(journal.error)
    manifests: list[ManifestChange] = []
    objects: dict[tuple[str, str], KubeObject] = {}
    writes: list[dict[str, str]] = []
    manifest_of = cluster.manifest_of
    for kind_and_key, (op, obj) in journal.changes.items():
        object_kind, key = kind_and_key
        writes.append({"op": op, "kind": object_kind, "key": key})
        if obj is None:
            manifests.append((op, object_kind, key, None))
        else:
            manifests.append((op, object_kind, key, manifest_of(obj)))
            objects[kind_and_key] = obj
    if writes and kind != "objects":
        data["writes"] = writes
    lanes = {key: lane_of(cluster, key) for key in journal.touched} if journal.touched else {}
    record = Record(data, manifests, lanes, objects=objects, moves=journal.moves, event_uids=journal.event_uids)
    record.error = journal.error
    journal.clear()
    return record


@lru_cache(maxsize=64, typed=True)
def _round_time(now: float) -> float:
    """Round to microseconds. Cached, because many records have the same time."""
    return round(now, 6)


def lane_of(cluster: SimulatedCluster, pod_key: str) -> dict[str, Any]:
    """Return a pod's place: `{lane, attempts, since, backoff_until, plugins, gate, priority}`, as far as they apply.

    `lane` is a sub-queue, or one of the places outside the queue that `simulator.simulation.journal` defines.
    """
    pod = cluster.find_pod(pod_key)
    if pod is None:
        return {"lane": GONE}
    if pod.finished:
        return {"lane": GONE}
    if pod.node_name:
        return {"lane": BOUND, "priority": pod.priority}
    queued = cluster.queue.find(pod_key)
    if queued is None:
        attempt = cluster.attempts.waiting.get(pod.uid)
        if attempt is None:
            member = None if cluster.group is None else cluster.group.find(pod.uid)
            if member is not None:
                return {"lane": WAITING, "attempts": member.attempts, "plugins": [], "priority": pod.priority}
            return {"lane": IGNORED, "priority": pod.priority}
        return {
            "lane": WAITING,
            "attempts": attempt.queued.attempts,
            "plugins": cluster.scheduler.waiting[pod.uid].pending_plugins,
            "priority": pod.priority,
        }
    return {
        "lane": cluster.queue.where(pod_key).value,
        "attempts": queued.attempts,
        "since": _round_time(queued.timestamp),
        "backoff_until": queued.backoff_expiry,
        "plugins": sorted(queued.unschedulable_plugins | queued.pending_plugins),
        "gate": queued.gating_plugin or None,
        "priority": pod.priority,
    }


def describe_attempt(attempt: PodAttempt, number: int, epoch: int) -> dict[str, Any]:
    """Return the `cycle` field of a record."""
    pod = attempt.queued.pod
    result: dict[str, Any] = {
        "number": number,
        "pod": pod.key,
        "uid": pod.uid,
        "profile": attempt.framework.name,
        "attempt": attempt.queued.attempts,
        "priority": pod.priority,
        "outcome": outcome_of(attempt),
        "node": None if attempt.assumed is None or not _has_node(attempt) else attempt.assumed.node_name,
        "message": attempt.message,
        "steps": [] if attempt.trace is None else attempt.trace.steps,
        "epoch": epoch,
    }
    if attempt.group:
        result["group"] = attempt.group
    cycle = attempt.cycle
    if cycle is not None:
        search = cycle.attempt
        if cycle.nominated:
            result["nominated"] = cycle.nominated
        result["nodes"] = {
            "total": len(search.nodes),
            "toFind": search.to_find,
            "evaluated": 0 if search.found is None else len(search.found.rows),
            "feasible": 0 if search.feasible is None else len(search.feasible),
            "start": search.start,
            "next": search.next_start,
        }
        if len(search.ties) > 1:
            result["ties"] = search.ties
    return result


def _has_node(attempt: PodAttempt) -> bool:
    return attempt.status.is_success or attempt.status.is_wait


def outcome_of(attempt: PodAttempt) -> str:
    if attempt.skipped:
        return "skipped"
    if attempt.status.is_success:
        return "scheduled"
    if attempt.status.is_wait:
        return "waiting"
    return "unschedulable" if attempt.status.is_rejected else "error"
