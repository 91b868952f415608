"""NodeUnschedulable in the table of in-tree plugins."""

from scheduler_core.edits.costs import DISABLE
from scheduler_core.facts.links import TAINTS
from scheduler_core.plugins.node_unschedulable import facts, repairs
from scheduler_core.plugins.node_unschedulable.plugin import NodeUnschedulable
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=NodeUnschedulable,
    v1_36=NodeUnschedulable,
    what="Keeps pods off cordoned nodes (spec.unschedulable), unless they tolerate that.",
    docs=TAINTS + "#taint-nodes-by-condition",
    facts=facts.facts,
    needs=repairs.needs,
    edits=("tolerate", "uncordon", DISABLE),
)
