"""Run a trace case (FORMAT section 1): every field of `expected`, for every pod of the scenario."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.cycle.search import filter_nodes
from scheduler_core.framework.binding import run_bind, run_pre_bind, run_reserve, run_unreserve
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import node_diagnosis
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.filtering import call_filter, call_pre_filter
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Code, Status
from simulator.upgrade.vector_cluster import VectorCluster, load_config
from tests.conformance import claims

Result = dict[str, Any]


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Result:
    """Return the engine's answers in the form of `expected`."""
    cluster = VectorCluster(scenario["objects"], all_nodes(load_config(scenario["config"], emulation)), emulation)
    pods = [parse_object(manifest) for manifest in scenario["pending"]]
    results = [try_pod(cluster, pod) for pod in pods if isinstance(pod, Pod)]
    expected: Result = {"name": scenario["name"], "pods": results}
    if scenario.get("retry"):
        again = [pod for pod, result in zip(pods, results, strict=True) if isinstance(pod, Pod) and _is_retried(result)]
        if again:
            expected["retries"] = [try_pod(cluster, cluster.current(pod)) for pod in again]
    return expected


def _is_retried(result: Mapping[str, Any]) -> bool:
    nominated = result.get("postFilter", {}).get("nominatedNode")
    return bool(nominated or result.get("deallocated") or result.get("deletedClaims"))


def all_nodes(config: SchedulerConfiguration) -> SchedulerConfiguration:
    """Return the configuration with percentageOfNodesToScore 100, globally and in every profile."""
    profiles = tuple(dataclasses.replace(profile, percentage_of_nodes_to_score=100) for profile in config.profiles)
    return dataclasses.replace(config, percentage_of_nodes_to_score=100, profiles=profiles)


def try_pod(cluster: VectorCluster, pod: Pod) -> Result:
    result: Result = {"pod": pod.key, "feasible": [], "selected": None}
    framework = cluster.scheduler.frameworks.get(pod.scheduler_name)
    if framework is None:
        return result | {"error": f'profile not found for scheduler name "{pod.scheduler_name}"'}
    cluster.store.put(pod)
    result["profile"] = framework.name
    gates = {plugin.name: plugin.pre_enqueue(pod) for plugin in framework.pre_enqueue}
    rejected = {name: status_json(status) for name, status in gates.items() if not status.is_success}
    if rejected:
        return result | {"preEnqueue": rejected}
    cluster.cache.update_snapshot()
    cluster.holds_updates = True
    cycle = cluster.scheduler.run_scheduling_algorithm(framework, pod, None)
    cluster.holds_updates = False
    if cycle.node is not None and not framework.score and not cycle.attempt.nominated_node_used:
        _take_first_feasible(cluster, framework, pod, cycle)
    # The plugins one by one: before anything is written, so that they see what the attempt saw.
    if len(cluster.cache.table):
        result |= each_pre_filter_and_filter(cluster, framework, pod, cycle.attempt.pre_filter.status.is_success)
        result |= _filter_first(cluster, framework, pod, cycle)
    result |= score_fields(framework, cycle)
    if cycle.node is not None:
        result |= place(cluster, framework, pod, cycle)
    else:
        result |= failure(cycle)
        result |= post_filter(cluster, pod, cycle)
        result |= claims.deallocated(cycle.attempt.state)
    return result


def _take_first_feasible(cluster: VectorCluster, framework: ProfileFramework, pod: Pod, cycle: CycleResult) -> None:
    """Take the first feasible node. Without scoring the search ends at any one, but recordings hold all of them."""
    attempt = cycle.attempt
    nodes = Nodes(cluster.cache.table)
    if attempt.pre_filter.node_names is not None:
        nodes = nodes.take(nodes.named(attempt.pre_filter.node_names))
    attempt.feasible = nodes.take(filter_nodes(framework, attempt.state, pod, nodes).codes == 0)
    cycle.node = attempt.feasible[0].name


def status_json(status: Status) -> Result:
    return {"code": status.code.upstream_name, "reasons": list(status.reasons)}


def plugin_status_json(status: Status) -> Result:
    return {"plugin": status.plugin} | status_json(status)


def each_pre_filter_and_filter(
    cluster: VectorCluster, framework: ProfileFramework, pod: Pod, with_filters: bool
) -> Result:
    """Return each plugin's answers. `with_filters` is false if the attempt ended in PreFilter."""
    nodes = Nodes(cluster.cache.table)
    state = CycleState()
    answers: dict[str, Result] = {}
    skipped: list[str] = []
    rejected: set[str] = set()
    for plugin in framework.pre_filter:
        answer = call_pre_filter(plugin, state, pod, nodes)
        names = None if answer.node_names is None else sorted(answer.node_names)
        if answer.status.is_skip:
            skipped.append(plugin.name)
        elif not answer.status.is_success:
            rejected.add(plugin.name)
            answers[plugin.name] = status_json(answer.status) | {"nodeNames": None}
        elif names is not None:
            answers[plugin.name] = status_json(answer.status) | {"nodeNames": names}
    per_node: dict[str, dict[str, Result]] = {}
    for filter_plugin in framework.filter if with_filters else ():
        if filter_plugin.name not in rejected and filter_plugin.name not in skipped:
            verdicts = call_filter(filter_plugin, state, pod, nodes)
            for i in np.flatnonzero(verdicts.codes).tolist():
                per_node.setdefault(nodes[i].name, {})[filter_plugin.name] = status_json(verdicts.status(i))
    return without_empty({"preFilter": answers, "preFilterSkipped": sorted(skipped), "filter": per_node})


