"""NodeAffinity in the table of in-tree plugins."""

from scheduler_core.edits.costs import ARGUE, DISABLE
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import ASSIGN
from scheduler_core.plugins.node_affinity import arithmetic, facts, repairs
from scheduler_core.plugins.node_affinity.plugin import NodeAffinity
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=NodeAffinity,
    v1_36=NodeAffinity,
    what="Matches the pod's nodeSelector and node affinity with the nodes' labels; preferred terms add to the score.",
    docs=ASSIGN + "#node-affinity",
    facts=facts.facts,
    arithmetic=Arithmetic(arithmetic.raw, arithmetic.normalized),
    needs=repairs.needs,
    edits=("drop_selector", "soften", "widen", "label", "relabel", ARGUE, DISABLE),
)
