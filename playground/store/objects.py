"""Write the objects that records changed: as they are now, and the versions of nodes and pods that reads need."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

from playground.models import FOREVER, ClusterObject, NodeState, PodState
from scheduler_core.edits.pod_edits import owner_of
from scheduler_core.objects.node import Node
from scheduler_core.objects.pod import Pod
from scheduler_core.simulation import Record as EngineRecord
from scheduler_core.simulation.store import ObjectStore

BATCH = 500
# Records in which users, not the scheduler, wrote the objects: a pod's requests may be others than before.
GIVEN = ("objects", "reset")
WAITING, GONE = "waiting", "gone"


# An owner is known by what its pods say of it: the object itself may come later, or be gone by then.
_NOBODY = ObjectStore()

# What changed of nodes or pods: (record, key, the new version or None when it is gone), in order.
Changes = list[tuple[int, str, Any]]


def write(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    """Bring ClusterObject, NodeState and PodState up to the last of `records`. Part of a transaction."""
    _write_manifests(cluster_id, records)
    _write_versions(NodeState, "name", cluster_id, list(_node_changes(cluster_id, records)))
    _write_versions(PodState, "pod", cluster_id, list(_pod_changes(cluster_id, records)))


def _write_manifests(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    last: dict[tuple[str, str], tuple[int, Mapping[str, Any] | None]] = {}
    for record in records:
        for _, kind, key, manifest in record.manifests:
            last[kind, key] = record.seq, manifest
    ClusterObject.objects.bulk_create(
        (
            ClusterObject(cluster_id=cluster_id, kind=kind, key=key, manifest=manifest, seq=seq)
            for (kind, key), (seq, manifest) in last.items()
            if manifest is not None
        ),
        BATCH,
        update_conflicts=True,
        unique_fields=["cluster", "kind", "key"],
        update_fields=["manifest", "seq"],
    )
    gone = defaultdict(list)
    for (kind, key), (_, manifest) in last.items():
        if manifest is None:
            gone[kind].append(key)
    for kind, keys in gone.items():
        for batch in _batches(keys):
            ClusterObject.objects.filter(cluster_id=cluster_id, kind=kind, key__in=batch).delete()


def _node_changes(cluster_id: int, records: Sequence[EngineRecord]) -> Iterator[tuple[int, str, NodeState | None]]:
    for record in records:
        for _, kind, key, _ in record.manifests:
            if kind == "Node":
                node = record.objects.get((kind, key))
                yield record.seq, key, _node_state(cluster_id, record.seq, node) if isinstance(node, Node) else None


def _node_state(cluster_id: int, seq: int, node: Node) -> NodeState:
    return NodeState(
        cluster_id=cluster_id,
        name=node.name,
        since=seq,
        labels=dict(node.labels),
        allocatable=dict(node.allocatable),
        unschedulable=node.unschedulable,
        taints=[f"{taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}" for taint in node.taints],
    )


def _pod_changes(cluster_id: int, records: Sequence[EngineRecord]) -> Iterator[tuple[int, str, PodState | None]]:
    """New versions of pods. What a record does not say is as in the version before, stored or of this very batch."""
    touched = {key for record in records for key in record.lanes}
    current = _current_pods(cluster_id, sorted(touched))
    for record in records:
        assumed = record.data["cycle"] if record.data.get("cycle", {}).get("outcome") == WAITING else None
        for key, lane in record.lanes.items():
            before = current.get(key)
            if lane["lane"] == GONE:
                if before is not None:
                    current[key] = None
                    yield record.seq, key, None
                continue
            state = _pod_state(cluster_id, record, key, lane, before)
            if state.lane == WAITING:
                # The scheduler counts the pod on the node it is assumed on, though its binding is still to come.
                state.node = assumed["node"] if assumed and assumed["pod"] == key else before.node if before else ""
            current[key] = state
            yield record.seq, key, state


def _current_pods(cluster_id: int, keys: list[str]) -> dict[str, PodState | None]:
    found: dict[str, PodState | None] = {}
    for batch in _batches(keys):
        for state in PodState.objects.filter(cluster_id=cluster_id, until=FOREVER, pod__in=batch):
            found[state.pod] = state
    return found


def _pod_state(
    cluster_id: int,
    record: EngineRecord,
    key: str,
    lane: Mapping[str, Any],
    before: PodState | None,
) -> PodState:
    state = PodState(cluster_id=cluster_id, pod=key, since=record.seq, lane=lane["lane"], priority=lane["priority"])
    pod = record.objects.get(("Pod", key))
    if isinstance(pod, Pod) and (before is None or record.data["kind"] in GIVEN):
        state.uid, state.node = pod.uid, pod.node_name
        state.pod_group = f"{pod.namespace}/{pod.scheduling_group}" if pod.scheduling_group else ""
        state.requests = json.dumps(dict(pod.requests), separators=(",", ":"))
        owner = owner_of(pod, _NOBODY)
        state.owned_by = f"{owner[0]} {pod.namespace}/{owner[1]}" if owner else ""
    else:
        assert before is not None  # a pod is created before anything else happens to it
        state.uid, state.node, state.requests = before.uid, before.node, before.requests
        state.pod_group, state.owned_by = before.pod_group, before.owned_by
        if isinstance(pod, Pod):
            state.node = pod.node_name
        elif before.lane == WAITING:
            state.node = ""
    state.attempts = lane.get("attempts", 0)
    state.entered = lane.get("since", 0.0)
    state.backoff_until = lane.get("backoff_until")
    state.plugins = lane.get("plugins", [])
    state.gate = lane.get("gate") or ""
    return state


def _write_versions(model: type[NodeState] | type[PodState], key_field: str, cluster_id: int, changes: Changes) -> None:
    """End the versions that were valid until now, and add the new ones."""
    ends: list[tuple[int, int, str, int]] = []
    open_versions: dict[str, Any] = {}
    rows = []
    for seq, key, version in changes:
        if key in open_versions and open_versions[key] is not None:
            open_versions[key].until = seq
        elif key not in open_versions:
            ends.append((seq, cluster_id, key, FOREVER))
        open_versions[key] = version
        if version is not None:
            rows.append(version)
    if ends:
        _end_versions(model._meta.db_table, key_field, ends)
    model._default_manager.bulk_create(rows, BATCH)


def _end_versions(table: str, key_field: str, ends: list[tuple[int, int, str, int]]) -> None:
    quote = connection.ops.quote_name
    # One prepared statement for thousands of rows, each with its own end; only names of ours are put into it.
    statement = (
        f"UPDATE {quote(table)} SET {quote('until')} = %s "  # noqa: S608
        f"WHERE cluster_id = %s AND {quote(key_field)} = %s AND {quote('until')} = %s"
    )
    with connection.cursor() as cursor:
        cursor.executemany(statement, ends)


def _batches(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))
