"""The Available condition of APIServices, updated after a write that may change it."""

from kube_apiserver import api_services
from kube_apiserver.resources import by_kind
from playground.kubernetes import object_reads
from playground.kubernetes.requests import Request
from playground.kubernetes.upkeep import condition_updates


def update_conditions(request: Request) -> None:
    world, resource = object_reads.StoredClusterReader(request.cluster), by_kind(api_services.KIND)
    if object_reads.rows_of(request.cluster, resource, "").exists():
        untold = api_services.outdated(world.list(api_services.KIND), world)
        condition_updates.update_conditions(request, resource, api_services.MANAGER, untold, condition_updates.MERGED)
