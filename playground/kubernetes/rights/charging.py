"""Use of quotas, counted by the API server before it stores a write."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kube_apiserver.admission import resource_quota
from kube_apiserver.resources import Resource
from playground.kubernetes import reading
from playground.kubernetes.keyed_locks import keyed_lock
from playground.kubernetes.requests import Request

QUOTA = "ResourceQuota"


@contextmanager
def charged(
    request: Request, resource: Resource, key: str, value: Mapping[str, Any]
) -> Iterator[tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]]:
    """Yield the quotas that the write uses, as stored and with the write charged to them.

    One write per namespace is counted at a time. In a cluster with controllers, these count instead.
    """
    namespace = str(value["metadata"].get("namespace") or "")
    world = reading.World(request.cluster)
    if request.cluster.actors or not namespace or not world.list(QUOTA, namespace):
        yield [], []
        return
    with keyed_lock(request.cluster.pk, QUOTA, namespace):
        live = reading.manifest(request.cluster, resource, key)
        quotas = reading.World(request.cluster).list(QUOTA, namespace)
        spent = resource_quota.charge(resource, live, value, quotas)
        names = [each["metadata"]["name"] for each in spent]
        yield [each for name in names for each in quotas if each["metadata"]["name"] == name], list(spent)
