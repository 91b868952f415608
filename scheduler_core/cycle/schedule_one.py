"""AttemptRunner: run one scheduling attempt, from a popped pod to its binding or its return to the queue.

Source: pkg/scheduler/schedule_one.go.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from kube_objects.defects import PASSED_ON
from kube_objects.pod import Pod, PodCondition
from scheduler_core.cycle.extend import run_extender_bind
from scheduler_core.cycle.scheduled_event import EVENT_REASON, EVENT_TYPE, scheduled_message
from scheduler_core.cycle.scheduler import CycleResult, Scheduler
from scheduler_core.framework.binding import (
    end_pre_bind,
    run_bind,
    run_permit,
    run_post_bind,
    run_pre_bind,
    run_reserve,
    run_unreserve,
)
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import node_diagnosis
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.framework.waiting import PreBindWaitingPod, WaitingPod
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE
from scheduler_core.queue.scheduling_queue import SchedulingQueue

# Events' notes are cut at the API server's limit (pkg/apis/core/validation NoteLengthLimit).
NOTE_LIMIT = 1024


class PodStatusWriter(Protocol):
    """The API server writes that an attempt itself makes."""

    def find_pod(self, key: str) -> Pod | None:
        """Return the stored pod with this `namespace/name`, or None."""

    def mark_unschedulable(self, pod: Pod, reason: str, message: str, nominated: str | None) -> None:
        """Set the pod's PodScheduled condition to False, and its nomination unless `nominated` is None."""

    def mark_group(self, key: str, condition: PodCondition) -> None:
        """Set a condition of the PodGroup, except from True to False."""

    def record(self, obj: Pod, type_: str, reason: str, message: str) -> None:
        """Record a Kubernetes Event about `obj`."""


@dataclass(slots=True)
class PodAttempt:
    """One attempt, from pop to its end.

    `status` is the whole attempt's; it is Wait while the pod waits in Permit or PreBind.
    """

    queued: QueuedPodInfo
    framework: ProfileFramework
    trace: Trace | None
    cycle: CycleResult | None = None
    assumed: Pod | None = None
    status: Status = SUCCESS
    message: str = ""
    skipped: bool = False
    permit: Status | None = None  # Permit's status when the pod was placed for good
    number: int = 0  # the number of its cycle in the trace
    group: str = ""  # `namespace/name` of the PodGroup that it was tried with
    error: Exception | None = None  # a bug in the engine ended the attempt
    rejected_by: set[str] = field(default_factory=set)
    pending_on: set[str] = field(default_factory=set)

    @property
    def state(self) -> CycleState:
        assert self.cycle is not None
        return self.cycle.attempt.state


