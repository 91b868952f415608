"""Run the PostFilter plugins of a profile, until one makes the pod schedulable.

Source: pkg/scheduler/framework/runtime/framework.go RunPostFilterPlugins.
"""

from kube_objects.pod import Pod
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.interface import ExtensionPoint, PostFilterResult
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Code, PluginError, Status
from scheduler_core.framework.trace import Trace


def run_post_filter(
    framework: ProfileFramework, state: CycleState, pod: Pod, statuses: NodeToStatus, trace: Trace | None
) -> PostFilterResult:
    """Return the first success, unresolvable rejection or error; else the joined reasons of all plugins."""
    reasons: list[str] = []
    nominated: str | None = None
    first = ""
    for plugin in framework.post_filter:
        try:
            result = plugin.post_filter(state, pod, statuses)
        except PluginError as error:
            result = PostFilterResult(Status.error(str(error)))
        status = result.status.with_plugin(plugin.name)
        if trace is not None:
            trace.add_calls(result.calls)
            trace.add(ExtensionPoint.POST_FILTER, plugin.name, status, data=result.detail)
        if status.is_success or status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return PostFilterResult(status, result.nominated_node, result.detail)
        if not status.is_rejected:
            return PostFilterResult(status)
        if result.nominated_node is not None:
            nominated = result.nominated_node
        reasons += status.reasons
        first = first or plugin.name
    return PostFilterResult(Status(Code.UNSCHEDULABLE, tuple(reasons), first), nominated)
