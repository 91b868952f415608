"""EventHandlers: pass changes of objects on to the scheduler's cache and queue.

Source: pkg/scheduler/eventhandlers.go, pkg/scheduler/scheduler.go newPodInformer.
"""

from collections.abc import Callable, Collection
from enum import StrEnum

from kube_objects.kinds.table import KINDS
from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource
from scheduler_core.framework.traits import V1_34_TRAITS, Traits
from scheduler_core.queue.cluster_events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    UNSCHEDULED_POD_ADD,
    node_update_events,
    pod_update_events,
)
from scheduler_core.queue.scheduling_queue import SchedulingQueue

# Kinds outside of the cache whose changes may help a rejected pod.
_RESOURCES = {kind.name: EventResource(kind.resource) for kind in KINDS.values() if kind.wakes_pods}


class HandledBy(StrEnum):
    """The part of the scheduler that handled a change.

    Kinds that plugins only look up (Namespaces, Services, …) move no pods.
    """

    CACHE = "cache"
    QUEUE = "queue"
    CACHE_AND_QUEUE = "cache and queue"  # a pod got a node
    WAKE = "hints only"
    UNKNOWN_SCHEDULER = "ignored: no profile has the pod's schedulerName"
    FINISHED_POD = "ignored: the pod has finished"
    ASSUMED_POD = "ignored: the pod is assumed already"
    NO_EVENT = "ignored: no event of the scheduler"


class EventHandlers:
    """Passes changes of objects on to one cache and one queue.

    `profiles` are the schedulerNames that have a profile. `reject_waiting` rejects the pod with a uid if it waits at
    Permit, and returns True if it did.
    """

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        profiles: Collection[str],
        reject_waiting: Callable[[str], bool],
        traits: Traits = V1_34_TRAITS,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._profiles = profiles
        self._reject_waiting = reject_waiting
        self._traits = traits

    def handle(self, old: KubeObject | None, new: KubeObject | None) -> HandledBy:
        """Handle an object that was created (`old` None), updated, or deleted (`new` None)."""
        obj = new if new is not None else old
        if isinstance(obj, Pod):
            return self._handle_pod(_pod(old), _pod(new))
        if isinstance(obj, Node):
            self._handle_node(_node(old), _node(new))
            return HandledBy.CACHE
        resource = None if obj is None else _RESOURCES.get(obj.kind)
        if obj is None or resource is None or (resource is EventResource.POD_GROUP and not self._traits.pod_groups):
            return HandledBy.NO_EVENT
        if KINDS[obj.kind].feeds_columns:
            self._cache.table.invalidate_rows()
        action = ActionType.ADD if old is None else ActionType.DELETE if new is None else ActionType.UPDATE
        self._queue.move_all(ClusterEvent(resource, action), old, new)
        return HandledBy.WAKE

    # Nodes

    def _handle_node(self, old: Node | None, new: Node | None) -> None:
        if old is None and new is not None:
            self._cache.add_node(new)
            self._queue.move_all(NODE_ADD, None, new)
        elif old is not None and new is None:
            self._queue.move_all(NODE_DELETE, old, None)
            self._cache.remove_node(old)
        elif old is not None and new is not None:
            self._cache.update_node(old, new)
            for event in node_update_events(old, new, self._traits.declared_features):
                self._queue.move_all(event, old, new)

    # Pods: assigned ones belong to the cache, unscheduled ones to the queue

    def _handle_pod(self, old: Pod | None, new: Pod | None) -> HandledBy:
        """Handle a pod; a pod that is bound is deleted from the queue and added to the cache."""
        if old is None and new is None:
            return HandledBy.FINISHED_POD
        old_bound = old if old is not None and old.node_name else None
        new_bound = new if new is not None and new.node_name else None
        to_cache = old_bound is not None or new_bound is not None
        if to_cache:
            self._handle_bound_pod(old_bound, new_bound)
        old_waiting = old if old_bound is None and self._is_ours(old) else None
        new_waiting = new if new_bound is None and self._is_ours(new) else None
        if old_waiting is None and new_waiting is None:
            return HandledBy.CACHE if to_cache else HandledBy.UNKNOWN_SCHEDULER
        ignored = self._handle_waiting_pod(old_waiting, new_waiting, bound=new_bound is not None)
        return ignored or (HandledBy.CACHE_AND_QUEUE if to_cache else HandledBy.QUEUE)

    def _is_ours(self, pod: Pod | None) -> bool:
        """Return True if a profile has the pod's schedulerName."""
        return pod is not None and pod.scheduler_name in self._profiles

    def _handle_bound_pod(self, old: Pod | None, new: Pod | None) -> None:
        if old is None and new is not None:
            self._cache.add_pod(new)
            self._queue.move_all(ASSIGNED_POD_ADD, None, new)
        elif old is not None and new is None:
            self._cache.remove_pod(old)
            self._queue.move_all(ASSIGNED_POD_DELETE, old, None)
        elif old is not None and new is not None:
            self._cache.update_pod(old, new)
            if self._queue.may_move_pods:
                for event in pod_update_events(old, new):
                    self._queue.move_all(event, old, new)

    def _handle_waiting_pod(self, old: Pod | None, new: Pod | None, bound: bool) -> HandledBy | None:
        """Handle an unscheduled pod. `bound`: the pod leaves the queue because it got a node."""
        groups = self._cache.pod_groups
        if old is None and new is not None:
            groups.put(new)
            self._queue.add(new)
            if self._traits.pod_events:
                self._queue.move_all(UNSCHEDULED_POD_ADD, None, new)
        elif old is not None and new is None:
            self._queue.delete(old)
            if bound and not self._traits.binding_wakes_others:
                return None
            if not bound:
                groups.remove(old)
            if self._reject_waiting(old.uid):
                self._queue.move_all(ASSIGNED_POD_DELETE, old, None)
            elif old.nominated_node_name:
                self._move_pods_up_to_priority(old)
        elif old is not None and new is not None:
            groups.put(new)
            if self._cache.is_assumed(new.uid):
                return HandledBy.ASSUMED_POD
            self._queue.update(old, new)
            if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
                self._move_pods_up_to_priority(old)
        return None

    def _move_pods_up_to_priority(self, nominated: Pod) -> None:
        """Move the pods of lower or equal priority, which the nomination blocked as if the pod ran on the node."""
        self._queue.move_all(ASSIGNED_POD_DELETE, nominated, None, lambda pod: pod.priority <= nominated.priority)


def _pod(obj: KubeObject | None) -> Pod | None:
    """Return the pod as the scheduler's informer sees it: without finished pods."""
    return obj if isinstance(obj, Pod) and not obj.finished else None


def _node(obj: KubeObject | None) -> Node | None:
    return obj if isinstance(obj, Node) else None
