"""NodeName in the table of in-tree plugins."""

from scheduler_core.facts.links import ASSIGN
from scheduler_core.plugins.node_name import facts, repairs
from scheduler_core.plugins.node_name.plugin import NodeName
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=NodeName,
    v1_36=NodeName,
    what="A pod that names its node (spec.nodeName) fits on no other.",
    docs=ASSIGN + "#nodename",
    facts=facts.facts,
    needs=repairs.needs,
    edits=("drop_node_name",),
)
