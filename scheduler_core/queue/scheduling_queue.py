"""SchedulingQueue: the pods that wait to be scheduled, and the events that move them.

Source: pkg/scheduler/backend/queue/scheduling_queue.go, with feature gates at their defaults: queueing hints and
popping from backoffQ are on.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from kube_objects.defects import raise_defect
from kube_objects.pod import Pod
from scheduler_core.framework.events import ClusterEvent
from scheduler_core.framework.interface import PreEnqueuePlugin
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.traits import V1_34_TRAITS, Traits
from scheduler_core.queue import cluster_events as events
from scheduler_core.queue.backoff import BackoffSettings, backing_off
from scheduler_core.queue.gating import run_pre_enqueue
from scheduler_core.queue.heap import SortKey
from scheduler_core.queue.hints import Hints, QueueingHintMap, QueueingStrategy, RequeueDecision
from scheduler_core.queue.in_flight import InFlight
from scheduler_core.queue.moves import OnMove, QueueMove, SubQueue
from scheduler_core.queue.nominator import Nominator
from scheduler_core.queue.sub_queues import SubQueues, waiting_sub_queue

# Pods that stay unschedulable for longer are moved without an event; the check runs once per period.
MAX_UNSCHEDULABLE_SECONDS = 300
TIMEOUT_CHECK_PERIOD = 30

_RETRY = RequeueDecision(QueueingStrategy.AFTER_BACKOFF)
_NO_CAUSE = RequeueDecision(QueueingStrategy.SKIP)


class SchedulingQueue:
    """One queue for all profiles; a pod is in exactly one sub-queue, in flight, or unknown here.

    `now` returns virtual seconds. `sort_key` is that of the QueueSort plugin, which all profiles share. `hint_maps` and
    `pre_enqueue` are keyed by schedulerName. `find_pod` returns the live pod of a key, or None. `on_move` gets every
    move, `on_defect` the exceptions of PreEnqueue plugins and hint functions.
    """

    def __init__(
        self,
        *,
        now: Callable[[], float],
        sort_key: SortKey,
        hint_maps: Mapping[str, QueueingHintMap],
        pre_enqueue: Mapping[str, Sequence[PreEnqueuePlugin]],
        find_pod: Callable[[str], Pod | None],
        on_move: OnMove,
        backoff: BackoffSettings,
        traits: Traits = V1_34_TRAITS,
        on_defect: Callable[[Exception], None] = raise_defect,
    ) -> None:
        self._clock = now
        self._hints = Hints(hint_maps, on_defect)
        self._on_defect = on_defect
        self._pre_enqueue = pre_enqueue
        self._on_move = on_move
        self._settings = backoff
        self._traits = traits
        self._last_entry = -1.0  # when a pod last entered activeQ for its first attempt
        self._sub_queues = SubQueues(sort_key, self._hints.plugins_to_ask)
        self._active, self._backoff = self._sub_queues.active, self._sub_queues.backoff
        self._unschedulable = self._sub_queues.unschedulable
        self._in_flight = InFlight()
        self._nominator = Nominator(find_pod)
        self._flushed = math.floor(now())  # the last whole second that was flushed
        self._flushing: int | None = None  # the second that is being flushed

    # Reading

    def active(self) -> list[QueuedPodInfo]:
        """Return the pods in activeQ, the next one first."""
        return self._active.in_order()

    def backoff(self) -> list[QueuedPodInfo]:
        """Return the rejected pods that back off, the next one first."""
        return self._backoff.rejected.in_order()

    def error_backoff(self) -> list[QueuedPodInfo]:
        """Return the pods that back off after an error, the next one first."""
        return self._backoff.failed.in_order()

    def unschedulable(self) -> list[QueuedPodInfo]:
        """Return the pods that wait for an event, gated ones included, in the order in which they came."""
        return self._unschedulable.all()

    def in_flight(self) -> list[str]:
        """Return the keys of the pods that are being scheduled, in the order in which they were popped."""
        return self._in_flight.pod_keys()

    def find(self, pod_key: str) -> QueuedPodInfo | None:
        """Return the pod if it is in a sub-queue (not in flight)."""
        return self._sub_queues.find(pod_key)

    def where(self, pod_key: str) -> SubQueue:
        """Return the pod's sub-queue; OUTSIDE if it is in flight or unknown here."""
        return self._sub_queues.where(pod_key)

    @property
    def can_pop(self) -> bool:
        return bool(len(self._active) or (self._traits.pops_backoff and len(self._backoff.rejected)))

    @property
    def may_move_pods(self) -> bool:
        """Return True if an event may help any pod, now or when its attempt ends."""
        return bool(len(self._unschedulable) or len(self._in_flight))

    # Pods are added, updated and deleted

    def add(self, pod: Pod) -> None:
        """Add a new pod without a node."""
        queued = QueuedPodInfo(pod, self._now())
        target = self._to_active(queued, events.POD_ADDED)
        self._report(pod.key, SubQueue.OUTSIDE, target, events.POD_ADDED)

    def update(self, old: Pod, new: Pod) -> None:
        """Update a waiting pod. If it is unschedulable, the hints decide whether it moves."""
        changes = events.pod_update_events(old, new)
        if new.uid in self._in_flight:
            for event in changes:
                self._in_flight.record(event, old, new)
            return
        if self._sub_queues.update_sorted(new):
            self._nominator.update(old, new)
            return
        queued = self._unschedulable.get(new.key)
        if queued is not None:
            queued.pod = new
            self._nominator.update(old, new)
            for event in changes:
                decision = self._hints.decide(queued, event, old, new)
                target = self._requeue(queued, waiting_sub_queue(queued), decision, event.label)
                if target not in (SubQueue.UNSCHEDULABLE, SubQueue.GATED):
                    break
            return
        target = self._to_active(QueuedPodInfo(new, self._now()), events.POD_UPDATED)
        self._report(new.key, SubQueue.OUTSIDE, target, events.POD_UPDATED)

    def delete(self, pod: Pod) -> None:
        """Delete a pod that was deleted or bound. A pod in flight stays so until its attempt ends."""
        self._nominator.remove(pod.uid)
        source = self.where(pod.key)
        if source is not SubQueue.OUTSIDE:
            self._sub_queues.remove(pod.key)
            self._report(pod.key, source, SubQueue.OUTSIDE, events.POD_DELETED)

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move the pods to activeQ; a pod in flight gets another attempt after this one."""
        for pod in pods:
            if not self._activate(pod) and pod.uid in self._in_flight:
                self._in_flight.record(events.FORCE_ACTIVATE, None, pod)

    def _activate(self, pod: Pod) -> bool:
        source = self.where(pod.key)
        backing_off = self._backoff.remove(pod.key)
        queued = backing_off or self._unschedulable.get(pod.key)
        if queued is None:
            return False
        passed_gates = self._traits.backoff_passed_gates and backing_off is not None
        target = self._to_active(queued, events.FORCE_ACTIVATE.label, passed_gates)
        self._report(pod.key, source, target, events.FORCE_ACTIVATE.label)
        return True

    # Attempts

    def pop(self) -> QueuedPodInfo | None:
        """Pop the next pod, from backoffQ if activeQ is empty. It is in flight until `done`."""
        while self.can_pop:
            queued, source, label = self._active.pop(), SubQueue.ACTIVE, events.POP
            if queued is None:
                queued, source, label = self._backoff.rejected.pop(), SubQueue.BACKOFF, events.POP_FROM_BACKOFF_QUEUE
            if queued is None or queued.pod.uid in self._in_flight:
                continue
            return self._start(queued, source, label)
        return None

    def pop_with_group(self, pod: Pod) -> QueuedPodInfo | None:
        """Pop this pod, because another one of its group was popped; return None if it is gated or in no sub-queue.

        Source: PopSpecificPod.
        """
        self._activate(pod)
        queued = None if pod.uid in self._in_flight else self._active.remove(pod.key)
        return None if queued is None else self._start(queued, SubQueue.ACTIVE, events.POP)

    def _start(self, queued: QueuedPodInfo, source: SubQueue, label: str) -> QueuedPodInfo:
        queued.attempts += 1
        self._in_flight.start(queued.pod)
        queued.unschedulable_plugins, queued.pending_plugins = set(), set()
        queued.gating_plugin = ""
        self._report(queued.pod.key, source, SubQueue.IN_FLIGHT, label)
        return queued

    def done(self, uid: str) -> None:
        """End the attempt of a pod that doesn't return, or that no plugin can reject any more."""
        pod_key = self._in_flight.done(uid)
        if pod_key is not None:
            self._report(pod_key, SubQueue.IN_FLIGHT, SubQueue.OUTSIDE, events.DONE)

    def add_unschedulable(self, queued: QueuedPodInfo) -> bool:
        """Return a pod to the queue after a failed attempt, with the plugins that rejected it set in it (none: an
        error).

        Returns False if a pod of that name is queued already; the attempt has ended all the same.
        Source: AddUnschedulableIfNotPresent.
        """
        if self.where(queued.pod.key) is not SubQueue.OUTSIDE:
            self.done(queued.pod.uid)
            return False
        if queued.rejectors:
            queued.unschedulable_count += 1
            queued.consecutive_errors = 0
        else:
            queued.consecutive_errors += 1
        queued.timestamp = self._now()
        queued.backoff_expiry = self._settings.expiry(queued)
        decision, during = self._decide_after_attempt(queued)
        self._requeue(queued, SubQueue.IN_FLIGHT, decision, events.SCHEDULE_ATTEMPT_FAILURE, during)
        self._in_flight.done(queued.pod.uid)
        return True

    def _decide_after_attempt(self, queued: QueuedPodInfo) -> tuple[RequeueDecision, str | None]:
        """Return the decision for events that came during the attempt, and the deciding event's label."""
        in_group = self._traits.pod_groups and queued.pod.scheduling_group  # upstream doesn't use hints for groups
        if in_group or not queued.rejectors or queued.pod.uid not in self._in_flight:
            return _RETRY, None
        best: tuple[RequeueDecision, str | None] = (_NO_CAUSE, None)
        for seen in self._in_flight.events_since(queued.pod.uid):
            decision = self._hints.decide(queued, seen.event, seen.old, seen.new)
            if decision.requeue > best[0].requeue:
                best = decision, seen.event.label
            if decision.requeue is QueueingStrategy.IMMEDIATELY or (decision.requeue and not queued.pending_plugins):
                break
        return best

    # Events and time

    def move_all(self, event: ClusterEvent, old: Any, new: Any, pre_check: Callable[[Pod], bool] | None = None) -> None:
        """Move the unschedulable pods that `event` (no wildcard) may help, except those for which `pre_check`
        returns False.

        Source: MoveAllToActiveOrBackoffQueue.
        """
        if self.may_move_pods and (plugins := self._hints.interested_plugins(event)):
            waiting_pods = self._unschedulable.pods_to_ask(plugins)
            self._move((q for q in waiting_pods if pre_check is None or pre_check(q.pod)), event, old, new)

    def advance_to(self, time: float) -> None:
        """Flush backoffQ for every second up to `time`, and time out unschedulable pods every 30 seconds."""
        while (due := self.next_time(time)) <= time:
            self._flush(int(due))
        self._flushed = max(self._flushed, math.floor(time))

    def next_time(self, until: float = math.inf) -> float:
        """Return the next whole second in which a flush moves a pod, or inf if there is none.

        Seconds after `until` may be left out.
        """
        due: list[int] = []
        completion = self._backoff.next_completion()
        if completion is not None:
            due.append(max(int(completion), self._flushed + 1))
        if until >= (self._flushed // TIMEOUT_CHECK_PERIOD + 1) * TIMEOUT_CHECK_PERIOD:
            pods = self._unschedulable.all()
            oldest = min((queued.timestamp for queued in pods if self._may_time_out(queued)), default=None)
            if oldest is not None:
                period = max(oldest + MAX_UNSCHEDULABLE_SECONDS, self._flushed) // TIMEOUT_CHECK_PERIOD + 1
                due.append(int(period) * TIMEOUT_CHECK_PERIOD)
        return min(due, default=math.inf)

    def _may_time_out(self, queued: QueuedPodInfo) -> bool:
        """Return True if the pod's timeout has an effect: it moves the pod, or is an event for the pods in flight."""
        return (
            bool(len(self._in_flight))
            or not queued.gated
            or self._hints.may_ungate(queued, events.UNSCHEDULABLE_TIMEOUT)
        )

    def _flush(self, second: int) -> None:
        self._flushed = self._flushing = second
        for queued in self._backoff.pop_completed(second):
            source = SubQueue.BACKOFF if queued.rejectors else SubQueue.ERROR_BACKOFF
            target = self._to_active(queued, events.BACKOFF_COMPLETE)
            self._report(queued.pod.key, source, target, events.BACKOFF_COMPLETE)
        if second % TIMEOUT_CHECK_PERIOD == 0:
            overdue = [q for q in self._unschedulable.all() if second - q.timestamp > MAX_UNSCHEDULABLE_SECONDS]
            if overdue:
                self._move(overdue, events.UNSCHEDULABLE_TIMEOUT, None, None)
        self._flushing = None

    def _now(self) -> float:
        return self._clock() if self._flushing is None else self._flushing

    # Moving

    def _move(self, pods: Iterable[QueuedPodInfo], event: ClusterEvent, old: Any, new: Any) -> None:
        for queued in pods:
            if queued.gated and not self._hints.may_ungate(queued, event):
                continue
            decision = self._hints.decide(queued, event, old, new)
            source = waiting_sub_queue(queued)
            if decision.requeue is not QueueingStrategy.SKIP:
                self._unschedulable.remove(queued.pod.key)
            self._requeue(queued, source, decision, event.label)
        self._in_flight.record(event, old, new)

    def _requeue(
        self, queued: QueuedPodInfo, source: SubQueue, decision: RequeueDecision, label: str, during: str | None = None
    ) -> SubQueue:
        """Put the pod into the sub-queue that `decision` requires. Source: requeuePodWithQueueingStrategy."""
        if decision.requeue is QueueingStrategy.SKIP:
            self._unschedulable.put(queued)
            target = waiting_sub_queue(queued)
            if source is not target:
                self._report(queued.pod.key, source, target, label)
            for hinting, answer in decision.hints:
                self._on_move(QueueMove(self._now(), queued.pod.key, target, target, label, hinting, answer))
            return target
        if decision.requeue is QueueingStrategy.AFTER_BACKOFF and backing_off(queued, self._now()):
            target = self._to_backoff(queued)
        else:
            target = self._to_active(queued, label)
        plugin, hint = decision.hints[0] if decision.hints else (None, None)
        self._on_move(QueueMove(self._now(), queued.pod.key, source, target, label, plugin, hint, during))
        return target

    def _to_active(self, queued: QueuedPodInfo, label: str, passed_gates: bool = False) -> SubQueue:
        """Put the pod into activeQ, or among the unschedulable pods if a PreEnqueue plugin gates it."""
        key = queued.pod.key
        # Pods in backoffQ have passed the plugins already.
        if not self._traits.pops_backoff or (label != events.BACKOFF_COMPLETE and not passed_gates):
            run_pre_enqueue(self._pre_enqueue, queued, self._on_defect)
        if queued.gated:
            if self.where(key) in (SubQueue.OUTSIDE, SubQueue.UNSCHEDULABLE, SubQueue.GATED):
                self._unschedulable.put(queued)
            return self.where(key)
        if queued.initial_attempt is None:
            queued.initial_attempt = self._last_entry = max(self._now(), math.nextafter(self._last_entry, math.inf))
        self._active.put(queued)
        self._unschedulable.remove(key)
        self._backoff.remove(key)
        if label in (events.POD_ADDED, events.POD_UPDATED):
            self._nominator.add(queued.pod)
        return SubQueue.ACTIVE

    def _to_backoff(self, queued: QueuedPodInfo) -> SubQueue:
        """Put the pod into backoffQ, or among the unschedulable pods if a PreEnqueue plugin gates it."""
        key = queued.pod.key
        if self._traits.pops_backoff:
            run_pre_enqueue(self._pre_enqueue, queued, self._on_defect)
        if queued.gated:
            self._unschedulable.put(queued)
            return SubQueue.GATED
        self._unschedulable.remove(key)
        heap = self._backoff.heap_for(queued)
        heap.put(queued)
        return SubQueue.BACKOFF if heap is self._backoff.rejected else SubQueue.ERROR_BACKOFF

    def _report(self, pod_key: str, source: SubQueue, target: SubQueue, label: str) -> None:
        self._on_move(QueueMove(self._now(), pod_key, source, target, label))

    # Nominations

    def nominate(self, pod: Pod, node_name: str | None = None) -> None:
        """Nominate the pod to a node ("" clears its nomination), or with None to the node in its status."""
        self._nominator.add(pod, node_name)

    def remove_nomination(self, pod: Pod) -> None:
        self._nominator.remove(pod.uid)

    def nominated_pods(self, node_name: str) -> list[Pod]:
        """Return the pods nominated to the node.

        A pod in no sub-queue has no fields but its name, as upstream has it.
        """
        pods: list[Pod] = []
        for namespace, name, uid in self._nominator.on_node(node_name):
            queued = self.find(f"{namespace}/{name}")
            pods.append(queued.pod if queued else Pod(kind="Pod", namespace=namespace, name=name, uid=uid))
        return pods

    def nominated_nodes(self) -> Collection[str]:
        """Return the names of the nodes that pods are nominated to."""
        return self._nominator.nodes()

    def dump(self, encode: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the state as JSON-ready data, pods by uid.

        `encode` turns an object in an event into JSON-ready data.
        """
        return self._sub_queues.dump() | {
            "flushed": self._flushed,
            "lastEntry": self._last_entry,
            "inFlight": self._in_flight.dump(encode),
            "nominated": self._nominator.dump(),
        }

    def load(self, data: Mapping[str, Any], pods: Mapping[str, Pod], decode: Callable[[Any], Any]) -> None:
        """Load the data of `dump` into a new queue; `pods` maps uids to the live pods."""
        self._sub_queues.load(data, pods)
        self._flushed = data["flushed"]
        self._last_entry = data.get("lastEntry", self._clock())
        self._in_flight.load(data["inFlight"], decode)
        self._nominator.load(data["nominated"])