def _filter_first(cluster: VectorCluster, framework: ProfileFramework, pod: Pod, cycle: CycleResult) -> Result:
    outcome = cycle.attempt.pre_filter
    if not outcome.status.is_success:
        return {"preFilterStatus": plugin_status_json(outcome.status)} if outcome.status.is_rejected else {}
    result: Result = {}
    nodes = Nodes(cluster.cache.table)
    if outcome.node_names is not None:
        result["preFilterNodes"] = sorted(outcome.node_names)
        nodes = nodes.take(nodes.named([*outcome.node_names, pod.nominated_node_name]))
    found = filter_nodes(framework, cycle.attempt.state, pod, nodes)
    names = nodes.names
    first = {names[i]: plugin_status_json(found.statuses[found.codes[i]]) for i in np.flatnonzero(found.codes).tolist()}
    # An error of one node ends the attempt; the others have been looked at.
    feasible = {"feasible": [name for name, code in zip(names, found.codes, strict=True) if code == 0]}
    ended = cycle.status.code == Code.ERROR and cycle.attempt.feasible is None
    return result | without_empty({"filterFirst": first}) | (feasible if ended else {})


def score_fields(framework: ProfileFramework, cycle: CycleResult) -> Result:
    attempt = cycle.attempt
    result: Result = {}
    if attempt.nominated_node_used:
        result["nominatedNodeUsed"] = attempt.pod.nominated_node_name
    if attempt.feasible is None:
        return result
    order = np.argsort(attempt.feasible.row_numbers)
    names = attempt.feasible.take(order).names
    result["feasible"] = names
    if not framework.score:
        return result | ({"noScoring": True} if len(names) > 1 else {})
    if attempt.totals is None:
        return result
    result |= without_empty({"preScoreSkipped": sorted(attempt.state.skip_score_plugins)})
    columns: dict[str, dict[str, Result]] = {"raw": {}, "normalized": {}, "weighted": {}}
    scores = attempt.scores
    weighted = scores.normalized * np.array(scores.weights, np.int64)[:, None]
    for field, table in (("raw", scores.raw), ("normalized", scores.normalized), ("weighted", weighted)):
        for plugin, column in zip(scores.plugins, table[:, order].tolist(), strict=True):
            columns[field][plugin] = dict(zip(names, column, strict=True))
    return (
        result
        | without_empty(columns)
        | {
            "total": dict(zip(names, attempt.totals[order].tolist(), strict=True)),
            "ties": sorted(attempt.ties),
        }
    )


def place(cluster: VectorCluster, framework: ProfileFramework, pod: Pod, cycle: CycleResult) -> Result:
    """Run Reserve, PreBind and Bind; the pod runs on the node afterwards."""
    assert cycle.node is not None
    state = cycle.attempt.state
    assumed = pod.with_node(cycle.node)
    cluster.cache.assume(assumed)
    status = run_reserve(framework, state, assumed, cycle.node, None)
    volumes = _volumes(state, pod)
    if status.is_success:
        bound, _ = run_pre_bind(framework, state, assumed, cycle.node, None)
        if not bound.is_success:
            run_unreserve(framework, state, assumed, cycle.node, None)
            cluster.cache.forget(assumed)
            return {"selected": cycle.node, "message": bound.message, "schedulingError": bound.message}
        run_bind(framework, state, assumed, cycle.node, None)
        cluster.place(pod, cycle.node)
        given = claims.given(cluster.store, state)
        extended = claims.extended(state, cycle.node)
        return {"selected": cycle.node} | without_empty({"volumes": volumes, "claims": given}) | extended
    run_unreserve(framework, state, assumed, cycle.node, None)
    cluster.cache.forget(assumed)
    cluster.after_failure(pod, cluster.scheduler.nomination_after_failure)
    diagnosis = node_diagnosis(cycle.node, status)
    return {
        "selected": cycle.node,
        "reserve": plugin_status_json(status),
        "message": diagnosis.message if status.is_rejected else status.message,
    } | without_empty({"unschedulablePlugins": sorted(diagnosis.unschedulable_plugins)})


def _volumes(state: CycleState, pod: Pod) -> Result:
    """Return VolumeBinding's decision for the unbound claims; those to be provisioned in the pod's order."""
    decision = state.find("VolumeBinding")
    if decision is None:
        return {}
    decided = decision.decided()
    keys = [f"{pod.namespace}/{volume.claim_name}" for volume in pod.volumes]
    if "provision" in decided:
        decided["provision"].sort(key=keys.index)
    return without_empty(decided)


def failure(cycle: CycleResult) -> Result:
    result: Result = {"message": cycle.message}
    if cycle.status.code == Code.ERROR:
        return result | {"schedulingError": cycle.message}
    return result | without_empty({"unschedulablePlugins": sorted(cycle.attempt.diagnosis.unschedulable_plugins)})


def post_filter(cluster: VectorCluster, pod: Pod, cycle: CycleResult) -> Result:
    """Apply evictions and the nomination; return the decisions of the PostFilter plugins."""
    cluster.apply_preemption()
    cleared, cluster.cleared = cluster.cleared, []
    cluster.after_failure(pod, cycle.nominated)
    if cycle.post_filter is None:
        return {}
    outcome = cycle.post_filter
    detail = dict(outcome.detail or {}) if outcome.status.is_success else {}
    return {
        "postFilter": {
            "code": outcome.status.code.upstream_name,
            "message": outcome.status.message,
            "nominatedNode": outcome.nominated_node,
            "victims": sorted(detail.get("victims", [])),
        }
        | without_empty(
            {
                "candidates": detail.get("candidates"),
                "ties": detail.get("ties"),
                "clearedNominations": sorted(cleared),
            }
        )
    }


def without_empty(fields: Mapping[str, Any]) -> Result:
    return {name: value for name, value in fields.items() if value}
