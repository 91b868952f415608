"""Gating: PreEnqueue plugins decide whether a pod may enter activeQ or backoffQ.

Source: pkg/scheduler/backend/queue/scheduling_queue.go runPreEnqueuePlugins.
"""

from collections.abc import Callable, Mapping, Sequence

from kube_objects.defects import PASSED_ON
from scheduler_core.framework.interface import PreEnqueuePlugin
from scheduler_core.framework.queued_pod import QueuedPodInfo


def run_pre_enqueue(
    by_profile: Mapping[str, Sequence[PreEnqueuePlugin]], queued: QueuedPodInfo, on_defect: Callable[[Exception], None]
) -> None:
    """Set the pod's `gating_plugin` to the first plugin that gates it, or to "".

    The plugin that gated it last runs first. A plugin that raises gates the pod, as upstream's plugins do that return
    an error.
    """
    plugins = by_profile.get(queued.pod.scheduler_name, ())
    for plugin in sorted(plugins, key=lambda plugin: plugin.name != queued.gating_plugin):
        if not _passes(plugin, queued, on_defect):
            queued.unschedulable_plugins.add(plugin.name)
            queued.gating_plugin = plugin.name
            return
    queued.gating_plugin = ""


def _passes(plugin: PreEnqueuePlugin, queued: QueuedPodInfo, on_defect: Callable[[Exception], None]) -> bool:
    try:
        return plugin.pre_enqueue(queued.pod).is_success
    except PASSED_ON:
        raise
    except Exception as error:
        on_defect(error)
        return False
