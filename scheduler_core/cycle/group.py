"""PodGroupCycle: one scheduling cycle for the pods of a group, all tried on one snapshot before any of them is bound.

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
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trace import Trace

SCHEDULED = "PodGroupScheduled"
UNSCHEDULABLE = "pod group is unschedulable"
WAITING = "pod group is waiting for preemption to complete"
ONE_SCHEDULER = 'all pods in a single pod group should have the same .spec.schedulerName set, got: "{}" and "{}"'
OTHER_FAILED = "failed to schedule other pod from a pod group: {}"


@dataclass(slots=True)
class MemberResult:
    """The result of the scheduling algorithm for one member.

    `permit` is the status of Reserve and Permit; it is set if the member has a `node`, where it fits now or after
    evictions.
    """

    attempt: PodAttempt
    status: Status
    node: str | None = None
    nominated: str | None = ""
    permit: Status | None = None
    preempts: bool = False


class PodGroupCycle:
    """One scheduling cycle of a pod group. The caller runs its steps:

    1. `try_next`, for each member in `rest`: find a node, and assume the member there for the members after it.
    2. `submit`: undo all of that; place the members for good if the group is schedulable, else return them to the
       queue.
    3. `finish_next`, for each member in `to_finish`: run its binding cycle.
    """

    def __init__(self, runner: AttemptRunner, first: QueuedPodInfo) -> None:
        self._runner = runner
        self._cluster = runner.scheduler.dependencies
        pod = first.pod
        self.namespace, self.name = pod.namespace, pod.scheduling_group
        self.key = f"{self.namespace}/{self.name}"
        self.status = Status.unschedulable(UNSCHEDULABLE)
        self.waits_for_preemption = False
        self.condition: PodCondition | None = None
        self.tried: list[MemberResult] = []
        self.submitted = False
        self.members = self._pop_members(first)
        self.rest = deque(self.members)
        self.to_finish: deque[PodAttempt] = deque()
        self.ended: deque[PodAttempt] = deque()
        self._preempts = False
        self._group_state: dict[str, Any] = {}  # plugin → its state for this group, valid until the cycle ends
        self._framework, error = self._members_framework()
        if error:
            self.status = Status.error(error)
        self._cluster.cache.update_snapshot()

    def _pop_members(self, first: QueuedPodInfo) -> list[QueuedPodInfo]:
        """Pop the other members from the queue; order all by priority and arrival. Source: podGroupInfoForPod."""
        known = self._cluster.cache.pod_groups.get(self.namespace, self.name)
        members = [first]
        for pod in known.unscheduled_pods() if known is not None else ():
            if pod.name != first.pod.name and (other := self._runner.queue.pop_with_group(pod)) is not None:
                members.append(other)
        return sorted(members, key=lambda queued: (-queued.pod.priority, queued.initial_attempt or 0.0))

    def _members_framework(self) -> tuple[ProfileFramework, str]:
        """Return the members' profile, and an error message if their schedulerNames differ."""
        name = self.rest[0].pod.scheduler_name
        other = next((each.pod.scheduler_name for each in self.rest if each.pod.scheduler_name != name), name)
        return self._runner.scheduler.frameworks[name], "" if other == name else ONE_SCHEDULER.format(name, other)

    def find(self, uid: str) -> QueuedPodInfo | None:
        """Return the member with this uid, in whichever step it is."""
        return next((queued for queued in self.members if queued.pod.uid == uid), None)

    # Step 1: try each member

    def try_next(self, trace: Trace | None) -> PodAttempt:
        """Try to schedule the next member beside those before it.

        Returns its attempt; an `error` in it means what it means for `AttemptRunner.schedule_one`.
        """
        queued = self.rest.popleft()
        framework = self._runner.scheduler.frameworks[queued.pod.scheduler_name]
        attempt = PodAttempt(queued, framework, trace, group=self.key)
        try:
            with self._with_group_state():
                self._try_member(attempt)
        except PASSED_ON:
            raise
        except Exception as error:
            attempt.error = error
        return attempt

    @contextmanager
    def _with_group_state(self) -> Iterator[None]:
        """Give plugins access to the group's state (`Handle.group`) while a step runs."""
        scheduler = self._runner.scheduler
        scheduler.group = self._group_state
        try:
            yield
        finally:
            scheduler.group = None

    def _try_member(self, attempt: PodAttempt) -> None:
        queued = attempt.queued
        if self.status.code != Code.ERROR and self._runner.skip_pod_schedule(queued.pod):
            attempt.skipped = True
            self._runner.queue.done(queued.pod.uid)
            return
        if self.status.code == Code.ERROR:
            tried = MemberResult(attempt, self.status)
        else:
            tried = self._run_algorithm(attempt)
            self._update_status(tried)
        self.tried.append(tried)
        attempt.status = tried.permit if tried.permit is not None and tried.status.is_success else tried.status
        if attempt.status.is_success:  # the member waits for the result of the whole group
            attempt.status = Status(Code.WAIT)
        attempt.message = "" if attempt.status.is_wait else tried.status.message

    def _run_algorithm(self, attempt: PodAttempt) -> MemberResult:
        """Find a node for the member; assume, reserve and permit it there. Source: podGroupPodSchedulingAlgorithm."""
        cycle = attempt.cycle = self._runner.scheduler.run_scheduling_algorithm(
            attempt.framework, attempt.queued.pod, attempt.trace
        )
        status, node = cycle.status, cycle.node
        if status.is_rejected:
            _set_rejectors(attempt, cycle.attempt.diagnosis)
        if node is None:
            if not cycle.nominated:
                return MemberResult(attempt, status, nominated=cycle.nominated)
            node = cycle.nominated
        permit = self._assume_until_submit(attempt, node)
        if permit.is_success or permit.is_wait:
            return MemberResult(attempt, status, node, cycle.nominated, permit, preempts=cycle.node is None)
        self._unreserve_and_forget(attempt)
        if permit.is_rejected:
            diagnosis = node_diagnosis(node, permit)
            _set_rejectors(attempt, diagnosis)
            permit = replace(permit, reasons=(diagnosis.message,))
        return MemberResult(attempt, permit)

    def _assume_until_submit(self, attempt: PodAttempt, node: str) -> Status:
        """Assume the member on the node until `submit`; return the status of Reserve and Permit."""
        pod = attempt.assumed = attempt.queued.pod.with_node(node)
        self._cluster.cache.hold(pod)
        self._runner.queue.remove_nomination(pod)
        if attempt.trace is not None:
            attempt.trace.add("Assume", data={"node": node})
        status = run_reserve(attempt.framework, attempt.state, pod, node, attempt.trace)
        if not status.is_success:
            return status
        return run_permit(attempt.framework, attempt.state, pod, node, attempt.trace)[0]

    def _unreserve_and_forget(self, attempt: PodAttempt) -> None:
        """Undo `_assume_until_submit`, and restore the nomination. Source: unreserveAndForget."""
        pod = attempt.assumed
        assert pod is not None
        run_unreserve(attempt.framework, attempt.state, pod, pod.node_name, attempt.trace)
        self._cluster.cache.forget(pod)
        attempt.assumed = None
        if pod.nominated_node_name:
            self._runner.queue.nominate(pod, pod.nominated_node_name)

    def _update_status(self, tried: MemberResult) -> None:
        """Update the group's status by a member's result. Source: podGroupSchedulingDefaultAlgorithm."""
        if tried.permit is None:
            if not tried.status.is_rejected:
                self.status = Status.error(OTHER_FAILED.format(tried.status.message))
                self.waits_for_preemption = False
            return
        self._preempts = self._preempts or tried.preempts
        if tried.permit.is_success:
            self.waits_for_preemption = self._preempts
            self.status = Status.unschedulable(UNSCHEDULABLE, WAITING) if self._preempts else SUCCESS

    # Steps 2 and 3: submit the results and bind

    def submit(self, new_trace: Callable[[], Trace | None]) -> None:
        """Place the members that have a node for good, or send all members back to the queue.

        Afterwards `ended` holds the attempts whose result differs from the one that `try_next` returned.
        Source: submitPodGroupAlgorithmResult.
        """
        self.submitted = True
        with self._with_group_state():
            for tried in reversed(self.tried):
                if tried.attempt.assumed is not None:
                    tried.attempt.trace = None
                    self._unreserve_and_forget(tried.attempt)
            self._cluster.cache.end_holds()
            for tried in self.tried:
                result = tried.attempt.status, tried.attempt.message
                if self._submit_member(tried, new_trace):
                    self.to_finish.append(tried.attempt)
                elif (tried.attempt.status, tried.attempt.message) != result:
                    self.ended.append(tried.attempt)
        if self.tried:
            self._write_condition()

    def _submit_member(self, tried: MemberResult, new_trace: Callable[[], Trace | None]) -> bool:
        """Submit one member's result; return True if the member goes on to its binding cycle."""
        attempt = tried.attempt
        has_room = tried.status.is_success and tried.permit is not None
        if self.status.code == Code.ERROR:
            own = tried.status if tried.status.code == Code.ERROR else self.status
            self._fail_with_group(attempt, own, "")
        elif has_room and self.status.is_success:
            assert tried.node is not None
            attempt.trace = new_trace()
            return self._runner.place_member(attempt, tried.node)
        elif has_room and self.waits_for_preemption:
            self._fail_with_group(attempt, self.status, tried.node)
        elif tried.permit is not None and not self.waits_for_preemption:
            self._fail_with_group(attempt, Status.unschedulable(UNSCHEDULABLE, tried.permit.message), "")
        else:
            self._runner.handle_scheduling_failure(attempt, tried.status, tried.status.message, tried.nominated)
        return False

    def _fail_with_group(self, attempt: PodAttempt, status: Status, nominated: str | None) -> None:
        """Fail the member for the group's status, which no plugin of its own caused."""
        attempt.rejected_by, attempt.pending_on = set(), set()
        self._runner.handle_scheduling_failure(attempt, status, status.message, nominated)

    def _write_condition(self) -> None:
        if self.status.is_success:
            condition = PodCondition(SCHEDULED, "True", "Scheduled")
        else:
            reason = "Unschedulable" if self.status.is_rejected else "SchedulerError"
            condition = PodCondition(SCHEDULED, "False", reason, self.status.message)
        self.condition = condition
        self._runner.writer.mark_group(self.key, condition)

    def finish_next(self) -> PodAttempt | None:
        """Run the binding cycle of the next placed member; return None if it still waits at Permit."""
        return self._runner.finish_member(self.to_finish.popleft())


def _set_rejectors(attempt: PodAttempt, diagnosis: Diagnosis) -> None:
    attempt.rejected_by, attempt.pending_on = diagnosis.unschedulable_plugins, diagnosis.pending_plugins
