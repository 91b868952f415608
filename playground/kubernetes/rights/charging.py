"""What is used of a namespace's quotas, told by who lets a write in: an API server counts before it stores."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kube_apiserver.admission import resource_quota
from kube_apiserver.resources import Resource
from playground.kubernetes import reading
from playground.kubernetes.requests import Request
from playground.kubernetes.turns import turn

QUOTA = "ResourceQuota"


@contextmanager
def charged(
    request: Request, resource: Resource, key: str, value: Mapping[str, Any]
) -> Iterator[tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]]:
    """Yield the quotas of the namespace that the write uses: as they are, and with what is used then.

    One write at a time counts there. With controllers the cluster counts itself.
    """
    namespace = str(value["metadata"].get("namespace") or "")
    world = reading.World(request.cluster)
    if request.cluster.actors or not namespace or not world.list(QUOTA, namespace):
        yield [], []
        return
    with turn(request.cluster.pk, QUOTA, namespace):
        live = reading.manifest(request.cluster, resource, key)
        quotas = reading.World(request.cluster).list(QUOTA, namespace)
        spent = resource_quota.charge(resource, live, value, quotas)
        names = [each["metadata"]["name"] for each in spent]
        yield [each for name in names for each in quotas if each["metadata"]["name"] == name], list(spent)
