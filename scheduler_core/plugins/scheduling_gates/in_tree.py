"""SchedulingGates in the table of in-tree plugins."""

from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.scheduling_gates import repairs
from scheduler_core.plugins.scheduling_gates.plugin import SchedulingGates

BUNDLE = PluginBundle(
    v1_34=SchedulingGates,
    v1_36=SchedulingGates,
    what="A pod with scheduling gates is not tried before all of them are removed.",
    docs="/concepts/scheduling-eviction/pod-scheduling-readiness/",
    needs=repairs.needs,
    edits=("lift_gate",),
)
