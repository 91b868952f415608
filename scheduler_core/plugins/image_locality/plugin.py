"""ImageLocality: favours nodes that have the pod's images already, by their size and by how many nodes have them."""

import numpy as np

from kube_objects.pod import Container, Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import MAX_NODE_SCORE, Reads, ScorePlugin, WithHandle

MEBIBYTE = 1024 * 1024
# Images below the first do not count; a container's images above the second count no more than that.
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
        """What the image counts for on each node, 0 where it is not."""
        sizes = nodes.image_nodes(image)
        if not sizes:
            return 0
        # Scaled by its spread, so that pods do not heat up the few nodes that have a rare image.
        return int(next(iter(sizes.values())) * (len(sizes) / total_nodes)) * nodes.with_image(image)

    def images(self, pod: Pod) -> list[str]:
        """The images that count, each as often as it is named."""
        return [container.image for container in self._containers(pod)]

    def _containers(self, pod: Pod) -> tuple[Container, ...]:
        return (*pod.init_containers, *pod.containers)


def normalized_image_name(name: str) -> str:
    """The name with `:latest` where no tag is given."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
