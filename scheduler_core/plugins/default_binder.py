"""DefaultBinder: bind the pod to its node through the API server."""

from kube_objects.pod import Pod
from scheduler_core.facts.links import CONFIG
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import BindPlugin, WithHandle
from scheduler_core.framework.status import Status
from scheduler_core.plugins.plugin_bundle import PluginBundle


class DefaultBinder(WithHandle, BindPlugin):
    """Source: pkg/scheduler/framework/plugins/defaultbinder."""

    name = "DefaultBinder"

    def bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return self._handle.writer.bind(pod, node_name)


BUNDLE = PluginBundle(
    v1_34=DefaultBinder,
    v1_36=DefaultBinder,
    what="Writes the node into the pod, by the API server's binding call.",
    docs=CONFIG + "#scheduling-plugins",
)
