"""What an update of a pod or a node means to the scheduler, and which registered events an event matches.

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
# Upstream has no label for these two, as it counts only pods that come in.
POP = "Pop"
DONE = "Done"

ASSIGNED_POD_ADD = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD)
ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
_ASSIGNED_POD_UPDATE = ClusterEvent(Resource.ASSIGNED_POD, Action.UPDATE)
UNSCHEDULED_POD_ADD = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.ADD)
UNSCHEDULED_POD_UPDATE = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.UPDATE)
UNSCHEDULED_POD_DELETE = ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.DELETE)
# Labels are put together from words; these are asked for with every pod.
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
    """Whether `event` is the same as, or more specific than, what a plugin registered."""
    if is_wildcard(registered):
        return True
    return (
        _covers(registered.resource, event.resource)
        and bool(registered.action & event.action)
        and int(event.action) <= int(registered.action)
    )


def _covers(registered: Resource, resource: Resource) -> bool:
    """Plugins register Pod; events tell assigned pods from those that wait."""
    return registered in (Resource.WILDCARD, resource) or (
        registered == Resource.POD and resource in (Resource.ASSIGNED_POD, Resource.UNSCHEDULABLE_POD)
    )


def pod_update_events(old: Pod, new: Pod) -> list[ClusterEvent]:
    """The specific things that changed, or the general Update if none of them did.

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
    """Any request got smaller or vanished."""
    if new.requests is old.requests:
        return False
    return any(name not in new.requests or amount > new.requests[name] for name, amount in old.requests.items())


def _claim_statuses(pod: Pod) -> tuple[Any, Any]:
    return pod.claim_names, pod.extended_claim


def node_update_events(old: Node, new: Node, declared_features: bool = False) -> list[ClusterEvent]:
    """The specific things that changed; none for a change that scheduling does not look at.

    `declared_features`: whether it looks at those. Source: NodeSchedulingPropertiesChange.
    """
    changes = (
        # Lifting a cordon counts as a change of taints; imposing one helps nobody.
        (Action.UPDATE_NODE_TAINT, old.unschedulable and not new.unschedulable),
        (Action.UPDATE_NODE_ALLOCATABLE, new.allocatable != old.allocatable),
        (Action.UPDATE_NODE_LABEL, new.labels != old.labels),
        (Action.UPDATE_NODE_TAINT, new.taints != old.taints),
        (Action.UPDATE_NODE_CONDITION, new.conditions != old.conditions),
        (Action.UPDATE_NODE_ANNOTATION, new.annotations != old.annotations),
        (Action.UPDATE_NODE_DECLARED_FEATURE, declared_features and new.declared_features != old.declared_features),
    )
    return [ClusterEvent(Resource.NODE, action) for action, changed in changes if changed]
