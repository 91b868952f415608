"""FIFOSort: first come, first served, as before pods had priorities.

Source (v1.10): pkg/scheduler/core/scheduling_queue.go FIFO. A pod that doesn't fit goes to the end of the queue. To use
it in current profiles: `--plugins scheduler_core.legacy.plugins.fifo_sort`.
"""

from scheduler_core.framework.interface import QueueSortPlugin
from scheduler_core.framework.queued_pod import QueuedPodInfo


class FIFOSort(QueueSortPlugin):
    name = "FIFOSort"

    def sort_key(self, pod: QueuedPodInfo) -> tuple[float]:
        return (pod.timestamp,)


PLUGINS = (FIFOSort,)
