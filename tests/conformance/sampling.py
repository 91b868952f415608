"""Run a sampling case (FORMAT section 4), and the production trace (section 6), which is a long one."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cycle.schedule_pod import Attempt
from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.framework.emulation import Emulation
from simulator.upgrade.vector_cluster import VectorCluster, load_config
from tests.conformance.traces import failure, plugin_status_json, post_filter

Result = dict[str, Any]


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Result:
    """Return the engine's answers in the form of `expected`."""
    cluster = VectorCluster(scenario["objects"], load_config(scenario["config"], emulation), emulation)
    changes = {change["before"]: change for change in scenario.get("nodeChanges") or ()}
    snapshots = [{"before": 0, "order": cluster.scheduler.snapshot().names}] if 0 not in changes else []
    results = []
    for i, manifest in enumerate(scenario["pending"]):
        if i in changes:
            change = changes[i]
            for name in change.get("delete") or ():
                cluster.remove_node(name)
            for node in change.get("add") or ():
                cluster.add(parse_object(node))
            snapshots.append({"before": i, "order": cluster.scheduler.snapshot().names})
        pod = parse_object(manifest)
        assert isinstance(pod, Pod)
        results.append(_try_pod(cluster, pod))
    return {"name": scenario["name"], "snapshots": snapshots, "pods": results}


def attempt_pod(cluster: VectorCluster, pod: Pod) -> CycleResult:
    """Run one attempt; the caller applies its effects."""
    cluster.store.put(pod)
    cluster.cache.update_snapshot()
    return cluster.scheduler.run_scheduling_algorithm(cluster.scheduler.frameworks[pod.scheduler_name], pod, None)


def _try_pod(cluster: VectorCluster, pod: Pod) -> Result:
    cycle = attempt_pod(cluster, pod)
    attempt = cycle.attempt
    result: Result = {"pod": pod.key, "profile": pod.scheduler_name, **sampling_fields(attempt)}
    feasible = attempt.feasible
    order = np.arange(0 if feasible is None else len(feasible))
    if feasible is not None and attempt.pre_filter.status.is_success:
        if attempt.pre_filter.node_names is not None:
            order = np.argsort(feasible.row_numbers)
        result |= {"feasible": feasible.take(order).names, "processed": attempt.processed}
    rejected = rejections(attempt)
    if rejected:
        result["rejected"] = rejected
    if attempt.totals is not None:
        result |= {"totals": attempt.totals[order].tolist(), "ties": sorted(attempt.ties)}
    result["selected"] = cycle.node
    if cycle.node is not None:
        cluster.place(pod, cycle.node)
    else:
        result |= failure(cycle)
        cluster.after_failure(pod, cycle.nominated)
    return result


def sampling_fields(attempt: Attempt) -> Result:
    """Return `start`, `next`, `toFind`, and the results of PreFilter and of the nominated node."""
    result: Result = {"start": attempt.start, "next": attempt.next_start}
    outcome, nominated = attempt.pre_filter, attempt.pod.nominated_node_name
    if attempt.to_find is not None:
        result["toFind"] = attempt.to_find
    if not outcome.status.is_success:
        if outcome.status.is_rejected:
            result["preFilterStatus"] = plugin_status_json(outcome.status)
    elif outcome.node_names is not None:
        result["preFilterNodes"] = sorted(outcome.node_names)
    if nominated and outcome.status.is_success:
        result["nominatedNodeUsed" if attempt.nominated_node_used else "nominatedNodeFailed"] = nominated
    return result


def rejections(attempt: Attempt) -> dict[str, int]:
    """Return `"plugin: reason, reason"` → number of nodes with that failure status."""
    merged: Counter[str] = Counter()
    for status, nodes in attempt.diagnosis.statuses.tally().items():
        merged[f"{status.plugin}: {status.message}"] += nodes
    return dict(merged)


def run_production(scenario: Mapping[str, Any], emulation: Emulation) -> Result:
    """Run a whole trace of pods; return the answers in the shorter form of section 6."""
    cluster = VectorCluster(scenario["objects"], load_config(scenario["config"], emulation), emulation)
    results = list(_production_pods(cluster, scenario["pending"]))
    placed = sum(result["selected"] is not None for result in results)
    return {"name": scenario["name"], "placed": placed, "pods": results}


def _production_pods(cluster: VectorCluster, pending: Iterable[Mapping[str, Any]]) -> Iterable[Result]:
    for manifest in pending:
        pod = parse_object(manifest)
        assert isinstance(pod, Pod)
        cycle = attempt_pod(cluster, pod)
        attempt = cycle.attempt
        result: Result = {
            "pod": pod.key,
            "start": attempt.start,
            "processed": attempt.processed,
            "feasible": 0 if attempt.feasible is None else len(attempt.feasible),
            "best": None if attempt.totals is None else int(attempt.totals.max()),
            "ties": len(attempt.ties),
            "selected": cycle.node,
        }
        optional = {"message": cycle.message, "rejected": rejections(attempt)}
        yield result | {name: value for name, value in optional.items() if value}
        if cycle.node is not None:
            cluster.place(pod, cycle.node)
        else:
            post_filter(cluster, pod, cycle)


def comparable_production(expected: Mapping[str, Any]) -> Result:
    """Return the expectation without `ties` if nothing was scored, because the two recordings differ there."""
    pods = [pod if pod["best"] is not None else {**pod, "ties": None} for pod in expected["pods"]]
    return dict(expected) | {"pods": pods}
