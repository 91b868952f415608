"""The protocol of a cluster snapshot in which the autoscaler and the descheduler try the scheduler's filters."""

from collections.abc import Iterable, Sequence
from typing import Protocol, Self

from kube_objects.manifests import Manifest


class Snapshot(Protocol):
    """Source: cluster-autoscaler/simulator/clustersnapshot/clustersnapshot.go."""

    @property
    def nodes(self) -> Sequence[str]:
        """Return the names of all Nodes, in the order in which they were added."""

    def copied(self) -> Self: ...

    def check_node(self, node: Manifest) -> None:
        """Raise ValueError with all that is wrong with the manifest."""

    def add_node(self, node: Manifest) -> None: ...

    def remove_node(self, name: str) -> None: ...

    def add_pod(self, pod: Manifest, node: str) -> None: ...

    def first_fit(self, pod: Manifest, nodes: Iterable[str]) -> str | None:
        """Return the first of these Nodes that passes all filters."""

    def why_not(self, pod: Manifest, node: str) -> str:
        """Return the reason of the filter that rejects the Pod on the Node, or ""."""
