"""Trial cluster: one version schedules the pods, and another version can be asked about each pod in the same state."""

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

TrialOutcome = Literal["placed", "preempts", "unschedulable", "error", "gated", "ignored"]

# Number of attempts for a pod that preempts others.
MOST_TRIES = 3


@dataclass(slots=True)
class VersionAnswer:
    """One version's answer for a pod: `gate` is why it may not be tried, or `cycle` is the result.

    Both are missing if no profile schedules the pod.
    """

    gate: str = ""
    gated_by: str = ""
    cycle: CycleResult | None = None

    @property
    def node(self) -> str | None:
        return None if self.cycle is None else self.cycle.node

    @property
    def outcome(self) -> TrialOutcome:
        if self.cycle is None:
            return "gated" if self.gate else "ignored"
        if self.cycle.node is not None:
            return "placed"
        return "preempts" if self.cycle.nominated else "unschedulable" if self.cycle.status.is_rejected else "error"

    @property
    def message(self) -> str:
        return self.gate if self.cycle is None else self.cycle.message

    @property
    def best_nodes(self) -> list[str]:
        """Return the nodes that are as good for this version as its own choice."""
        if self.cycle is None or self.cycle.node is None:
            return []
        return self.cycle.attempt.ties or [self.cycle.node]


class TrialCluster(VectorCluster):
    """A cluster whose pending pods are tried in queue order; pods with a node run.

    Ties go to the oldest node.
    """

    def __init__(self, objects: Iterable[KubeObject], config: SchedulerConfiguration, emulation: Emulation) -> None:
        super().__init__((), config, emulation)
        self._pending: list[Pod] = []
        for obj in objects:
            self.add(obj)
            if isinstance(obj, Pod) and not obj.node_name and not obj.finished:
                self._pending.append(obj)
        order = next(iter(self.scheduler.frameworks.values())).queue_sort[0]
        self._pending.sort(key=lambda pod: order.sort_key(QueuedPodInfo(pod, 0.0)))

    def other_scheduler(self, config: SchedulerConfiguration, emulation: Emulation) -> Scheduler:
        """Return another version's scheduler for the same cluster."""
        return Scheduler(config, emulation.registry, self.scheduler.dependencies, (), emulation.traits)

    def pods(self) -> Iterator[Pod]:
        """Yield each pending pod in its turn; a pod that preempted others comes again at the end."""
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

    def ask(self, scheduler: Scheduler, pod: Pod) -> VersionAnswer:
        """Return a version's answer for the pod, without writing anything yet."""
        framework = scheduler.frameworks.get(pod.scheduler_name)
        if framework is None:
            return VersionAnswer()
        for plugin in framework.pre_enqueue:
            status = plugin.pre_enqueue(pod)
            if not status.is_success:
                return VersionAnswer(gate=status.message, gated_by=plugin.name)
        self.cache.update_snapshot()
        self.holds_updates = True
        cycle = scheduler.run_scheduling_algorithm(framework, pod, None)
        self.holds_updates = False
        return VersionAnswer(cycle=cycle)

    def forget(self) -> None:
        """Discard the writes of the last `ask`."""
        self._held_back.clear()
        self.cleared.clear()

    def carry_out(self, pod: Pod, answer: VersionAnswer, node: str | None = None) -> None:
        """Bind the pod to `node` or to the version's choice, or evict pods for it."""
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
        if not status.is_success and not status.is_wait:  # A pod that waits counts as bound.
            run_unreserve(framework, state, assumed, chosen, None)
            self.cache.forget(assumed)
            return
        run_bind(framework, state, assumed, chosen, None)
        self.place(pod, chosen)

    def placements(self) -> dict[str, str | None]:
        """Return the nodes of the pods that were pending at the beginning; None for pending and evicted ones."""
        nodes = {}
        for pod in self._pending:
            current = self.store.get("Pod", pod.key)
            nodes[pod.key] = None if current is None else current.node_name or None
        return nodes
