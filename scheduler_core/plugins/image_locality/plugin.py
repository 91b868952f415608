"""ImageLocality: prefer nodes that have the pod's images, by their size and by how many nodes have them."""

import numpy as np

from kube_objects.pod import Container, Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import MAX_NODE_SCORE, Reads, ScorePlugin, WithHandle

MEBIBYTE = 1024 * 1024
# A sum of sizes below the minimum scores 0; each container raises the maximum by its threshold.
MIN_THRESHOLD = 23 * MEBIBYTE
MAX_CONTAINER_THRESHOLD = 1000 * MEBIBYTE


class ImageLocality(WithHandle, ScorePlugin):
    """Source: pkg/scheduler/framework/plugins/imagelocality."""

    name = "ImageLocality"
    reads = Reads.NODE
    reads_metadata = False

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        total_nodes = len(self._handle.nodes)
        size = np.zeros(len(nodes), np.int64)
        for image in self.images(pod):
            size += self._sizes(normalized_image_name(image), nodes, total_nodes)
        most = MAX_CONTAINER_THRESHOLD * len(self._containers(pod))
        return MAX_NODE_SCORE * (np.clip(size, MIN_THRESHOLD, most) - MIN_THRESHOLD) // (most - MIN_THRESHOLD)

    def _sizes(self, image: str, nodes: Nodes, total_nodes: int) -> IntColumn | int:
        """Return the image's scaled size on each node that has it, else 0."""
        sizes = nodes.image_nodes(image)
        if not sizes:
            return 0
        # Scaled by the share of nodes that have it, so that a rare image doesn't attract all its pods to few nodes.
        return int(next(iter(sizes.values())) * (len(sizes) / total_nodes)) * nodes.with_image(image)

    def images(self, pod: Pod) -> list[str]:
        """Return the pod's images, each as often as it is named."""
        return [container.image for container in self._containers(pod)]

    def _containers(self, pod: Pod) -> tuple[Container, ...]:
        return (*pod.init_containers, *pod.containers)


def normalized_image_name(name: str) -> str:
    """Return the name with `:latest` if it has no tag."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
