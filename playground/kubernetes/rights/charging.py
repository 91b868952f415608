"""What is used of a namespace's quotas, told by who lets a write in: an API server counts before it stores."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kubernetes_api.admission import table as admission
from kubernetes_api.resources import Resource
from playground.kubernetes import reading, storing
from playground.kubernetes.requests import Request
from playground.kubernetes.turns import turn

QUOTA = "ResourceQuota"


@contextmanager
def charged(
    request: Request, resource: Resource, key: str, value: Mapping[str, Any]
) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The commands by which quotas of the namespace say what is used, before it is; one write at a time counts there.

    With controllers the cluster counts itself.
    """
    namespace = str(value["metadata"].get("namespace") or "")
    world = reading.World(request.cluster)
    if request.cluster.actors or not namespace or not world.list(QUOTA, namespace):
        yield ()
        return
    with turn(request.cluster.pk, QUOTA, namespace):
        live = reading.manifest(request.cluster, resource, key)
        quotas = reading.World(request.cluster).list(QUOTA, namespace)
        spent = admission.charges(resource, live, value, quotas)
        yield [storing.writing("update", spent, is_strict=False)] if spent else ()
