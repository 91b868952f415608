"""NodePorts in the table of in-tree plugins."""

from scheduler_core.edits.costs import AWAY, DISABLE
from scheduler_core.facts.links import CONFIG
from scheduler_core.plugins.node_ports import facts, repairs
from scheduler_core.plugins.node_ports.plugin import NodePorts
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=NodePorts,
    v1_36=NodePorts,
    what="The host ports that the pod asks for must be free on the node.",
    docs=CONFIG + "#scheduling-plugins",
    facts=facts.facts,
    needs=repairs.needs,
    edits=("other_port", "drop_port", *AWAY, DISABLE),
)
