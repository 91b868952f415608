"""The cache debugger: compares the engine's cache with the stored objects, and dumps cache and queue.

The engine is rebuilt as by a worker that takes the cluster over. The stored side is read as of the same record, so a
run need not stop. Source: pkg/scheduler/backend/cache/debugger.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.pod import Pod
from playground.engine import loaded_clusters
from playground.models import Cluster, ClusterObject
from playground.objects import node_reads
from playground.store.versions import pods_at
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.queued_pod import QueuedPodInfo
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.records import lane_of

IGNORED = "ignored"


def debug(cluster: Cluster) -> dict[str, Any]:
    """Return `{cluster, revision, agrees, compare, nodes, queue}`."""
    stored = _object_keys(cluster.pk)
    cluster.refresh_from_db()
    engine = loaded_clusters.load_at(cluster, cluster.revision).simulation.cluster
    compared = {
        **_compare_nodes(engine, cluster),
        **_compare_pods(engine, cluster),
        **(_compare_objects(engine, stored) if _object_keys(cluster.pk) == stored else {}),
    }
    return {
        "cluster": cluster.pk,
        "revision": cluster.revision,
        "agrees": not any(compared.values()),
        "compare": compared,
        "nodes": [_node(view, engine) for view in Nodes(engine.cache.table)],
        "queue": _queue(engine),
    }


def _object_keys(cluster_id: int) -> tuple[int, set[tuple[str, str]]]:
    """Return the cluster's revision, and the kinds and keys of the stored objects."""
    revision = Cluster.objects.values_list("revision", flat=True).get(pk=cluster_id)
    return revision, set(ClusterObject.objects.filter(cluster_id=cluster_id).values_list("kind", "key"))


def _compare_objects(engine: SimulatedCluster, stored: tuple[int, set[tuple[str, str]]]) -> dict[str, list[str]]:
    """Compare the objects. The caller does so only if the cluster didn't change, because past objects aren't stored."""
    known = {(obj.kind, obj.key) for obj in engine.store}
    return {
        "missedObjects": [f"{kind} {key}" for kind, key in sorted(stored[1] - known)],
        "redundantObjects": [f"{kind} {key}" for kind, key in sorted(known - stored[1])],
    }


def _compare_nodes(engine: SimulatedCluster, cluster: Cluster) -> dict[str, Any]:
    stored = node_reads.read_nodes(cluster.pk, cluster.revision)
    view = Nodes(engine.cache.table)
    rows = {name: i for i, name in enumerate(view.names)}
    differences = []
    columns = {"allocatable": stored["allocatable"], "requested": stored["requested"]}
    cached = {
        **{("allocatable", name): view.allocatable(name).tolist() for name in stored["resources"]},
        **{("requested", name): view.requested(name).tolist() for name in stored["resources"] if name != "pods"},
        ("requested", "pods"): view.pod_count.tolist(),
    }
    for i, node in enumerate(stored["names"]):
        if node not in rows:
            continue
        for (column, resource), values in cached.items():
            there, here = columns[column][resource][i], values[rows[node]]
            if there != here:
                differences.append({"node": node, "field": f"{column}.{resource}", "stored": there, "cached": here})
    return {
        "missedNodes": sorted(set(stored["names"]) - set(rows)),
        "redundantNodes": sorted(set(rows) - set(stored["names"])),
        "nodeDifferences": differences,
    }


def _compare_pods(engine: SimulatedCluster, cluster: Cluster) -> dict[str, Any]:
    """Compare the Pods, except those of other schedulers, which cache and queue ignore."""
    columns = pods_at(cluster.pk, cluster.revision).exclude(lane=IGNORED).values_list("uid", "pod", "node", "lane")
    stored = {uid: (pod, node, lane) for uid, pod, node, lane in columns}
    cached = _known_pods(engine)
    differences = []
    for uid, (pod, node, lane) in stored.items():
        if uid in cached:
            counted = engine.cache.get(uid)
            here = (lane_of(engine, pod)["lane"], "" if counted is None else counted.node_name)
            if (lane, node) != here:
                differences.append({"pod": pod, "stored": [lane, node], "cached": list(here)})
    return {
        "missedPods": sorted(stored[uid][0] for uid in stored.keys() - cached.keys()),
        "redundantPods": sorted(cached[uid] for uid in cached.keys() - stored.keys()),
        "podDifferences": differences,
    }


def _known_pods(engine: SimulatedCluster) -> dict[str, str]:
    """Return UID → key of the Pods in the cache, in the queue, and at Permit (which the cache counts)."""
    queued = {entry.pod.uid: entry.pod.key for entries in _lanes(engine).values() for entry in entries}
    assigned = {pod.uid: pod.key for pod in engine.store.list("Pod") if pod.uid in engine.cache}
    on_nodes = {pod.uid: pod.key for view in Nodes(engine.cache.table) for pod in view.pods}
    return {**queued, **assigned, **on_nodes}


def _lanes(engine: SimulatedCluster) -> Mapping[str, list[QueuedPodInfo]]:
    queue = engine.queue
    waiting = queue.unschedulable()
    return {
        "active": queue.active(),
        "backoff": queue.backoff(),
        "errorBackoff": queue.error_backoff(),
        "unschedulable": [entry for entry in waiting if not entry.gated],
        "gated": [entry for entry in waiting if entry.gated],
    }


def _node(view: NodeView, engine: SimulatedCluster) -> dict[str, Any]:
    resources = sorted(view.node.allocatable)
    dumped: dict[str, Any] = {
        "name": view.name,
        "requested": {name: view.requested(name) for name in resources if name != "pods"},
        "allocatable": {name: view.allocatable(name) for name in resources},
        "pods": [_pod(pod, engine) for pod in view.pods],
    }
    nominated = engine.nominated_pods(view.name)
    return dumped | ({"nominated": [_pod(pod, engine) for pod in nominated]} if nominated else {})


def _pod(pod: Pod, engine: SimulatedCluster) -> dict[str, Any]:
    dumped: dict[str, Any] = {"pod": pod.key, "uid": pod.uid, "phase": pod.phase}
    if pod.nominated_node_name:
        dumped["nominatedNode"] = pod.nominated_node_name
    return dumped | ({"assumed": True} if engine.cache.is_assumed(pod.uid) else {})


def _queue(engine: SimulatedCluster) -> dict[str, Any]:
    lanes = _lanes(engine)
    active, backing_off = len(lanes["active"]), len(lanes["backoff"]) + len(lanes["errorBackoff"])
    rest = len(lanes["unschedulable"]) + len(lanes["gated"])
    return {
        "summary": f"activeQ:{active}; backoffQ:{backing_off}; unschedulablePods:{rest}",
        **{lane: list(_queued(entries, engine)) for lane, entries in lanes.items()},
        "waiting": [waiting.pod.key for waiting in engine.scheduler.waiting.values()],
    }


def _queued(entries: Iterable[QueuedPodInfo], engine: SimulatedCluster) -> Iterable[dict[str, Any]]:
    for entry in entries:
        plugins = sorted(entry.unschedulable_plugins | entry.pending_plugins)
        yield _pod(entry.pod, engine) | {"attempts": entry.attempts, "plugins": plugins}
