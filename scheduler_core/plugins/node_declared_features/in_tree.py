"""NodeDeclaredFeatures in the table of in-tree plugins."""

from scheduler_core.facts.links import CONFIG
from scheduler_core.plugins.node_declared_features import repairs
from scheduler_core.plugins.node_declared_features.plugin import NodeDeclaredFeatures
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=None,
    v1_36=NodeDeclaredFeatures,
    what="Keeps pods that need a feature of the kubelet off nodes that do not declare it; since v1.36.",
    docs=CONFIG + "#scheduling-plugins",
    needs=repairs.needs,
    edits=("drop_feature",),
)
