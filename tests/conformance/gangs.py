"""Run a gang case (v1.36 FORMAT, `gang`): the queue after every step, and every cycle of pods and of pod groups."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_objects.parse import parse_object
from scheduler_core.cycle.group import MemberResult, PodGroupCycle
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.emulations import emulation_of
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import Status
from scheduler_core.framework.trace import Trace
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.timeline import no_extenders
from simulator.upgrade.vector_cluster import load_config
from tests.conformance.traces import without_empty

Fields = dict[str, Any]
# At most so many cycles in one step.
CUT = 12
_TICK = 1e-6


class _FirstOfTies(random.Random):
    def randrange(self, *args: Any, **options: Any) -> int:
        return 0


class _Cluster(SimulatedCluster):
    """A cluster whose clock never returns a time twice, and which records the failure handler's nominations."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.random = _FirstOfTies()
        self.attempts.scheduler.dependencies.pick = self.random.randrange
        self.scheduler.pods.pick = self.random.randrange
        self.nominations: dict[str, str] = {}

    @property
    def now(self) -> float:
        self._ticks += _TICK
        return self._ticks

    @now.setter
    def now(self, time: float) -> None:
        self._ticks = time

    def mark_unschedulable(self, pod: Any, reason: str, message: str, nominated: str | None) -> None:
        if nominated is not None:
            self.nominations[pod.key] = nominated
        super().mark_unschedulable(pod, reason, message, nominated)


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Fields:
    """Return the engine's answers in the form of `expected`."""
    script = _Script(scenario, emulation_of(emulation.version, scenario["gates"]))
    return {"name": scenario["name"], "steps": [script.step(step) for step in scenario["steps"]]}


class _Script:
    def __init__(self, scenario: Mapping[str, Any], emulation: Emulation) -> None:
        config = load_config(scenario["config"], emulation)
        self._cluster = _Cluster(config, emulation.registry, no_extenders, emulation.traits)
        self._seconds = 0
        for manifest in scenario["objects"]:
            self._cluster.put(parse_object(manifest))
        self._steps: Mapping[str, Callable[[Mapping[str, Any]], Fields]] = {
            "add": self._add,
            "delete": self._delete,
            "advance": self._advance,
            "schedule": self._schedule,
        }

    def step(self, step: Mapping[str, Any]) -> Fields:
        done = self._steps[step["op"]](step)
        return {"op": step["op"]} | done | {"queue": self._queue()}

    def _add(self, step: Mapping[str, Any]) -> Fields:
        for manifest in step["objects"]:
            self._cluster.put(parse_object(manifest))
        return {}

    def _delete(self, step: Mapping[str, Any]) -> Fields:
        name = step["name"]
        found = self._cluster.store.get(step["kind"], name) or self._cluster.store.get(step["kind"], f"default/{name}")
        if found is not None:
            self._cluster.delete(found)
        return {}

    def _advance(self, step: Mapping[str, Any]) -> Fields:
        self._seconds += step["seconds"]
        self._cluster.now = self._seconds
        self._cluster.queue.advance_to(self._seconds)
        return {}

    def _schedule(self, step: Mapping[str, Any]) -> Fields:
        cluster = self._cluster
        cycles: list[Fields] = []
        while cluster.queue.active() and len(cycles) < CUT:
            cluster.nominations.clear()
            queued = cluster.queue.pop()
            assert queued is not None
            cluster.hold_evictions()
            if cluster.traits.pod_groups and queued.pod.scheduling_group:
                cycles.append(self._group_cycle(queued))
            else:
                attempt = cluster.attempts.schedule_one(queued, Trace())
                cluster.release_evictions()
                cycles.append({"pods": [self._fields_of(MemberResult(attempt, attempt.status))]})
        running = {pod.key: pod.node_name for pod in cluster.store.list("Pod") if pod.node_name}
        cut = {"cut": True} if cluster.queue.active() else {}
        return without_empty({"cycles": cycles, "running": dict(sorted(running.items()))}) | cut

    def _group_cycle(self, queued: QueuedPodInfo) -> Fields:
        cluster = self._cluster
        group = PodGroupCycle(cluster.attempts, queued)
        while group.rest:
            group.try_next(Trace())
        group.submit(Trace)
        while group.to_finish:
            group.finish_next()
        cluster.release_evictions()
        found = cluster.store.get("PodGroup", group.key)
        condition = next((one for one in found.conditions), None) if found is not None else None
        fields = [self._fields_of(tried) for tried in group.tried]
        shown = None if condition is None else {name: getattr(condition, name) for name in _CONDITION}
        return {"podGroup": group.key, "pods": fields} | ({"condition": shown} if shown else {})

    def _fields_of(self, tried: MemberResult) -> Fields:
        attempt, pod = tried.attempt, tried.attempt.queued.pod
        cycle = attempt.cycle
        found = None if cycle is None else cycle.attempt
        fields: Fields = {"pod": pod.key, "feasible": [], "suggested": None, "node": None}
        if found is not None and found.feasible is not None:
            order = sorted(found.feasible.row_numbers.tolist())
            fields["feasible"] = [self._cluster.cache.table.nodes[row].name for row in order]
            if len(found.ties):
                fields["ties"] = sorted(found.ties)
        if cycle is not None:
            fields["suggested"] = cycle.node
            if cycle.post_filter is not None and cycle.nominated:
                fields["preemptOn"] = cycle.nominated
                fields["victims"] = list((cycle.post_filter.detail or {}).get("victims", []))
        if attempt.group and tried.permit is not None:
            fields["permit"] = _status(tried.permit)
        if attempt.permit is not None:
            fields["permitAtBinding"] = _status(attempt.permit)
        return fields | self._outcome(attempt)

    def _outcome(self, attempt: PodAttempt) -> Fields:
        key = attempt.queued.pod.key
        if attempt.status.is_success:
            return {"outcome": "bound", "node": attempt.assumed.node_name if attempt.assumed else None}
        fields: Fields = {"outcome": "unschedulable" if attempt.status.is_rejected else "error"}
        fields["message"] = attempt.message
        if attempt.rejected_by:
            fields["unschedulablePlugins"] = sorted(attempt.rejected_by)
        if key in self._cluster.nominations:
            fields["nominatedNode"] = self._cluster.nominations[key]
        return fields

    def _queue(self) -> Fields:
        queue = self._cluster.queue

        def names(pods: Sequence[QueuedPodInfo]) -> list[str]:
            return [queued.pod.key for queued in pods]

        waiting = sorted(queue.unschedulable(), key=lambda queued: queued.pod.key)
        errors = sorted(queue.error_backoff(), key=lambda queued: (queued.backoff_expiry, queued.pod.key))
        gated = {}
        for queued in waiting:
            plugins = self._cluster.scheduler.frameworks[queued.pod.scheduler_name].pre_enqueue
            statuses = {plugin.name: plugin.pre_enqueue(queued.pod) for plugin in plugins}
            refused = {name: _status(status) for name, status in statuses.items() if not status.is_success}
            if refused:
                gated[queued.pod.key] = refused
        found = {
            "activeQ": names(queue.active()),
            "backoffQ": names(queue.backoff()),
            "errorBackoffQ": names(errors),
            "unschedulable": names(waiting),
        }
        return found | ({"preEnqueue": gated} if gated else {})


_CONDITION = ("status", "reason", "message")


def _status(status: Status) -> Fields:
    return {"code": status.code.upstream_name, "reasons": list(status.reasons)}
