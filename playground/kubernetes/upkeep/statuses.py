"""A condition told of objects whose own has become another."""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import handlers, patches
from kube_apiserver.writes.options import WriteOptions
from playground.kubernetes import reading, storing
from playground.kubernetes.requests import Request

Object = Mapping[str, Any]


def tell(
    request: Request, resource: Resource, manager: str, conditions: Iterable[tuple[Object, Object]], kind: str
) -> None:
    """Each object with its condition; `kind` is the media type of the patch by which the manager writes."""
    time, world, changed = request.now.strftime(TIME_FORMAT), reading.World(request.cluster), list[dict[str, Any]]()
    by = WriteOptions(manager, time, force=True, subresource="status")
    for live, condition in conditions:
        sent = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": live["metadata"]["name"]},
            "status": {"conditions": [{"lastTransitionTime": time, **condition}]},
        }
        written = handlers.patch(resource, dict(live), kind, sent, by, world)
        changed += [written.value] if written.value is not None else []
    if changed:
        storing.carry_out(request, resource, [storing.writing("update", changed, is_strict=False)])


APPLIED, MERGED = patches.APPLY_PATCH[0], patches.MERGE_PATCH
