"""Gating: PreEnqueue plugins decide whether a pod may enter the active or backoff queue at all.

Source: pkg/scheduler/backend/queue/scheduling_queue.go runPreEnqueuePlugins.
"""

from collections.abc import Sequence

from scheduler_core.framework.interface import PreEnqueuePlugin
from scheduler_core.framework.queued_pod import QueuedPod


def run_pre_enqueue(plugins: Sequence[PreEnqueuePlugin], queued: QueuedPod) -> None:
    """Note in `queued` the first plugin that gates the pod, or none; the one that gated it last is asked first."""
    for plugin in sorted(plugins, key=lambda plugin: plugin.name != queued.gating_plugin):
        if not plugin.pre_enqueue(queued.pod).is_success:
            queued.unschedulable_plugins.add(plugin.name)
            queued.gating_plugin = plugin.name
            return
    queued.gating_plugin = ""
