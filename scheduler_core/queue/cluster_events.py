"""Cluster events for an updated pod or node, and which registered events an event matches.

Source: pkg/scheduler/framework/events.go, pkg/scheduler/framework/types.go.
"""

from typing import Any

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource

# Labels of moves that no cluster event causes.
SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF_QUEUE = "PopFromBackoffQ"
# Upstream has no label for these two, because it counts only incoming pods.
POP = "Pop"
DONE = "Done"

ASSIGNED_POD_ADD = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.DELETE)
_ASSIGNED_POD_UPDATE = ClusterEvent(EventResource.ASSIGNED_POD, ActionType.UPDATE)
UNSCHEDULED_POD_ADD = ClusterEvent(EventResource.UNSCHEDULABLE_POD, ActionType.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(EventResource.UNSCHEDULABLE_POD, ActionType.UPDATE)
UNSCHEDULED_POD_DELETE = ClusterEvent(EventResource.UNSCHEDULABLE_POD, ActionType.DELETE)
# Computed once, because every pod needs them.
POD_ADDED, POD_UPDATED, POD_DELETED = (
    event.label for event in (UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE, UNSCHEDULED_POD_DELETE)
)
UNSCHEDULABLE_TIMEOUT = ClusterEvent(EventResource.WILDCARD, ActionType.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(EventResource.WILDCARD, ActionType.ALL, "ForceActivate")
NODE_ADD = ClusterEvent(EventResource.NODE, ActionType.ADD)
NODE_DELETE = ClusterEvent(EventResource.NODE, ActionType.DELETE)


def is_wildcard(event: ClusterEvent) -> bool:
    return event.resource == EventResource.WILDCARD and event.action == ActionType.ALL


def matches(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """Return True if `event` equals what a plugin registered or is more specific."""
    if is_wildcard(registered):
        return True
    return (
        _covers(registered.resource, event.resource)
        and bool(registered.action & event.action)
        and int(event.action) <= int(registered.action)
    )


def _covers(registered: EventResource, resource: EventResource) -> bool:
    """Return True if the registered resource includes `resource`; Pod includes assigned and unscheduled pods."""
    return registered in (EventResource.WILDCARD, resource) or (
        registered == EventResource.POD and resource in (EventResource.ASSIGNED_POD, EventResource.UNSCHEDULABLE_POD)
    )


def pod_update_events(old: Pod, new: Pod) -> list[ClusterEvent]:
    """Return one event for each specific change, or the general Update event if there is none.

    Source: PodSchedulingPropertiesChange.
    """
    changes = (
        (ActionType.UPDATE_POD_LABEL, new.labels != old.labels),
        (ActionType.UPDATE_POD_SCALE_DOWN, _scaled_down(old, new)),
        (ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED, bool(old.scheduling_gates) and not new.scheduling_gates),
        (ActionType.UPDATE_POD_TOLERATION, len(new.tolerations) != len(old.tolerations)),
        (ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM, _claim_statuses(new) != _claim_statuses(old)),
    )
    actions = [action for action, changed in changes if changed]
    if not actions:
        return [_ASSIGNED_POD_UPDATE if new.node_name else UNSCHEDULED_POD_UPDATE]
    resource = EventResource.ASSIGNED_POD if new.node_name else EventResource.UNSCHEDULABLE_POD
    return [ClusterEvent(resource, action) for action in actions]


def _scaled_down(old: Pod, new: Pod) -> bool:
    """Return True if any request got smaller or was removed."""
    if new.requests is old.requests:
        return False
    return any(name not in new.requests or amount > new.requests[name] for name, amount in old.requests.items())


def _claim_statuses(pod: Pod) -> tuple[Any, Any]:
    return pod.claim_names, pod.extended_claim


def node_update_events(old: Node, new: Node, declared_features: bool = False) -> list[ClusterEvent]:
    """Return one event for each specific change; none for changes that scheduling ignores.

    `declared_features`: changes of declared features are events. Source: NodeSchedulingPropertiesChange.
    """
    changes = (
        # Uncordoning counts as a change of taints; cordoning cannot help a pod.
        (ActionType.UPDATE_NODE_TAINT, old.unschedulable and not new.unschedulable),
        (ActionType.UPDATE_NODE_ALLOCATABLE, new.allocatable != old.allocatable),
        (ActionType.UPDATE_NODE_LABEL, new.labels != old.labels),
        (ActionType.UPDATE_NODE_TAINT, new.taints != old.taints),
        (ActionType.UPDATE_NODE_CONDITION, new.conditions != old.conditions),
        (ActionType.UPDATE_NODE_ANNOTATION, new.annotations != old.annotations),
        (ActionType.UPDATE_NODE_DECLARED_FEATURE, declared_features and new.declared_features != old.declared_features),
    )
    return [ClusterEvent(EventResource.NODE, action) for action, changed in changes if changed]
