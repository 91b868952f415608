"""The Dangling condition of FlowSchemas, updated after a write of a FlowSchema or PriorityLevelConfiguration."""

from kube_apiserver import flow_control
from kube_apiserver.resources import by_kind
from playground.kubernetes import object_reads
from playground.kubernetes.requests import Request
from playground.kubernetes.upkeep import condition_updates


def update_conditions(request: Request) -> None:
    """Update the conditions of all FlowSchemas. Source: apiserver/pkg/util/flowcontrol/apf_controller.go."""
    world, resource = object_reads.StoredClusterReader(request.cluster), by_kind(flow_control.SCHEMA)
    levels = {str(each["metadata"]["name"]) for each in world.list(flow_control.LEVEL)}
    untold = flow_control.outdated(world.list(flow_control.SCHEMA), levels.__contains__)
    condition_updates.update_conditions(request, resource, flow_control.CONSUMER, untold, condition_updates.APPLIED)
