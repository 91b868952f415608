"""Run an attempt again, or one that never was, on the cluster as it is; the cluster does not notice.

From PreFilter to SelectHost, and PostFilter if no node fits: evictions are decided, not carried out. Reserve, Permit
and binding are left out, as their plugins act on other pods and on the API server.
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
    """There is no such attempt; the text says why."""


@dataclass(slots=True, frozen=True)
class Rerun:
    """`cycle` is in the form of a record's `cycle` (docs/trace_format.md), numbered as the next one.

    `scene` is for the explainers; it holds until something is written to the simulation. `complete` is the matrix of
    all plugins on all nodes, if it was asked for. `timings` has one entry for each of the cycle's steps, if the
    simulation has a clock.
    """

    scene: AttemptContext
    result: CycleResult
    cycle: dict[str, Any]
    matrix: Matrix | None
    complete: Matrix | None = None
    timings: Sequence[Timing] = ()


class DryWriter:
    """A Writer that writes nothing."""

    def bind(self, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        """Nothing is written."""

    def delete(self, obj: KubeObject) -> None:
        """Nothing is deleted."""

    def time(self) -> float:
        return 0.0

    def name_for(self, prefix: str) -> str:
        return prefix

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        """Nobody is evicted."""

    def clear_nomination(self, pod: Pod) -> None:
        """Nominations stay."""

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """No Event is made."""


def rerun(simulation: Simulation, pod_key: str, config: str | None = None, with_complete: bool = False) -> Rerun:
    """What an attempt for the pod would do now. `pod_key` is `namespace/name`; the pod may be anywhere in the queue.

    Under another configuration (its text as in `set_config`, "" for kube-scheduler's default) the result
    is that of `set_config` and an attempt. The same state, pod and configuration give the same bytes, and what really
    happens next if the pod is the next one to be popped. Raises RerunError and ConfigError.
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
    dependencies = dry_surroundings(simulation)
    if config is None:
        scheduler = cluster.scheduler
    else:
        scheduler = _other_scheduler(simulation, config, dependencies)
    framework = scheduler.frameworks.get(pod.scheduler_name)
    if framework is None:
        raise RerunError(f"no profile has the pod's schedulerName, {pod.scheduler_name!r}")
    with dry(scheduler, dependencies):
        everything = None
        if with_complete:
            everything = complete(scheduler.pods, framework, pod, scheduler.snapshot(), simulation.epoch)
        trace = Trace(simulation.clock)
        result = scheduler.schedule(framework, pod, trace)
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
        scene=AttemptContext(profile, framework, result.attempt),
        result=result,
        cycle=describe_attempt(attempt, simulation.cycle + 1, simulation.epoch),
        matrix=Matrix.of(result.attempt, framework, simulation.epoch),
        complete=everything,
        timings=trace.timings,
    )


def next_pod(simulation: Simulation) -> str | None:
    """Key of the pod that `schedule_one` would take if it came now, None with empty queues."""
    queue = simulation.cluster.queue
    waiting = queue.active() or queue.backoff()
    return waiting[0].pod.key if waiting else None


def dry_surroundings(simulation: Simulation) -> Dependencies:
    """The cluster's own, but nothing is written and ties are drawn from a copy of the generator."""
    drawn = random.Random()
    drawn.setstate(simulation.cluster.random.getstate())
    return replace(simulation.cluster.scheduler.dependencies, writer=DryWriter(), pick=drawn.randrange)


def _other_scheduler(simulation: Simulation, config: str, dependencies: Dependencies) -> Scheduler:
    cluster = simulation.cluster
    parsed = simulation.emulation.load(config or None, cluster.registry.points())
    extenders: Sequence[Extender] = cluster.make_extenders(parsed)
    before = cluster.scheduler
    other = replace(
        before,
        config=parsed,
        dependencies=dependencies,
        extenders=extenders,
        frameworks={},
        waiting=dict(before.waiting),
    )
    other.pods.next_start_node_index = before.pods.next_start_node_index
    return other


@contextmanager
def dry(scheduler: Scheduler, dependencies: Dependencies) -> Iterator[None]:
    """Let the scheduler and its plugins meet `around` for a while.

    The plugins stay the same, since some of them remember what they promised to pods that wait at Permit.
    """
    before = scheduler.dependencies, scheduler.pods, scheduler.to_activate
    pods = copy.copy(scheduler.pods)
    pods.pick = dependencies.pick
    scheduler.dependencies, scheduler.pods, scheduler.to_activate = dependencies, pods, {}
    try:
        yield
    finally:
        scheduler.dependencies, scheduler.pods, scheduler.to_activate = before
