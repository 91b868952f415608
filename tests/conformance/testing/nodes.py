"""`make_node("n1").cpu("4").memory("16Gi").zone("a").build()`."""

from typing import Self

from kube_objects.node import Node
from kube_objects.parse import parse_node
from tests.conformance.testing.builder import ManifestBuilder


def make_node(name: str) -> "NodeBuilder":
    """Return a builder of a node with its hostname label, 4 cores, 16Gi and 110 pods by default."""
    return NodeBuilder(name)


class NodeBuilder(ManifestBuilder):
    def __init__(self, name: str) -> None:
        super().__init__("v1", "Node", name)
        self.label("kubernetes.io/hostname", name)
        self.capacity(cpu="4", memory="16Gi", pods="110")

    def build(self) -> Node:
        return parse_node(self.manifest())

    def capacity(self, resources: dict[str, str] | None = None, **more: str) -> Self:
        """Set the capacity; all of it is allocatable."""
        self._part("status", "capacity").update({**(resources or {}), **more})
        return self

    def cpu(self, amount: str) -> Self:
        return self.capacity(cpu=amount)

    def memory(self, amount: str) -> Self:
        return self.capacity(memory=amount)

    def pods(self, count: int) -> Self:
        return self.capacity(pods=str(count))

    def resource(self, name: str, amount: str) -> Self:
        return self.capacity({name: amount})

    def allocatable(self, resources: dict[str, str]) -> Self:
        """Set exactly what pods may use, whatever the capacity."""
        return self.status(allocatable=dict(resources))

    def zone(self, zone: str, region: str = "") -> Self:
        self.label("topology.kubernetes.io/zone", zone)
        return self.label("topology.kubernetes.io/region", region) if region else self

    def taint(self, key: str, value: str = "", effect: str = "NoSchedule") -> Self:
        return self._append("spec", "taints", {"key": key, "value": value, "effect": effect})

    def cordoned(self) -> Self:
        return self.spec(unschedulable=True)

    def image(self, size_bytes: int, *names: str) -> Self:
        return self._append("status", "images", {"names": list(names), "sizeBytes": size_bytes})
