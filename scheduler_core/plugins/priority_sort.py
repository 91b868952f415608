"""PrioritySort: higher priority first, then longer waiting time."""

from scheduler_core.facts.links import PREEMPTION
from scheduler_core.framework.interface import QueueSortPlugin
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.plugins.plugin_bundle import PluginBundle


class PrioritySort(QueueSortPlugin):
    """Source: pkg/scheduler/framework/plugins/queuesort."""

    name = "PrioritySort"

    def sort_key(self, pod: QueuedPodInfo) -> tuple[int, float]:
        return -pod.pod.priority, pod.timestamp


BUNDLE = PluginBundle(
    v1_34=PrioritySort,
    v1_36=PrioritySort,
    what="Orders the queue by Pod priority, then by the time the Pod entered the queue.",
    docs=PREEMPTION + "#effect-of-pod-priority-on-scheduling-order",
)
