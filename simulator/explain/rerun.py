"""Dry run of a scheduling attempt on the current cluster, for a pod's last attempt or for one that never happened.

It runs PreFilter to SelectHost, and PostFilter if no node fits; evictions are computed but not carried out. Reserve,
Permit and binding are left out because their plugins change other pods and API objects.
"""

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.cycle.scheduler import CycleResult, Dependencies, Scheduler
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.extender import Extender
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.trace import Timing, Trace
from simulator.explain.complete import complete
from simulator.simulation.matrix import Matrix
from simulator.simulation.records import describe_attempt
from simulator.simulation.simulation import Simulation


class RerunError(ValueError):
    """Error for a pod that cannot be attempted; the text gives the reason."""


@dataclass(slots=True, frozen=True)
class Rerun:
    """Result of a dry-run attempt.

    `cycle` has the form of a record's `cycle` (docs/reference/commands-and-trace.md) and the next cycle's number.
    `context` is the input of the explainers; it is valid until the simulation changes. `complete` is the complete
    matrix, if requested. `timings` has one entry per step of the cycle, if the simulation has a clock.
    """

    context: AttemptContext
    result: CycleResult
    cycle: dict[str, Any]
    matrix: Matrix | None
    complete: Matrix | None = None
    timings: Sequence[Timing] = ()


class DryWriter:
    """A Writer that discards all writes."""

    def bind(self, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        """Discard the update."""

    def delete(self, obj: KubeObject) -> None:
        """Discard the deletion."""

    def time(self) -> float:
        return 0.0

    def name_for(self, prefix: str) -> str:
        return prefix

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        """Discard the eviction."""

    def clear_nomination(self, pod: Pod) -> None:
        """Leave the nomination."""

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """Discard the Event."""


def rerun(simulation: Simulation, pod_key: str, config: str | None = None, with_complete: bool = False) -> Rerun:
    """Return the result of an attempt for the pod in the current state, without changing the simulation.

    1. Find the pod; it may be anywhere in the queue.
    2. Build a scheduler for the other configuration, if one is passed.
    3. Schedule with a writer that discards all writes and a copy of the random generator.
    4. Describe the attempt as a record would.

    `pod_key` is `namespace/name`. `config` is a text as in `set_config`, "" for kube-scheduler's default. Equal states,
    pods and configurations give equal bytes, and the result that really follows if this pod is popped next. Raises
    RerunError and ConfigError.
    """
    cluster = simulation.cluster
    queued = cluster.queue.find(pod_key)
    pod = cluster.find_pod(pod_key) if queued is None else queued.pod
    if pod is None:
        raise RerunError(f"there is no pod {pod_key}")
    if pod.node_name:
        raise RerunError(f"pod {pod_key} has a node already: {pod.node_name}")
    if pod.terminating:
        raise RerunError(f"pod {pod_key} is being deleted: the scheduler passes it over")
    if cluster.cache.is_assumed(pod.uid):
        raise RerunError(f"pod {pod_key} has been given a node and waits for its binding")
    dependencies = dry_dependencies(simulation)
    if config is None:
        scheduler = cluster.scheduler
    else:
        scheduler = _scheduler_with_config(simulation, config, dependencies)
    framework = scheduler.frameworks.get(pod.scheduler_name)
    if framework is None:
        raise RerunError(f"no profile has the pod's schedulerName, {pod.scheduler_name!r}")
    with dry_run(scheduler, dependencies):
        complete_matrix = None
        if with_complete:
            complete_matrix = complete(scheduler.pods, framework, pod, scheduler.snapshot(), simulation.epoch)
        trace = Trace(simulation.clock)
        result = scheduler.run_scheduling_algorithm(framework, pod, trace)
    profile = next(profile for profile in scheduler.config.profiles if profile.scheduler_name == framework.name)
    attempt = PodAttempt(
        queued=QueuedPodInfo(pod, simulation.now, attempts=1 if queued is None else queued.attempts + 1),
        framework=framework,
        trace=trace,
        cycle=result,
        assumed=None if result.node is None else pod.with_node(result.node),
        status=result.status,
        message=result.message,
    )
    return Rerun(
        context=AttemptContext(profile, framework, result.attempt),
        result=result,
        cycle=describe_attempt(attempt, simulation.cycle + 1, simulation.epoch),
        matrix=Matrix.of_attempt(result.attempt, framework, simulation.epoch),
        complete=complete_matrix,
        timings=trace.timings,
    )


def next_pod(simulation: Simulation) -> str | None:
    """Return the key of the pod that `schedule_one` would pop now, None if the queues are empty."""
    queue = simulation.cluster.queue
    waiting = queue.active() or queue.backoff()
    return waiting[0].pod.key if waiting else None


def dry_dependencies(simulation: Simulation) -> Dependencies:
    """Return the scheduler's dependencies with a writer that discards writes and a copy of the random generator."""
    generator = random.Random()
    generator.setstate(simulation.cluster.random.getstate())
    return replace(simulation.cluster.scheduler.dependencies, writer=DryWriter(), pick=generator.randrange)


def _scheduler_with_config(simulation: Simulation, config: str, dependencies: Dependencies) -> Scheduler:
    cluster = simulation.cluster
    parsed = simulation.emulation.load(config or None, cluster.registry.points())
    extenders: Sequence[Extender] = cluster.make_extenders(parsed)
    current = cluster.scheduler
    scheduler = replace(
        current,
        config=parsed,
        dependencies=dependencies,
        extenders=extenders,
        frameworks={},
        waiting=dict(current.waiting),
    )
    scheduler.pods.next_start_node_index = current.pods.next_start_node_index
    return scheduler


@contextmanager
def dry_run(scheduler: Scheduler, dependencies: Dependencies) -> Iterator[None]:
    """Give the scheduler other dependencies within the context.

    The plugins stay the same because some keep state about pods that wait at Permit.
    """
    before = scheduler.dependencies, scheduler.pods, scheduler.to_activate
    pods = copy.copy(scheduler.pods)
    pods.pick = dependencies.pick
    scheduler.dependencies, scheduler.pods, scheduler.to_activate = dependencies, pods, {}
    try:
        yield
    finally:
        scheduler.dependencies, scheduler.pods, scheduler.to_activate = before
