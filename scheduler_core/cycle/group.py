"""GroupCycle: one scheduling cycle for the pods of a group, all tried on one snapshot before any of them is bound.

Each member that finds room is assumed for those after it; Permit says whether enough of them have. Then all of that is
taken back: the members are placed again for good if the group can be scheduled, and return to the queue if not.

Source: pkg/scheduler/schedule_one_podgroup.go (v1.36), without placements and workload-aware preemption (their gates
are off).
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kube_objects.defects import PASSED_ON
from kube_objects.pod import PodCondition
from scheduler_core.cycle.schedule_one import AttemptRunner, PodAttempt
from scheduler_core.framework.binding import run_permit, run_reserve, run_unreserve
from scheduler_core.framework.diagnosis import Diagnosis, node_diagnosis
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.queued_pod import QueuedPod
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trace import Trace

SCHEDULED = "PodGroupScheduled"
UNSCHEDULABLE = "pod group is unschedulable"
WAITING = "pod group is waiting for preemption to complete"
ONE_SCHEDULER = 'all pods in a single pod group should have the same .spec.schedulerName set, got: "{}" and "{}"'
OTHER_FAILED = "failed to schedule other pod from a pod group: {}"


@dataclass(slots=True)
class Tried:
    """What came of one member. `permit` is given if it has a `node`: where it fits, or will after evictions."""

    attempt: PodAttempt
    status: Status
    node: str | None = None
    nominated: str | None = ""
    permit: Status | None = None
    preempts: bool = False


class GroupCycle:
    """`waiting_for` members are tried one by one (`try_next`), then `submit` decides, then `finish_next` binds."""

    def __init__(self, runner: AttemptRunner, first: QueuedPod) -> None:
        self._runner = runner
        self._cluster = runner.scheduler.dependencies
        pod = first.pod
        self.namespace, self.name = pod.namespace, pod.scheduling_group
        self.key = f"{self.namespace}/{self.name}"
        self.status = Status.unschedulable(UNSCHEDULABLE)
        self.waits_for_preemption = False
        self.condition: PodCondition | None = None
        self.tried: list[Tried] = []
        self.submitted = False
        self.members = self._with_others(first)
        self.rest = deque(self.members)
        self.to_finish: deque[PodAttempt] = deque()
        self.ended: deque[PodAttempt] = deque()
        self._preempts = False
        self._remembered: dict[str, Any] = {}  # by plugins, for as long as no member is on its way to its binding
        self._framework, error = self._one_framework()
        if error:
            self.status = Status.error(error)
        self._cluster.cache.update_snapshot()

    def _with_others(self, first: QueuedPod) -> list[QueuedPod]:
        """Source: podGroupInfoForPod."""
        known = self._cluster.cache.pod_groups.get(self.namespace, self.name)
        members = [first]
        for pod in known.unscheduled_pods() if known is not None else ():
            if pod.name != first.pod.name and (other := self._runner.queue.pop_with_group(pod)) is not None:
                members.append(other)
        return sorted(members, key=lambda queued: (-queued.pod.priority, queued.initial_attempt or 0.0))

    def _one_framework(self) -> tuple[ProfileFramework, str]:
        """The profile of the members, and what is wrong if they have several."""
        name = self.rest[0].pod.scheduler_name
        other = next((each.pod.scheduler_name for each in self.rest if each.pod.scheduler_name != name), name)
        return self._runner.scheduler.frameworks[name], "" if other == name else ONE_SCHEDULER.format(name, other)

    def find(self, uid: str) -> QueuedPod | None:
        """The member, wherever it is in the cycle."""
        return next((queued for queued in self.members if queued.pod.uid == uid), None)

    # The members one by one

    def try_next(self, trace: Trace | None) -> PodAttempt:
        """Try whether there is room for the next member beside those before it; see `schedule_one` for its `error`."""
        queued = self.rest.popleft()
        framework = self._runner.scheduler.frameworks[queued.pod.scheduler_name]
        attempt = PodAttempt(queued, framework, trace, group=self.key)
        try:
            with self._at_work():
                self._try_next(attempt)
        except PASSED_ON:
            raise
        except Exception as error:
            attempt.error = error
        return attempt

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        scheduler = self._runner.scheduler
        scheduler.group = self._remembered
        try:
            yield
        finally:
            scheduler.group = None

    def _try_next(self, attempt: PodAttempt) -> None:
        queued = attempt.queued
        if self.status.code != Code.ERROR and self._runner.skips(queued.pod):
            attempt.skipped = True
            self._runner.queue.done(queued.pod.uid)
            return
        if self.status.code == Code.ERROR:
            tried = Tried(attempt, self.status)
        else:
            tried = self._try(attempt)
            self._count(tried)
        self.tried.append(tried)
        attempt.status = tried.permit if tried.permit is not None and tried.status.is_success else tried.status
        if attempt.status.is_success:  # it is not bound before the whole group is
            attempt.status = Status(Code.WAIT)
        attempt.message = "" if attempt.status.is_wait else tried.status.message

    def _try(self, attempt: PodAttempt) -> Tried:
        """Source: podGroupPodSchedulingAlgorithm."""
        cycle = attempt.cycle = self._runner.scheduler.schedule(attempt.framework, attempt.queued.pod, attempt.trace)
        status, node = cycle.status, cycle.node
        if status.is_rejected:
            _blame(attempt, cycle.attempt.diagnosis)
        if node is None:
            if not cycle.nominated:
                return Tried(attempt, status, nominated=cycle.nominated)
            node = cycle.nominated
        permit = self._hold(attempt, node)
        if permit.is_success or permit.is_wait:
            return Tried(attempt, status, node, cycle.nominated, permit, preempts=cycle.node is None)
        self._let_go(attempt)
        if permit.is_rejected:
            diagnosis = node_diagnosis(node, permit)
            _blame(attempt, diagnosis)
            permit = replace(permit, reasons=(diagnosis.message,))
        return Tried(attempt, permit)

    def _hold(self, attempt: PodAttempt, node: str) -> Status:
        """Assume the member on the node, for the rest of the cycle; what Reserve and Permit say."""
        pod = attempt.assumed = attempt.queued.pod.with_node(node)
        self._cluster.cache.hold(pod)
        self._runner.queue.remove_nomination(pod)
        if attempt.trace is not None:
            attempt.trace.add("Assume", data={"node": node})
        status = run_reserve(attempt.framework, attempt.state, pod, node, attempt.trace)
        if not status.is_success:
            return status
        return run_permit(attempt.framework, attempt.state, pod, node, attempt.trace)[0]

    def _let_go(self, attempt: PodAttempt) -> None:
        """Undo `_hold`, the removal of the nomination too. Source: unreserveAndForget."""
        pod = attempt.assumed
        assert pod is not None
        run_unreserve(attempt.framework, attempt.state, pod, pod.node_name, attempt.trace)
        self._cluster.cache.forget(pod)
        attempt.assumed = None
        if pod.nominated_node_name:
            self._runner.queue.nominate(pod, pod.nominated_node_name)

    def _count(self, tried: Tried) -> None:
        """What the member means for the group. Source: podGroupSchedulingDefaultAlgorithm."""
        if tried.permit is None:
            if not tried.status.is_rejected:
                self.status = Status.error(OTHER_FAILED.format(tried.status.message))
                self.waits_for_preemption = False
            return
        self._preempts = self._preempts or tried.preempts
        if tried.permit.is_success:
            self.waits_for_preemption = self._preempts
            self.status = Status.unschedulable(UNSCHEDULABLE, WAITING) if self._preempts else SUCCESS

    # What becomes of them

    def submit(self, new_trace: Callable[[], Trace | None]) -> None:
        """Members that found room are placed for good, or sent back with all others.

        `ended` are those of which more is known now than when they were tried.

        Source: submitPodGroupAlgorithmResult.
        """
        self.submitted = True
        with self._at_work():
            for tried in reversed(self.tried):
                if tried.attempt.assumed is not None:
                    tried.attempt.trace = None
                    self._let_go(tried.attempt)
            self._cluster.cache.end_holds()
            for tried in self.tried:
                last = tried.attempt.status, tried.attempt.message
                if self._submit(tried, new_trace):
                    self.to_finish.append(tried.attempt)
                elif (tried.attempt.status, tried.attempt.message) != last:
                    self.ended.append(tried.attempt)
        if self.tried:
            self._write_condition()

    def _submit(self, tried: Tried, new_trace: Callable[[], Trace | None]) -> bool:
        """Whether the member goes on to its binding."""
        attempt = tried.attempt
        has_room = tried.status.is_success and tried.permit is not None
        if self.status.code == Code.ERROR:
            own = tried.status if tried.status.code == Code.ERROR else self.status
            self._send_back(attempt, own, "")
        elif has_room and self.status.is_success:
            assert tried.node is not None
            attempt.trace = new_trace()
            return self._runner.place_member(attempt, tried.node)
        elif has_room and self.waits_for_preemption:
            self._send_back(attempt, self.status, tried.node)
        elif tried.permit is not None and not self.waits_for_preemption:
            self._send_back(attempt, Status.unschedulable(UNSCHEDULABLE, tried.permit.message), "")
        else:
            self._runner.fail(attempt, tried.status, tried.status.message, tried.nominated)
        return False

    def _send_back(self, attempt: PodAttempt, status: Status, nominated: str | None) -> None:
        """For what befell the group: no plugin is to blame."""
        attempt.rejected_by, attempt.pending_on = set(), set()
        self._runner.fail(attempt, status, status.message, nominated)

    def _write_condition(self) -> None:
        if self.status.is_success:
            condition = PodCondition(SCHEDULED, "True", "Scheduled")
        else:
            reason = "Unschedulable" if self.status.is_rejected else "SchedulerError"
            condition = PodCondition(SCHEDULED, "False", reason, self.status.message)
        self.condition = condition
        self._runner.writer.mark_group(self.key, condition)

    def finish_next(self) -> PodAttempt | None:
        """Bind the next member that was placed; None for one that goes on waiting at Permit."""
        return self._runner.finish_member(self.to_finish.popleft())


def _blame(attempt: PodAttempt, diagnosis: Diagnosis) -> None:
    attempt.rejected_by, attempt.pending_on = diagnosis.unschedulable_plugins, diagnosis.pending_plugins
