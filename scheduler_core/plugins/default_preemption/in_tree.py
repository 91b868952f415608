"""DefaultPreemption in the table of in-tree plugins."""

from scheduler_core.facts.links import PREEMPTION
from scheduler_core.plugins.default_preemption.plugin import DefaultPreemption
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=DefaultPreemption,
    v1_36=DefaultPreemption,
    what="When no node fits, looks for the node where evicting pods of lower priority costs least, evicts them, and "
    "nominates the pod to it.",
    docs=PREEMPTION + "#preemption",
)
