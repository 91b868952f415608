"""Updates of one condition in the status of several objects."""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import handlers, patches
from kube_apiserver.writes.options import WriteOptions
from playground.kubernetes import object_reads, write_commands
from playground.kubernetes.requests import Request

Object = Mapping[str, Any]


def update_conditions(
    request: Request, resource: Resource, manager: str, conditions: Iterable[tuple[Object, Object]], kind: str
) -> None:
    """Write a condition to each object as `manager`. `kind` is the media type of the patch."""
    time, world, changed = (
        request.now.strftime(TIME_FORMAT),
        object_reads.StoredClusterReader(request.cluster),
        list[dict[str, Any]](),
    )
    options = WriteOptions(manager, time, force=True, subresource="status")
    for live, condition in conditions:
        sent = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": live["metadata"]["name"]},
            "status": {"conditions": [{"lastTransitionTime": time, **condition}]},
        }
        written = handlers.patch(resource, dict(live), kind, sent, options, world)
        changed += [written.value] if written.value is not None else []
    if changed:
        write_commands.submit_and_wait(
            request, resource, [write_commands.write_payload("update", changed, is_strict=False)]
        )


APPLIED, MERGED = patches.APPLY_PATCH[0], patches.MERGE_PATCH
