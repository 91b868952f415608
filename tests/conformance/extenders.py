"""Run an extender case (FORMAT section 5): the requests to a scripted extender, and the effect of its answers."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from kube_objects.parse import parse_pod
from kube_objects.pod import Pod
from scheduler_core.cycle.extend import run_extender_bind
from scheduler_core.cycle.schedule_pod import Attempt
from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.extender import build_extenders
from scheduler_core.framework.binding import run_bind, run_pre_bind, run_reserve, run_unreserve
from scheduler_core.framework.diagnosis import node_diagnosis
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.status import Code
from simulator.upgrade.vector_cluster import VectorCluster, load_config
from tests.conformance.sampling import attempt_pod, sampling_fields
from tests.conformance.scripted_extender import ScriptedExtenders
from tests.conformance.traces import failure, plugin_status_json, post_filter

Result = dict[str, Any]


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Result:
    """Return the engine's answers in the form of `expected`."""
    config = load_config(scenario["config"], emulation)
    pods = [parse_pod(manifest) for manifest in scenario["pending"]]
    scripted = ScriptedExtenders(scenario["extenders"], config.extenders, {pod.key: pod.labels for pod in pods})
    cluster = VectorCluster(scenario["objects"], config, emulation, build_extenders(config, scripted))
    expected: Result = {
        "name": scenario["name"],
        "snapshots": [{"before": 0, "order": cluster.scheduler.snapshot().names}],
    }
    expected["pods"] = [_try_pod(cluster, scripted, pod) for pod in pods]
    if scenario.get("retry"):
        results = zip(pods, expected["pods"], strict=True)
        nominated = [pod for pod, result in results if result.get("postFilter", {}).get("nominatedNode")]
        if nominated:
            expected["retries"] = [_try_pod(cluster, scripted, cluster.current(pod)) for pod in nominated]
    return expected


def _try_pod(cluster: VectorCluster, scripted: ScriptedExtenders, pod: Pod) -> Result:
    cycle = attempt_pod(cluster, pod)
    attempt = cycle.attempt
    result: Result = {"pod": pod.key, "profile": pod.scheduler_name, **sampling_fields(attempt)}
    if cycle.status.code == Code.ERROR:  # then nothing is told of single nodes
        result.pop("nominatedNodeFailed", None)
    result["feasible"] = [] if attempt.feasible is None else attempt.feasible.names
    result |= _statuses(cycle) | _scores(attempt)
    if cycle.node is not None:
        result |= _place(cluster, pod, cycle)
    else:
        result["selected"] = None
        result |= failure(cycle) | post_filter(cluster, pod, cycle)
    return result | _without_empty(
        {
            # Upstream's calls to prioritize run at the same time, and are listed by extender.
            "calls": scripted.taken("filter") + sorted(scripted.taken("prioritize"), key=itemgetter("extender")),
            "postFilterCalls": scripted.taken("preempt"),
            "bindCalls": scripted.taken("bind"),
        }
    )


def _statuses(cycle: CycleResult) -> Result:
    attempt = cycle.attempt
    if not attempt.pre_filter.status.is_success or cycle.status.code == Code.ERROR:
        return {}
    statuses = attempt.diagnosis.statuses
    return _without_empty(
        {"status": {name: plugin_status_json(statuses[name]) for name in statuses if statuses.has(name)}}
    )


def _scores(attempt: Attempt) -> Result:
    if attempt.totals is None or attempt.feasible is None:
        return {}
    names = attempt.feasible.names
    total = dict(zip(names, attempt.totals.tolist(), strict=True))
    extenders = {
        scores.extender: {name: scores.contributed[name] for name in names if name in scores.contributed}
        for scores in attempt.extender_scores
    }
    added = {name: sum(scores.get(name, 0) for scores in extenders.values()) for name in names}
    return {
        "pluginTotal": {name: total[name] - added[name] for name in names},
        **_without_empty({"extenderScores": _without_empty(extenders)}),
        "total": total,
        "ties": sorted(set(attempt.ties)),
    }


def _place(cluster: VectorCluster, pod: Pod, cycle: CycleResult) -> Result:
    """Run Reserve, PreBind, and the binding by an extender or the profile's Bind plugins."""
    assert cycle.node is not None
    framework, state, node = cluster.scheduler.frameworks[pod.scheduler_name], cycle.attempt.state, cycle.node
    result: Result = {"selected": node}
    assumed = pod.with_node(node)
    cluster.cache.assume(assumed)
    status = run_reserve(framework, state, assumed, node, None)
    if status.is_success:
        run_pre_bind(framework, state, assumed, node, None)
        bound = run_extender_bind(cluster.scheduler.extenders, assumed, node, None)
        bound = run_bind(framework, state, assumed, node, None) if bound is None else bound
        if bound.is_success:
            cluster.place(pod, node)
            return result
        result |= {"bindError": bound.message, "message": bound.message}
    else:
        diagnosis = node_diagnosis(node, status)
        result |= {
            "reserve": plugin_status_json(status),
            "message": diagnosis.message if status.is_rejected else status.message,
        }
        result |= _without_empty({"unschedulablePlugins": sorted(diagnosis.unschedulable_plugins)})
    run_unreserve(framework, state, assumed, node, None)
    cluster.cache.forget(assumed)
    cluster.after_failure(pod, cluster.scheduler.nomination_after_failure)
    return result


def _without_empty(fields: Mapping[str, Any]) -> Result:
    return {name: value for name, value in fields.items() if value}
