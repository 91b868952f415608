"""The pods of a cluster, tried one after the other by one version, while another is asked what it would have done."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.scheduler import CycleResult, Scheduler
from scheduler_core.framework.binding import run_bind, run_pre_bind, run_reserve, run_unreserve
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.queued_pod import QueuedPodInfo
from simulator.upgrade.vector_cluster import VectorCluster

Outcome = Literal["placed", "preempts", "unschedulable", "error", "gated", "ignored"]

# How often a pod is tried that others were evicted for.
MOST_TRIES = 3


@dataclass(slots=True)
class Answer:
    """What one version says to one pod: `gate` why it may not be tried, or the `cycle`; neither: no profile has it."""

    gate: str = ""
    gated_by: str = ""
    cycle: CycleResult | None = None

    @property
    def node(self) -> str | None:
        return None if self.cycle is None else self.cycle.node

    @property
    def outcome(self) -> Outcome:
        if self.cycle is None:
            return "gated" if self.gate else "ignored"
        if self.cycle.node is not None:
            return "placed"
        return "preempts" if self.cycle.nominated else "unschedulable" if self.cycle.status.is_rejected else "error"

    @property
    def message(self) -> str:
        return self.gate if self.cycle is None else self.cycle.message

    @property
    def would_do(self) -> list[str]:
        """The nodes that are as good to it as the one that it took."""
        if self.cycle is None or self.cycle.node is None:
            return []
        return self.cycle.attempt.ties or [self.cycle.node]


class TriedCluster(VectorCluster):
    """`objects` with a node run, the others are tried in the order of the queue. Ties go to the oldest node."""

    def __init__(self, objects: Iterable[KubeObject], config: SchedulerConfiguration, emulation: Emulation) -> None:
        super().__init__((), config, emulation)
        self._pending: list[Pod] = []
        for obj in objects:
            self.add(obj)
            if isinstance(obj, Pod) and not obj.node_name and not obj.finished:
                self._pending.append(obj)
        order = next(iter(self.scheduler.frameworks.values())).queue_sort[0]
        self._pending.sort(key=lambda pod: order.sort_key(QueuedPodInfo(pod, 0.0)))

    def beside(self, config: SchedulerConfiguration, emulation: Emulation) -> Scheduler:
        """Another version's scheduler over the same cluster."""
        return Scheduler(config, emulation.registry, self.scheduler.dependencies, (), emulation.traits)

    def pods(self) -> Iterator[Pod]:
        """Each in its turn; one that others were evicted for comes again at the end."""
        waiting, tries = list(self._pending), dict.fromkeys((pod.key for pod in self._pending), 0)
        while waiting:
            again: list[Pod] = []
            for pod in waiting:
                current = self.store.get("Pod", pod.key)
                if current is None or current.node_name:
                    continue
                tries[pod.key] += 1
                yield current
                current = self.store.get("Pod", pod.key)
                if current is not None and current.nominated_node_name and tries[pod.key] < MOST_TRIES:
                    again.append(pod)
            waiting = again

    def ask(self, scheduler: Scheduler, pod: Pod) -> Answer:
        """What a version does with the pod; nothing is written yet."""
        framework = scheduler.frameworks.get(pod.scheduler_name)
        if framework is None:
            return Answer()
        for plugin in framework.pre_enqueue:
            status = plugin.pre_enqueue(pod)
            if not status.is_success:
                return Answer(gate=status.message, gated_by=plugin.name)
        self.cache.update_snapshot()
        self.holds_updates = True
        cycle = scheduler.schedule(framework, pod, None)
        self.holds_updates = False
        return Answer(cycle=cycle)

    def forget(self) -> None:
        """What was asked is not done."""
        self._held_back.clear()
        self.cleared.clear()

    def carry_out(self, pod: Pod, answer: Answer, node: str | None = None) -> None:
        """Bind the pod, on another one of its best nodes if one is named, or evict for it."""
        cycle = answer.cycle
        if cycle is None:
            return
        if cycle.node is None:
            self.apply_preemption()
            self.after_failure(pod, cycle.nominated)
            return
        self.forget()
        chosen = node or cycle.node
        framework, state = self.scheduler.frameworks[pod.scheduler_name], cycle.attempt.state
        assumed = pod.with_node(chosen)
        self.cache.assume(assumed)
        status = run_reserve(framework, state, assumed, chosen, None)
        if status.is_success:
            status, _ = run_pre_bind(framework, state, assumed, chosen, None)
        if not status.is_success and not status.is_wait:  # what it waits for comes about: nobody is there to fail it
            run_unreserve(framework, state, assumed, chosen, None)
            self.cache.forget(assumed)
            return
        run_bind(framework, state, assumed, chosen, None)
        self.place(pod, chosen)

    def placements(self) -> dict[str, str | None]:
        """Where the pods are by now that waited at the beginning; None for those that still do, or were evicted."""
        found = {}
        for pod in self._pending:
            current = self.store.get("Pod", pod.key)
            found[pod.key] = None if current is None else current.node_name or None
        return found
