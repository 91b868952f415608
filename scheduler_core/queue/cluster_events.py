"""Cluster events for an updated pod or node, and which registered events an event matches.

Source: pkg/scheduler/framework/events.go, pkg/scheduler/framework/types.go.
"""

from typing import Any

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import Action, ClusterEvent, Resource

# Labels of moves that no cluster event causes.
SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF_QUEUE = "PopFromBackoffQ"
# Upstream has no label for these two, because it counts only incoming pods.
POP = "Pop"
DONE = "Done"

ASSIGNED_POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
_ASSIGNED_POD_UPDATE = ClusterEvent(Resource.ASSIGNED_POD, Action.UPDATE)
UNSCHEDULED_POD_ADD = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.UPDATE)
UNSCHEDULED_POD_DELETE = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.DELETE)
# Computed once, because every pod needs them.
POD_ADDED, POD_UPDATED, POD_DELETED = (
    event.label for event in (UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE, UNSCHEDULED_POD_DELETE)
)
UNSCHEDULABLE_TIMEOUT = ClusterEvent(Resource.WILDCARD, Action.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE = ClusterEvent(Resource.WILDCARD, Action.ALL, "ForceActivate")
NODE_ADD = ClusterEvent(Resource.NODE, Action.ADD)
NODE_DELETE = ClusterEvent(Resource.NODE, Action.DELETE)


def is_wildcard(event: ClusterEvent) -> bool:
    return event.resource == Resource.WILDCARD and event.action == Action.ALL


def matches(registered: ClusterEvent, event: ClusterEvent) -> bool:
    """Return True if `event` equals what a plugin registered or is more specific."""
    if is_wildcard(registered):
        return True
    return (
        _covers(registered.resource, event.resource)
        and bool(registered.action & event.action)
        and int(event.action) <= int(registered.action)
    )


def _covers(registered: Resource, resource: Resource) -> bool:
    """Return True if the registered resource includes `resource`; Pod includes assigned and unscheduled pods."""
    return registered in (Resource.WILDCARD, resource) or (
        registered == Resource.POD and resource in (Resource.ASSIGNED_POD, Resource.UNSCHEDULABLE_POD)
    )


def pod_update_events(old: Pod, new: Pod) -> list[ClusterEvent]:
    """Return one event for each specific change, or the general Update event if there is none.

    Source: PodSchedulingPropertiesChange.
    """
    changes = (
        (Action.UPDATE_POD_LABEL, new.labels != old.labels),
        (Action.UPDATE_POD_SCALE_DOWN, _scaled_down(old, new)),
        (Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED, bool(old.scheduling_gates) and not new.scheduling_gates),
        (Action.UPDATE_POD_TOLERATION, len(new.tolerations) != len(old.tolerations)),
        (Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM, _claim_statuses(new) != _claim_statuses(old)),
    )
    actions = [action for action, changed in changes if changed]
    if not actions:
        return [_ASSIGNED_POD_UPDATE if new.node_name else UNSCHEDULED_POD_UPDATE]
    resource = Resource.ASSIGNED_POD if new.node_name else Resource.UNSCHEDULABLE_POD
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
        (Action.UPDATE_NODE_TAINT, old.unschedulable and not new.unschedulable),
        (Action.UPDATE_NODE_ALLOCATABLE, new.allocatable != old.allocatable),
        (Action.UPDATE_NODE_LABEL, new.labels != old.labels),
        (Action.UPDATE_NODE_TAINT, new.taints != old.taints),
        (Action.UPDATE_NODE_CONDITION, new.conditions != old.conditions),
        (Action.UPDATE_NODE_ANNOTATION, new.annotations != old.annotations),
        (Action.UPDATE_NODE_DECLARED_FEATURE, declared_features and new.declared_features != old.declared_features),
    )
    return [ClusterEvent(Resource.NODE, action) for action, changed in changes if changed]
