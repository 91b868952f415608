"""Write the objects that records changed: their current manifests, and the versions of Nodes and Pods."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import connection

from kube_objects.node import Node
from kube_objects.pod import Pod
from playground.models import FOREVER, ClusterObject, NodeState, PodState
from playground.store.rows import encode_json, execute_for_rows, insert_rows
from playground.store.versions import LEFT_COLUMNS
from scheduler_core.edits.owners import find_top_owner
from simulator.simulation import Record as EngineRecord
from simulator.simulation.store import ObjectStore
from simulator.simulation.texts import ObjectTexts

BATCH = 512
# Kinds of records in which users wrote the objects, not the scheduler. Only these change a Pod's requests.
WRITTEN_BY_USERS = ("objects", "reset")
WAITING, GONE = "waiting", "gone"


# An empty store: a Pod's owner is known by its reference, because the owner itself may not exist.
_EMPTY_STORE = ObjectStore()


def write_objects(
    cluster_id: int, records: Sequence[EngineRecord], texts: ObjectTexts, pods: "RequestedPods"
) -> Mapping[str, int]:
    """Write the ClusterObject, NodeState and PodState rows up to the last of `records`. Part of a transaction.

    Return the change in the number of Pods per lane. `texts` are those of the simulation, which checkpoints share.
    `pods` is the result of `request_pods`.
    """
    moved = _write_pods(cluster_id, records, pods())
    _write_nodes(cluster_id, records)
    _write_manifests(cluster_id, records, texts)
    return moved


def _write_manifests(cluster_id: int, records: Sequence[EngineRecord], texts: ObjectTexts) -> None:
    last: dict[tuple[str, str], tuple[EngineRecord, Mapping[str, Any] | None]] = {}
    for record in records:
        for _, kind, key, manifest in record.manifests:
            last[kind, key] = record, manifest
    rows = [
        (cluster_id, *kind_and_key, texts.add_text(record.objects[kind_and_key], manifest), record.seq)
        for kind_and_key, (record, manifest) in last.items()
        if manifest is not None
    ]
    insert_rows(ClusterObject, ("cluster_id", "kind", "key", "manifest", "seq"), rows, over=("cluster", "kind", "key"))
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


@dataclass(slots=True)
class _Pod:
    """A row of PodState, either read or not stored yet. `requests` and `plugins` are JSON texts."""

    pod: str
    since: int
    until: int
    uid: str
    node: str
    requests: str
    priority: int
    lane: str
    attempts: int
    entered: float
    backoff_until: float | None
    plugins: str
    gate: str
    pod_group: str
    owned_by: str


_OF_POD = tuple(_Pod.__slots__)
_columns_of_pod = attrgetter(*_OF_POD)
# A function that waits for the result.
RequestedPods = Callable[[], dict[str, _Pod]]


def request_pods(cluster_id: int, records: Sequence[EngineRecord]) -> RequestedPods:
    """Request the stored versions of the Pods in these records."""
    answers = []
    for batch in _batches(list({key: None for record in records for key in record.lanes})):
        answers.append(PodState.objects.request_current(cluster_id=cluster_id, pods=batch))
    return lambda: {row[0]: _Pod(*row) for answer in answers for row in answer()}


def _write_pods(cluster_id: int, records: Sequence[EngineRecord], current: dict[str, _Pod]) -> Mapping[str, int]:
    """Write new versions of Pods. Values that a record lacks come from the version before, stored or in this batch."""
    was_stored = set(current)
    # The versions that end, by whether they leave columns empty that the next version repeats.
    ends: dict[bool, list[tuple[int, int, str, int]]] = {True: [], False: []}
    rows: list[_Pod] = []
    moved: dict[str, int] = defaultdict(int)
    for record in records:
        cycle = record.data.get("cycle")
        assumed = cycle if cycle is not None and cycle["outcome"] == WAITING else None
        for key, lane in record.lanes.items():
            before = current.get(key)
            state = None if lane["lane"] == GONE else _pod_state(record, key, lane, before)
            if before is not None:
                before.until = record.seq
                moved[before.lane] -= 1
                leaves = state is not None and _can_leave_columns(before, state)
                if key in was_stored:
                    ends[leaves].append((record.seq, cluster_id, key, FOREVER))
                    was_stored.discard(key)
                elif leaves:
                    before.uid = before.requests = before.owned_by = ""
            if state is None:
                current.pop(key, None)
                continue
            current[key] = state
            moved[state.lane] += 1
            if state.lane == WAITING:
                # The scheduler counts the Pod on the Node that it is assumed on, though its binding has not ended.
                state.node = assumed["node"] if assumed and assumed["pod"] == key else before.node if before else ""
            rows.append(state)
    for leaves, versions in ends.items():
        _end_versions(PodState._meta.db_table, "pod", versions, LEFT_COLUMNS if leaves else ())
    insert_rows(PodState, ("cluster_id", *_OF_POD), [(cluster_id, *_columns_of_pod(row)) for row in rows])
    return moved


def _can_leave_columns(before: _Pod, state: _Pod) -> bool:
    """Return True for a Pod without a Node if the next version repeats LEFT_COLUMNS.

    `versions.fill_left_columns` restores the columns.
    """
    return not before.node and all(getattr(before, name) == getattr(state, name) for name in LEFT_COLUMNS)


def _pod_state(record: EngineRecord, key: str, lane: Mapping[str, Any], before: _Pod | None) -> _Pod:
    pod = record.objects.get(("Pod", key))
    if isinstance(pod, Pod) and (before is None or record.data["kind"] in WRITTEN_BY_USERS):
        uid, node = pod.uid, pod.node_name
        group = f"{pod.namespace}/{pod.scheduling_group}" if pod.scheduling_group else ""
        requests = encode_json(dict(pod.requests))
        owner = find_top_owner(pod, _EMPTY_STORE)
        owned_by = f"{owner[0]} {pod.namespace}/{owner[1]}" if owner else ""
    else:
        assert before is not None  # a Pod is created before any other change of it
        uid, node, requests = before.uid, before.node, before.requests
        group, owned_by = before.pod_group, before.owned_by
        if isinstance(pod, Pod):
            node = pod.node_name
        elif before.lane == WAITING:
            node = ""
    backoff_until = lane.get("backoff_until")
    return _Pod(
        pod=key,
        since=record.seq,
        until=FOREVER,
        uid=uid,
        node=node,
        requests=requests,
        priority=lane["priority"],
        lane=lane["lane"],
        attempts=lane.get("attempts", 0),
        entered=float(lane.get("since", 0.0)),
        backoff_until=None if backoff_until is None else float(backoff_until),
        plugins=encode_json(lane.get("plugins", [])),
        gate=lane.get("gate") or "",
        pod_group=group,
        owned_by=owned_by,
    )


def _write_nodes(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    """End the current versions of changed Nodes and insert the new ones."""
    ends: list[tuple[int, int, str, int]] = []
    open_versions: dict[str, NodeState | None] = {}
    rows = []
    for seq, key, version in _node_changes(cluster_id, records):
        before = open_versions.get(key)
        if before is not None:
            before.until = seq
        elif key not in open_versions:
            ends.append((seq, cluster_id, key, FOREVER))
        open_versions[key] = version
        if version is not None:
            rows.append(version)
    _end_versions(NodeState._meta.db_table, "name", ends)
    NodeState.objects.bulk_create(rows, BATCH)


def _end_versions(
    table: str, key_field: str, ends: list[tuple[int, int, str, int]], emptied: tuple[str, ...] = ()
) -> None:
    if ends:
        execute_for_rows(_end_statement(connection.vendor, table, key_field, emptied), ends)


@cache
def _end_statement(vendor: str, table: str, key_field: str, emptied: tuple[str, ...]) -> str:
    """Return a statement that ends many versions, each with its own end. It contains only internal names.

    `emptied` are text columns to empty.
    """
    quote = connection.ops.quote_name
    table, key, until = quote(table), quote(key_field), quote("until")
    empty = "".join(f", {quote(name)} = ''" for name in emptied)
    if vendor != "postgresql":
        condition = f"cluster_id = %s AND {key} = %s AND {until} = %s"
        return f"UPDATE {table} SET {until} = %s{empty} WHERE {condition}"  # noqa: S608
    rows = "UNNEST((%s)::bigint[], (%s)::bigint[], (%s)::varchar[], (%s)::bigint[]) AS ends (seq, cluster, key, was)"
    condition = f"cluster_id = ends.cluster AND {key} = ends.key AND {until} = ends.was"
    return f"UPDATE {table} SET {until} = ends.seq{empty} FROM {rows} WHERE {condition}"  # noqa: S608


def _batches(keys: list[str]) -> Iterable[list[str]]:
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))
