"""What the rules of the API look at besides the object that is written: the others of the cluster."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubernetes_api.resources import Resource, by_kind
from playground.kubernetes import reading
from playground.models import Cluster


@dataclass(frozen=True, slots=True)
class World:
    """The `World` of kubernetes_api.admission."""

    cluster: Cluster

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return reading.manifest(self.cluster, by_kind(kind), f"{namespace}/{name}" if namespace else name)

    def list(self, kind: str, namespace: str = "") -> list[Mapping[str, Any]]:
        resource: Resource = by_kind(kind)
        return list(reading.all_of(self.cluster, resource, namespace))
