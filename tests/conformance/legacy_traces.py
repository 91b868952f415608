"""Run a trace case recorded from v1.20.2 (legacy FORMAT section 1): every field of `expected`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kube_objects.meta import KubeObject
from kube_objects.parse import read_object
from kube_objects.pod import Pod
from kube_objects.read import Problems
from kube_objects.text.problems import ObjectError
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.cycle.search import filter_nodes
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Status
from scheduler_core.legacy.build import build
from scheduler_core.legacy.objects import with_current_api_version
from simulator.upgrade.vector_cluster import VectorCluster
from tests.conformance.policies import source_of
from tests.conformance.traces import (
    all_nodes,
    each_pre_filter_and_filter,
    failure,
    place,
    plugin_status_json,
    post_filter,
    score_fields,
    without_empty,
)

Result = dict[str, Any]


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Result:
    """Return the engine's answers in the form of `expected`."""
    # Objects reach the scheduler by namespace and name: the order of pods on a node matters to ServiceAffinity.
    objects = sorted(scenario["objects"], key=_namespace_and_name)
    config = all_nodes(build(source_of(scenario)).config)
    cluster = VectorCluster(objects, config, emulation, read=_read)
    pods = [pod for manifest in scenario["pending"] if isinstance(pod := _read(manifest), Pod)]
    results = [_try_pod(cluster, pod) for pod in pods]
    expected: Result = {"name": scenario["name"], "pods": results}
    if scenario.get("retry"):
        nominated = [
            pod for pod, result in zip(pods, results, strict=True) if result.get("postFilter", {}).get("nominatedNode")
        ]
        if nominated:
            expected["retries"] = [_try_pod(cluster, cluster.current(pod)) for pod in nominated]
    return expected


def _read(manifest: Mapping[str, Any]) -> KubeObject:
    """Return the object. No API server checked it, so problems with a readable object are ignored."""
    problems: Problems = []
    found = read_object(with_current_api_version(manifest), problems)
    if found is None:
        raise ObjectError(problems)
    return found


def _namespace_and_name(manifest: Mapping[str, Any]) -> tuple[str, str]:
    metadata = manifest["metadata"]
    return metadata.get("namespace") or "default", metadata["name"]


def _try_pod(cluster: VectorCluster, pod: Pod) -> Result:
    framework = cluster.scheduler.frameworks[pod.scheduler_name]
    result: Result = {"pod": pod.key, "profile": framework.name, "feasible": [], "selected": None}
    cluster.store.put(pod)
    cluster.cache.update_snapshot()
    cycle = cluster.scheduler.run_scheduling_algorithm(framework, pod, None)
    if len(cluster.cache.table):
        # The plugins one by one: before anything is written, so that they see what the attempt saw.
        each = each_pre_filter_and_filter(cluster, framework, pod, cycle.attempt.pre_filter.status.is_success)
        result |= _without_skips(each) | _filter_first(cluster, framework, pod, cycle)
    result |= score_fields(framework, cycle)
    if cycle.node is not None:
        return result | place(cluster, framework, pod, cycle)
    fields = failure(cycle) | post_filter(cluster, pod, cycle)
    fields.pop("unschedulablePlugins", None)  # not told of this version
    return result | fields


def _without_skips(each: Result) -> Result:
    """Return the answer without Skip and without PreFilter's choice of nodes, which this version lacks."""
    rejected = {
        plugin: {"code": status["code"], "reasons": status["reasons"]}
        for plugin, status in each.get("preFilter", {}).items()
    }
    return without_empty({"preFilter": rejected, "filter": each.get("filter")})


def _filter_first(cluster: VectorCluster, framework: ProfileFramework, pod: Pod, cycle: CycleResult) -> Result:
    outcome = cycle.attempt.pre_filter
    if not outcome.status.is_success:
        return {"preFilterStatus": plugin_status_json(outcome.status)} if outcome.status.is_rejected else {}
    nodes = Nodes(cluster.cache.table)
    found = filter_nodes(framework, cycle.attempt.state, pod, nodes)
    names = nodes.names
    first = {names[i]: _first(found.statuses[found.codes[i]]) for i in np.flatnonzero(found.codes).tolist()}
    return without_empty({"filterFirst": first})


def _first(status: Status) -> Result:
    """Return the first failure. With all filters run, `plugins` lists those that rejected the node."""
    others = {"plugins": [status.plugin, *status.others]} if status.others else {}
    return plugin_status_json(status) | others
