"""GangScheduling in the table of in-tree plugins."""

from scheduler_core.facts.links import CONFIG
from scheduler_core.plugins.gang_scheduling import repairs
from scheduler_core.plugins.gang_scheduling.plugin import GangScheduling
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=None,
    v1_36=GangScheduling,
    what="Binds the pods of a gang only when as many of them as it asks for (minCount) have found room; since v1.36.",
    docs=CONFIG + "#scheduling-plugins",
    needs=repairs.needs,
    edits=("add_group", "smaller_gang", "leave_gang"),
)
