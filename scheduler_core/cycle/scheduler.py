"""Scheduler: the profiles over one cache, and the scheduling algorithm with PostFilter.

Source: pkg/scheduler/scheduler.go, pkg/scheduler/schedule_one.go schedulingCycle.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.pod_groups import PodGroups
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.schedule_pod import Attempt, PodScheduler, new_attempt
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import FitError, NoNodesError, SchedulingError
from scheduler_core.framework.extender import Extender
from scheduler_core.framework.filtering import run_add_pod, run_remove_pod
from scheduler_core.framework.handle import Lister, PodNominator, Writer
from scheduler_core.framework.interface import PostFilterResult
from scheduler_core.framework.nominated_pods import own_states, run_filters_with_nominated_pods
from scheduler_core.framework.post_filter import run_post_filter
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.framework.traits import V1_34_TRAITS, Traits
from scheduler_core.framework.waiting import PreBindWaitingPod, WaitingPod


@dataclass(slots=True)
class Dependencies:
    """The parts of the cluster that a scheduler uses and doesn't own. `now` is virtual time in seconds.

    `pick(n)` breaks ties: it returns the position of one of n candidates, ordered by their nodes' creation.
    `in_flight` maps uids of pods that are being bound to the objects that plugins will write for them.
    """

    cache: Cache
    lister: Lister
    writer: Writer
    nominator: PodNominator
    now: Callable[[], float]
    pick: Callable[[int], int]
    in_flight: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class CycleResult:
    """The result of a pod's scheduling algorithm.

    `status` is Success with a `node`, a rejection, or an Error; `nominated` as in PostFilterResult.
    """

    attempt: Attempt
    status: Status
    node: str | None = None
    message: str = ""
    nominated: str | None = None
    post_filter: PostFilterResult | None = None


@dataclass(slots=True)
class Scheduler:
    """One framework per profile. It is rebuilt when the configuration changes; cache and queue outlive it."""

    config: SchedulerConfiguration
    registry: Registry
    dependencies: Dependencies
    extenders: Sequence[Extender] = ()
    traits: Traits = V1_34_TRAITS
    frameworks: dict[str, ProfileFramework] = field(default_factory=dict)
    waiting: dict[str, WaitingPod] = field(default_factory=dict)
    to_activate: dict[str, Pod] = field(default_factory=dict)
    group: dict[str, Any] | None = None
    activate: Callable[[Iterable[Pod]], None] = field(default=lambda pods: None)
    pods: PodScheduler = field(init=False)

    def __post_init__(self) -> None:
        self.config = self.traits.finish_config(self.config)
        percentage = self.config.percentage_of_nodes_to_score or 0
        self.pods = PodScheduler(percentage, self.extenders, self.dependencies.pick)
        for profile in self.config.profiles:
            self.frameworks[profile.scheduler_name] = ProfileFramework(
                profile, self.registry, lambda name: SchedulerHandle(name, self), self.traits
            )

    def snapshot(self) -> Nodes:
        """Return all nodes in visiting order."""
        return Nodes(self.dependencies.cache.table, self.dependencies.cache.order)

    def run_scheduling_algorithm(self, framework: ProfileFramework, pod: Pod, trace: Trace | None) -> CycleResult:
        """Run `schedule_pod`, and PostFilter if no node fits. The pod is not assumed yet.

        Source: schedulingAlgorithm.
        """
        attempt = new_attempt(pod, self.snapshot(), self.pods.next_start_node_index)
        try:
            node = self.pods.schedule_pod(framework, trace, attempt)
        except NoNodesError as error:
            status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (str(error),))
            return CycleResult(attempt, status, message=str(error), nominated=self.nomination_after_failure)
        except SchedulingError as error:
            return CycleResult(
                attempt, Status.error(str(error)), message=str(error), nominated=self.nomination_after_failure
            )
        except FitError as error:
            return self._post_filter(framework, pod, trace, attempt, error)
        return CycleResult(attempt, SUCCESS, node)

    @property
    def nomination_after_failure(self) -> str | None:
        """Return the nomination that a failed attempt without preemption sets: "" clears it, None keeps it."""
        return "" if self.traits.failure_clears_nomination else None

    def _post_filter(
        self, framework: ProfileFramework, pod: Pod, trace: Trace | None, attempt: Attempt, error: FitError
    ) -> CycleResult:
        result = None
        nominated = "" if self.traits.rejection_clears_nomination else None
        if framework.post_filter:
            result = run_post_filter(framework, attempt.state, pod, attempt.diagnosis.statuses, trace)
            if self.traits.failure_text_by_phase:
                attempt.diagnosis.post_filter_message = result.status.message
            nominated = result.nominated_node
        message = str(error)
        return CycleResult(attempt, Status.unschedulable(message), None, message, nominated, result)


class SchedulerHandle:
    """The Handle that the plugins of one profile get."""

    def __init__(self, profile_name: str, scheduler: Scheduler) -> None:
        self.profile_name = profile_name
        self._scheduler = scheduler

    @property
    def nodes(self) -> Nodes:
        return Nodes(self._scheduler.dependencies.cache.table)

    @property
    def visited(self) -> Nodes:
        return self._scheduler.snapshot()

    @property
    def lister(self) -> Lister:
        return self._scheduler.dependencies.lister

    @property
    def writer(self) -> Writer:
        return self._scheduler.dependencies.writer

    @property
    def in_flight(self) -> dict[str, Any]:
        return self._scheduler.dependencies.in_flight

    @property
    def group(self) -> dict[str, Any] | None:
        return self._scheduler.group

    @property
    def nominator(self) -> PodNominator:
        return self._scheduler.dependencies.nominator

    @property
    def extenders(self) -> Sequence[Extender]:
        return self._scheduler.extenders

    @property
    def now(self) -> float:
        return self._scheduler.dependencies.now()

    @property
    def filters(self) -> "SchedulerHandle":
        return self

    def pick(self, count: int) -> int:
        return self._scheduler.dependencies.pick(count)

    def choose(self, candidates: Sequence[str]) -> str:
        ordered = sorted(candidates, key=self._scheduler.dependencies.cache.table.rows.__getitem__)
        return ordered[self.pick(len(ordered))]

    def activate(self, pods: Iterable[Pod]) -> None:
        self._scheduler.to_activate.update((pod.key, pod) for pod in pods)

    def activate_now(self, pods: Iterable[Pod]) -> None:
        self._scheduler.activate(pods)

    @property
    def pod_groups(self) -> PodGroups:
        return self._scheduler.dependencies.cache.pod_groups

    def waiting_pods(self) -> list[WaitingPod]:
        return [pod for pod in self._scheduler.waiting.values() if not isinstance(pod, PreBindWaitingPod)]

    # FilterRunner: the profile's own filters, for preemption

    @property
    def _framework(self) -> ProfileFramework:
        return self._scheduler.frameworks[self.profile_name]

    def own_states(self, state: CycleState, count: int) -> list[CycleState]:
        return own_states(self._framework, [state] * count)

    def run_filters_with_nominated_pods(self, states: Sequence[CycleState], pod: Pod, nodes: Nodes) -> Sequence[Status]:
        return run_filters_with_nominated_pods(self._framework, states, pod, nodes)

    def run_pre_filter_add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        return run_add_pod(self._framework, state, pod, added, node)

    def run_pre_filter_remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        return run_remove_pod(self._framework, state, pod, removed, node)