class AttemptRunner:
    """The attempts of one scheduler and one queue.

    `waiting` maps uids to attempts that wait in Permit or PreBind.
    """

    def __init__(self, scheduler: Scheduler, queue: SchedulingQueue, writer: PodStatusWriter) -> None:
        self.scheduler = scheduler
        self.queue = queue
        self.writer = writer
        self.waiting: dict[str, PodAttempt] = {}
        scheduler.activate = queue.activate

    def schedule_one(self, queued: QueuedPodInfo, trace: Trace | None) -> PodAttempt:
        """Run the attempt of a pod that was just popped, and return it.

        1. `skip_pod_schedule`: end the attempt of a pod that is being deleted or is assumed already.
        2. `Scheduler.run_scheduling_algorithm`: find a node; without one, run PostFilter.
           `handle_scheduling_failure` then returns the pod to the queue.
        3. `_prepare_for_binding_cycle`: assume the pod on the node, then run Reserve and Permit.
        4. `_run_binding_cycle`: run PreBind, Bind and PostBind. A pod that waits continues in `finish_waiting`.

        If an exception ended the attempt, its `error` is set; the caller rebuilds the scheduler and returns the pod to
        the queue.
        """
        attempt = PodAttempt(queued, self.scheduler.frameworks[queued.pod.scheduler_name], trace)
        try:
            self._run_steps(attempt)
        except PASSED_ON:
            raise
        except Exception as error:
            attempt.error = error
        return attempt

    def _run_steps(self, attempt: PodAttempt) -> None:
        pod = attempt.queued.pod
        if self.skip_pod_schedule(pod):
            attempt.skipped = True
            self.queue.done(pod.uid)
            return
        self.scheduler.dependencies.cache.update_snapshot()
        cycle = attempt.cycle = self.scheduler.run_scheduling_algorithm(attempt.framework, pod, attempt.trace)
        if cycle.node is None:
            diagnosis = cycle.attempt.diagnosis
            if cycle.status.is_rejected:
                attempt.rejected_by = diagnosis.unschedulable_plugins
                attempt.pending_on = diagnosis.pending_plugins
            self.handle_scheduling_failure(attempt, cycle.status, cycle.message, cycle.nominated)
            return
        if self._prepare_for_binding_cycle(attempt, cycle.node) and pod.uid not in self.waiting:
            self._run_binding_cycle(attempt, cycle.node)

    def skip_pod_schedule(self, pod: Pod) -> bool:
        """Return True for a pod that is being deleted or is assumed already. Source: skipPodSchedule."""
        if pod.terminating:
            self.writer.record(pod, "Warning", "FailedScheduling", f"skip schedule deleting pod: {pod.key}")
            return True
        return self.scheduler.dependencies.cache.is_assumed(pod.uid)

    def place_member(self, attempt: PodAttempt, node: str) -> bool:
        """Place a group's member for good; return True if it will be bound, at once or after it waited at Permit."""
        return self._prepare_for_binding_cycle(attempt, node)

    def finish_member(self, attempt: PodAttempt) -> PodAttempt | None:
        """Run the binding cycle of a placed member; return None if it still waits at Permit."""
        assert attempt.assumed is not None
        uid = attempt.assumed.uid
        if uid not in self.waiting:
            self._run_binding_cycle(attempt, attempt.assumed.node_name)
            return attempt
        return None if self.scheduler.waiting[uid].decision is None else self.finish_waiting(uid, attempt.trace)

    def _prepare_for_binding_cycle(self, attempt: PodAttempt, node: str) -> bool:
        """Assume the pod, run Reserve and Permit; return False if one refused. Source: prepareForBindingCycle."""
        framework, trace = attempt.framework, attempt.trace
        attempt.assumed = attempt.queued.pod.with_node(node)
        self.scheduler.dependencies.cache.assume(attempt.assumed)
        self.queue.remove_nomination(attempt.assumed)
        if trace is not None:
            trace.add("Assume", data={"node": node})
        status = run_reserve(framework, attempt.state, attempt.assumed, node, trace)
        waiting: WaitingPod | None = None
        if status.is_success:
            status, waiting = run_permit(framework, attempt.state, attempt.assumed, node, trace)
            attempt.permit = status
        if not status.is_success and not status.is_wait:
            self._unreserve_and_forget(attempt, node)
            self._reject_on_node(attempt, status, node)
            return False
        self._activate_pods()
        attempt.status = status
        if waiting is not None:
            self.waiting[attempt.assumed.uid] = attempt
            self.scheduler.waiting[attempt.assumed.uid] = waiting
        return True

    def finish_waiting(self, uid: str, trace: Trace | None) -> PodAttempt:
        """Continue with a waiting pod that was allowed or rejected; return its attempt, as `schedule_one` does.

        Source: WaitOnPermit and the rest of bindingCycle.
        """
        attempt, waiting = self.waiting.pop(uid), self.scheduler.waiting.pop(uid)
        attempt.trace = trace
        try:
            self._finish_waiting(attempt, waiting)
        except PASSED_ON:
            raise
        except Exception as error:
            attempt.error = error
        return attempt

    def _finish_waiting(self, attempt: PodAttempt, waiting: WaitingPod) -> None:
        decision, trace = waiting.decision, attempt.trace
        assert decision is not None and attempt.assumed is not None
        if isinstance(waiting, PreBindWaitingPod):
            status = end_pre_bind(waiting.plugin, decision, trace)
            if status.is_success:
                self._run_binding_cycle(attempt, attempt.assumed.node_name, after=waiting.plugin)
            else:
                self._handle_binding_cycle_error(attempt, status, attempt.assumed.node_name)
            return
        if trace is not None:
            trace.add("WaitOnPermit", decision.plugin, decision)
        if decision.is_success:
            self._run_binding_cycle(attempt, attempt.assumed.node_name)
        else:
            self._handle_binding_cycle_error(attempt, decision, attempt.assumed.node_name)

    def _run_binding_cycle(self, attempt: PodAttempt, node: str, after: str = "") -> None:
        """Run PreBind (from the plugin behind `after` on), Bind and PostBind. Source: bindingCycle.

        A failure here doesn't make the pod unschedulable: it backs off, then it is tried again.
        """
        framework, state, trace, pod = attempt.framework, attempt.state, attempt.trace, attempt.assumed
        assert pod is not None
        self.queue.done(pod.uid)
        status, waiting = run_pre_bind(framework, state, pod, node, trace, after)
        if waiting is not None:
            attempt.status = status
            self.waiting[pod.uid], self.scheduler.waiting[pod.uid] = attempt, waiting
            return
        if status.is_success:
            bound = run_extender_bind(self.scheduler.extenders, pod, node, trace)
            if bound is None:
                status = run_bind(framework, state, pod, node, trace)
            else:
                # Upstream's extender writes the binding to the API server; this one has no access to it.
                status = self.scheduler.dependencies.writer.bind(pod, node) if bound.is_success else bound
            self.scheduler.dependencies.cache.finish_binding(pod, self.scheduler.dependencies.now())
        if not status.is_success:
            self._handle_binding_cycle_error(attempt, status, node)
            return
        attempt.status = SUCCESS
        self.writer.record(pod, EVENT_TYPE, EVENT_REASON, scheduled_message(pod.key, node))
        run_post_bind(framework, state, pod, node, trace)
        self._activate_pods()

    def _handle_binding_cycle_error(self, attempt: PodAttempt, status: Status, node: str) -> None:
        """Forget the assumed pod, move pods that the freed resources may help, and handle the failure.

        Source: handleBindingCycleError.
        """
        pod = attempt.assumed
        assert pod is not None
        self._unreserve_and_forget(attempt, node)
        if status.is_rejected:
            # The pod must not be moved by its own event, so the others are moved after it went back to the queue.
            self._reject_on_node(attempt, status, node)
            self.queue.move_all(ASSIGNED_POD_DELETE, pod, None, lambda other: other.uid != pod.uid)
        else:
            self.queue.move_all(ASSIGNED_POD_DELETE, pod, None)
            self.handle_scheduling_failure(
                attempt, status, status.message, nominated=self.scheduler.nomination_after_failure
            )

    def _unreserve_and_forget(self, attempt: PodAttempt, node: str) -> None:
        """Run Unreserve and forget the assumed pod. Source: unreserveAndForget."""
        assert attempt.assumed is not None
        run_unreserve(attempt.framework, attempt.state, attempt.assumed, node, attempt.trace)
        self.scheduler.dependencies.cache.forget(attempt.assumed)

    def _reject_on_node(self, attempt: PodAttempt, status: Status, node: str) -> None:
        """Handle a rejection or error after a node was chosen; the message counts that one node only."""
        if not status.is_rejected:
            self.handle_scheduling_failure(
                attempt, status, status.message, nominated=self.scheduler.nomination_after_failure
            )
            return
        diagnosis = node_diagnosis(node, status)
        attempt.rejected_by, attempt.pending_on = diagnosis.unschedulable_plugins, diagnosis.pending_plugins
        self.handle_scheduling_failure(
            attempt, status, diagnosis.message, nominated=self.scheduler.nomination_after_failure
        )

    def handle_scheduling_failure(
        self, attempt: PodAttempt, status: Status, message: str, nominated: str | None
    ) -> None:
        """Return the pod to the queue, with an Event and a condition. Source: handleSchedulingFailure."""
        attempt.status, attempt.message = replace(status, reasons=(message,)), message
        queued, key = attempt.queued, attempt.queued.pod.key
        queued.unschedulable_plugins, queued.pending_plugins = set(attempt.rejected_by), set(attempt.pending_on)
        live = self.writer.find_pod(key)
        if live is None or live.node_name:
            self.queue.done(queued.pod.uid)
        else:
            queued.pod = live
            self.queue.add_unschedulable(queued)
        self.queue.nominate(queued.pod, nominated)
        note = message if len(message) <= NOTE_LIMIT else f"{message[: NOTE_LIMIT - 4]} ..."
        self.writer.record(queued.pod, "Warning", "FailedScheduling", note)
        if live is not None:
            reason = "Unschedulable" if status.is_rejected else "SchedulerError"
            self.writer.mark_unschedulable(live, reason, message, nominated)

    def _activate_pods(self) -> None:
        """Move the pods that plugins asked to activate during the cycle to activeQ."""
        pods, self.scheduler.to_activate = self.scheduler.to_activate, {}
        if pods:
            self.queue.activate(pods.values())
