"""The condition of flow schemas: whether their priority levels are there, told when either is written."""

from kubernetes_api import flow_control
from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.resources import by_kind
from kubernetes_api.writes import patches, writing
from kubernetes_api.writes.options import WriteOptions
from playground.kubernetes import reading, storing
from playground.kubernetes.requests import Request


def tell(request: Request) -> None:
    """Source: apiserver/pkg/util/flowcontrol/apf_controller.go."""
    world, resource = reading.World(request.cluster), by_kind(flow_control.SCHEMA)
    levels = {str(each["metadata"]["name"]) for each in world.list(flow_control.LEVEL)}
    time = request.now.strftime(TIME_FORMAT)
    by = WriteOptions(flow_control.CONSUMER, time, force=True, subresource="status")
    changed = []
    for schema, condition in flow_control.untold(world.list(flow_control.SCHEMA), levels.__contains__, time):
        sent = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": schema["metadata"]["name"]},
            "status": {"conditions": [condition]},
        }
        written = writing.patch(resource, dict(schema), patches.APPLY_PATCH[0], sent, by, world)
        changed += [written.value] if written.value is not None else []
    if changed:
        storing.carry_out(request, resource, [storing.writing("update", changed, is_strict=False)])
