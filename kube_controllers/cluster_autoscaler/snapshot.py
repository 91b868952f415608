"""Snapshot: the cluster as it would be, with which an actor asks the scheduler's filters; its holder gives it."""

from collections.abc import Iterable, Sequence
from typing import Protocol, Self

from kube_objects.manifests import Manifest


class Snapshot(Protocol):
    """Source: cluster-autoscaler/simulator/clustersnapshot/clustersnapshot.go."""

    @property
    def nodes(self) -> Sequence[str]:
        """The names of all nodes, in the order in which they came."""

    def copied(self) -> Self: ...

    def check_node(self, node: Manifest) -> None:
        """Raise ValueError with all that is wrong with the manifest."""

    def add_node(self, node: Manifest) -> None: ...

    def remove_node(self, name: str) -> None: ...

    def add_pod(self, pod: Manifest, node: str) -> None: ...

    def first_fit(self, pod: Manifest, nodes: Iterable[str]) -> str | None:
        """The first of these nodes that no filter rejects."""

    def why_not(self, pod: Manifest, node: str) -> str:
        """What rejects the pod there; "" if nothing does."""
