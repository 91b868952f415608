"""The simulated cluster: an object store and a scheduler that watches it. Every write goes through this class.

Without controllers it also does the work of the API server (writes become events immediately), of the kubelet (a
bound pod runs, an evicted pod ends) and of the resource claim controller.
"""

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kube_objects.devices import ResourceClaim, ResourceClaimTemplate
from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.kinds.scheduling.pod_group import PodGroup
from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.pod import Pod, PodCondition
from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from scheduler_core.cache.cache import Cache
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.group import PodGroupCycle
from scheduler_core.cycle.schedule_one import AttemptRunner
from scheduler_core.cycle.scheduler import Dependencies, Scheduler
from scheduler_core.framework.extender import Extender
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.traits import Traits
from scheduler_core.queue.backoff import BackoffSettings
from scheduler_core.queue.event_handlers import EventHandlers, HandledBy
from scheduler_core.queue.hints import build_hint_map
from scheduler_core.queue.moves import QueueMove, SubQueue
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from simulator.simulation import claims
from simulator.simulation.journal import BOUND, IGNORED, NEW, WAITING, Journal
from simulator.simulation.outages import Outages, has_not_ready_taint
from simulator.simulation.store import ObjectStore
from simulator.simulation.timers import SchedulerTimer, Timers
from simulator.simulation.trial import Trial

if TYPE_CHECKING:
    from simulator.simulation.controller_runtime import ControllerRuntime

SCHEDULED = "PodScheduled"
# The plugin that preempts pods.
_PREEMPTION = "DefaultPreemption"
# The characters of generated names. Source: apimachinery/pkg/util/rand.
NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789"

ExtenderFactory = Callable[[SchedulerConfiguration], Sequence[Extender]]


