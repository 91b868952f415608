"""PrioritySort: higher priority first, among equals the one that has waited longer."""

from scheduler_core.framework.interface import QueueSortPlugin
from scheduler_core.framework.queued_pod import QueuedPod


class PrioritySort(QueueSortPlugin):
    """Source: pkg/scheduler/framework/plugins/queuesort."""

    name = "PrioritySort"

    def sort_key(self, pod: QueuedPod) -> tuple[int, float]:
        return -pod.pod.priority, pod.timestamp