class SimulatedCluster:
    """A cluster at one virtual time. Implements the Writer of plugins and the PodStatusWriter of attempts."""

    def __init__(
        self,
        config: SchedulerConfiguration,
        registry: Registry,
        make_extenders: ExtenderFactory,
        traits: Traits,
        *,
        built: bool = True,
    ) -> None:
        """With `built` false, the caller adds objects and then builds the scheduler, as a fork does."""
        self.registry = registry
        self.traits = traits
        self.make_extenders = make_extenders
        self.store = ObjectStore()
        self.cache = Cache()
        self.journal = Journal()
        self.outages = Outages()
        # State of plugins for pods that wait at Permit. Like these pods it survives a change of the configuration.
        self.in_flight: dict[str, Any] = {}
        self.random = random.Random(0)
        self.now = 0.0
        self.fail_next_binding: str | None = None
        self.node_epoch = 0
        self.cache.pod_groups.enabled = traits.pod_groups
        self.group: PodGroupCycle | None = None  # the pod group's cycle in progress, between two of its records
        self.group_lanes: dict[str, str] = {}  # pod key → queue from which the member was popped
        self._held: list[Callable[[], None]] | None = None  # writes that wait for `release_evictions`
        self.controllers: ControllerRuntime | None = None  # None if all controllers are off
        self.timers = Timers(self)
        self.timers.schedule("scheduler", SchedulerTimer(self))
        self.timers.schedule("outages", self.outages)
        if built:
            self._build(config, None)

    def switch_controllers(
        self,
        names: Sequence[str],
        seed: int,
        hashes: str,
        selects: Callable[[KubeObject], bool] = lambda obj: True,
    ) -> None:
        """Switch these controllers on and all others off. Random names and uids continue the sequence in use.

        `selects` chooses the stored objects that are in the controllers' cache from the beginning.
        """
        before, self.controllers = self.controllers, None
        generator = random.Random(seed) if before is None else before.random
        if names:
            # The module imports all controllers, and a simulation without controllers starts faster.
            from simulator.simulation.controller_runtime import ControllerRuntime

            self.controllers = ControllerRuntime(self, names, generator, EPOCH_SECONDS, hashes, selects)
            self.controllers.manager.snapshot = lambda: Trial(self)
            if self.has_controller("taint-eviction"):
                # The controller evicts from the nodes that have failed.
                self.outages = Outages()
                self.timers.schedule("outages", self.outages)
        elif before is not None:
            self._finish_kubelet_work()
        self.timers.schedule("actors", self.controllers)

    def _finish_kubelet_work(self) -> None:
        """Start the pods and finish the deletions for which the kubelet was responsible until now."""
        for pod in self.store.list("Pod"):
            if pod.terminating:
                self.delete(pod)
            elif pod.node_name and pod.phase == "Pending":
                self.put(self._set_running(pod.with_node(pod.node_name)))

    def _set_running(self, pod: Pod) -> Pod:
        pod.phase, pod.start_time = "Running", EPOCH_SECONDS + self.now
        return pod

    def _build(self, config: SchedulerConfiguration, queue_state: Mapping[str, Any] | None) -> None:
        """Build scheduler, queue and event handlers for `config` over the present objects and cache."""
        dependencies = Dependencies(
            self.cache, self.store, self, self, lambda: self.now, self.random.randrange, self.in_flight
        )
        self.config = config
        self.scheduler = Scheduler(config, self.registry, dependencies, self.make_extenders(config), self.traits)
        frameworks = self.scheduler.frameworks
        first = next(iter(frameworks.values()))
        self.queue = SchedulingQueue(
            now=lambda: self.now,
            sort_key=first.queue_sort[0].sort_key,
            hint_maps={
                name: build_hint_map(
                    framework.plugins.values(), bool(self.scheduler.extenders), self.traits.queueing_hints
                )
                for name, framework in frameworks.items()
            },
            pre_enqueue={name: framework.pre_enqueue for name, framework in frameworks.items()},
            find_pod=self.find_pod,
            on_move=self._on_move,
            backoff=BackoffSettings(config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds),
            traits=self.traits,
            on_defect=self.journal.record_defect,
        )
        self.attempts = AttemptRunner(self.scheduler, self.queue, self)
        self.handlers = EventHandlers(self.cache, self.queue, frameworks.keys(), self._reject_waiting, self.traits)
        if queue_state is not None:
            self.queue.load(queue_state, {pod.uid: pod for pod in self.store.list("Pod")}, lambda obj: obj)

    def set_config(self, config: SchedulerConfiguration) -> None:
        """Use `config` from the next attempt on. Pods keep their place in the queue; at Permit also their profile."""
        waiting, known = self.attempts.waiting, set(self.scheduler.frameworks)
        self.rebuild(config)
        for pod in self.store.list("Pod"):
            if pod.node_name or pod.finished or pod.uid in waiting:
                continue
            was_ours, is_ours = pod.scheduler_name in known, pod.scheduler_name in self.scheduler.frameworks
            if is_ours and not was_ours:
                self.cache.pod_groups.put(pod)
                self.queue.add(pod)
            elif was_ours and not is_ours:
                self.queue.delete(pod)
                self.journal.place(pod.key, NEW, IGNORED, say("no profile has the pod's schedulerName"))

    def rebuild(self, config: SchedulerConfiguration) -> None:
        """Build the scheduler for `config` over the present cache. Pods keep their place in the queue."""
        before, waiting = self.scheduler, self.attempts.waiting
        self._build(config, self.queue.dump(lambda obj: obj))
        self.attempts.waiting, self.scheduler.waiting = waiting, before.waiting
        self.scheduler.pods.next_start_node_index = before.pods.next_start_node_index

    def restart(self, config: SchedulerConfiguration, registry: Registry, traits: Traits) -> None:
        """Restart kube-scheduler with other plugins. It knows only the content of the stored objects.

        All pods without a node are new to the queue, even those that waited at Permit or PreBind.
        """
        self.registry, self.traits, self.in_flight, self.cache = registry, traits, {}, Cache()
        self.cache.pod_groups.enabled = traits.pod_groups
        self.node_epoch += 1  # rows may be in another order
        self._build(config, None)
        for obj in sorted(self.store, key=lambda obj: isinstance(obj, Pod)):
            self.handlers.handle(None, obj)

    # Reading

    @property
    def queue_sort(self) -> str:
        """Return the name of the plugin that orders the queue; all profiles share it."""
        return next(iter(self.scheduler.frameworks.values())).queue_sort[0].name

    def manifest_of(self, obj: KubeObject) -> Mapping[str, Any]:
        """Return the manifest of an object; with controllers on, the stored manifest is complete."""
        return manifest_of(obj) if self.controllers is None else obj.manifest

    def find_pod(self, key: str) -> Pod | None:
        pod = self.store.get("Pod", key)
        return pod if isinstance(pod, Pod) else None

    def has_started(self, pod: Pod) -> bool:
        """Return whether this simulation scheduled the pod: its start time is in virtual time."""
        return pod.start_time is not None and EPOCH_SECONDS <= pod.start_time <= EPOCH_SECONDS + self.now

    def pods_on(self, node_name: str) -> list[Pod]:
        """Return all pods of a node, including those that have ended, in the order of their creation."""
        return [pod for pod in self.store.list("Pod") if pod.node_name == node_name]

    def nominated_pods(self, node_name: str) -> list[Pod]:
        return self.queue.nominated_pods(node_name)

    def nominated_nodes(self) -> Collection[str]:
        return self.queue.nominated_nodes()

    # Create, update and delete objects

    def put(self, obj: KubeObject) -> None:
        """Create or replace an object, which notifies the scheduler and the controllers."""
        self.put_complete(obj if self.controllers is None else self.controllers.with_server_fields(obj))

    def put_complete(self, obj: KubeObject) -> None:
        """Create or replace an object whose manifest has all fields that an API server sets."""
        previous = self.store.put(obj)
        self.journal.change("create" if previous is None else "update", obj)
        if isinstance(obj, Pod) and obj.node_name and not obj.finished:
            self.outages.schedule_eviction(obj, self.now)
        elif isinstance(obj, Node) and self.outages.has(obj.name) and not has_not_ready_taint(obj):
            self.outages.end(obj.name, self.pods_on(obj.name))
        self._handle_change(previous, obj)
        if isinstance(obj, Pod) and (obj.resource_claims or obj.finished):
            claims.sync_claims(self, obj, is_new=previous is None)
        elif isinstance(obj, ResourceClaimTemplate):
            claims.handle_new_template(self, obj)
        if self.controllers is not None:
            self.controllers.notify_put(obj)

    def delete(self, obj: KubeObject) -> None:
        self.store.remove(obj.kind, obj.key)
        self.journal.change("delete", obj)
        if isinstance(obj, Pod):
            self.outages.cancel_eviction(obj)
        elif isinstance(obj, Node) and self.outages.has(obj.name):
            self.outages.end(obj.name, self.pods_on(obj.name))
        self._handle_change(obj, None)
        if isinstance(obj, Pod):
            claims.release_claims(self, obj)
        elif isinstance(obj, ResourceClaim):
            claims.handle_deleted_claim(self, obj)
        if self.controllers is not None:
            self.controllers.notify_delete(obj)

    def _handle_change(self, old: KubeObject | None, new: KubeObject | None) -> None:
        handled = self.handlers.handle(old, new)
        subject = new or old
        if subject is not None and subject.kind == "Node" and (old is None or new is None):
            self.node_epoch += 1
        if handled is HandledBy.UNKNOWN_SCHEDULER and isinstance(new, Pod) and old is None:
            self.journal.place(new.key, NEW, IGNORED, handled.value)

    def _on_move(self, move: QueueMove) -> None:
        self.journal.move(move)

    def _reject_waiting(self, uid: str) -> bool:
        """Reject a deleted pod that waits at Permit or in PreBind; return whether it waited."""
        waiting = self.scheduler.waiting.get(uid)
        if waiting is not None:
            waiting.reject("", "removed")
        return waiting is not None

    # Writes of plugins and scheduling attempts

    def bind(self, pod: Pod, node_name: str) -> Status:
        if self.fail_next_binding is not None:
            message, self.fail_next_binding = self.fail_next_binding, None
            return Status.error(message)
        live = self.find_pod(pod.key)
        if live is None or live.uid != pod.uid:
            return Status.error(f'pods "{pod.name}" not found')
        bound = live.with_node(node_name)
        if self.controllers is None:
            self._set_running(bound)
        bound.conditions = self._conditions(live, PodCondition(SCHEDULED, "True"))
        waited = self.group is not None or pod.uid in self.attempts.waiting
        self.journal.place(pod.key, WAITING if waited else SubQueue.IN_FLIGHT.value, BOUND, "Binding")
        self.put(bound)
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        self.put(obj)

    def time(self) -> float:
        return EPOCH_SECONDS + self.now

    def name_for(self, prefix: str) -> str:
        return prefix + "".join(self.random.choice(NAME_LETTERS) for _ in range(5))

    def start_group(self, first: QueuedPodInfo) -> None:
        """Start the cycle of a pod's group. The queue popped the other members together with `first`."""
        self.hold_evictions()
        self.group = PodGroupCycle(self.attempts, first)
        popped = (move for move in self.journal.moves if move["to"] == SubQueue.IN_FLIGHT.value)
        self.group_lanes = {move["pod"]: move["from"] for move in popped}

    def load_pod_groups(self) -> None:
        """Add waiting pods to the cache's pod groups after a restore. Pods on nodes are in the cache already."""
        for pod in self.store.list("Pod"):
            if not pod.node_name and not pod.finished and pod.scheduler_name in self.scheduler.frameworks:
                self.cache.pod_groups.put(pod)

    def hold_evictions(self) -> None:
        """Delay evictions until `release_evictions`, because all members of a group are tried on one snapshot."""
        self._held = []

    def release_evictions(self) -> None:
        held, self._held = self._held or (), None
        for write in held:
            write()

    def drop_held_evictions(self) -> None:
        """Discard the delayed evictions."""
        self._held = None

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        """Evict a victim of preemption. A victim that waits at Permit returns to the queue and is not deleted."""
        if self._held is not None:
            self._held.append(lambda: self.evict(preemptor, victim, message))
            return
        waiting = self.scheduler.waiting.get(victim.uid)
        if waiting is not None:
            waiting.preempt(_PREEMPTION, self.traits.preempted_backs_off)
            return
        live = self.find_pod(victim.key)
        if live is None:
            return
        if self.controllers is None:
            self.delete(live)
        elif not live.terminating:
            self.controllers.evict(live, message)

    def delete_for_taint(self, pods: Iterable[Pod]) -> None:
        """Delete pods as the taint eviction controller does when their toleration of a failed node ends."""
        for pod in pods:
            self.journal.event(pod, "Normal", "TaintManagerEviction", f"Marking for deletion Pod {pod.key}")
            self.delete(pod)

    def clear_nomination(self, pod: Pod) -> None:
        if self._held is not None:
            self._held.append(lambda: self.clear_nomination(pod))
            return
        live = self.find_pod(pod.key)
        if live is not None and live.nominated_node_name:
            self.put(live.with_nomination(""))

    def has_controller(self, name: str) -> bool:
        """Return whether the controller of this name in `kube_controllers.names` is on."""
        return self.controllers is not None and name in self.controllers.names

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        self.journal.event(obj, type_, reason, message)

    def mark_unschedulable(self, pod: Pod, reason: str, message: str, nominated: str | None) -> None:
        live = self.find_pod(pod.key)
        if live is None:
            return
        changed = live.with_nomination(live.nominated_node_name if nominated is None else nominated)
        changed.conditions = self._conditions(live, PodCondition(SCHEDULED, "False", reason, message))
        if (changed.conditions, changed.nominated_node_name) != (live.conditions, live.nominated_node_name):
            self.put(changed)

    def mark_group(self, key: str, condition: PodCondition) -> None:
        """Set a condition of a PodGroup, but never from True back to False."""
        group: PodGroup | None = self.store.get("PodGroup", key)
        if group is None:
            return
        before = next((one for one in group.conditions if one.type == condition.type), None)
        if before is not None and before.status == "True" and condition.status != "True":
            return
        conditions = self._conditions(group, condition)
        if conditions != group.conditions:
            self.put(replace(group, conditions=conditions))

    def _conditions(self, pod: Pod | PodGroup, new: PodCondition) -> tuple[PodCondition, ...]:
        """Return the conditions with `new`; the transition time changes only with the status.

        Source: pkg/api/v1/pod UpdatePodCondition.
        """
        old = next((condition for condition in pod.conditions if condition.type == new.type), None)
        same = old is not None and old.status == new.status
        since = old.last_transition_time if old is not None and same else EPOCH_SECONDS + self.now
        others = tuple([condition for condition in pod.conditions if condition.type != new.type])
        return (*others, PodCondition(new.type, new.status, new.reason, new.message, since))
