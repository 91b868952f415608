"""InterPodAffinity in the table of in-tree plugins."""

from scheduler_core.edits.costs import AWAY, DISABLE
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import ASSIGN
from scheduler_core.plugins.inter_pod_affinity import arithmetic, facts, in_1_36, repairs
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=InterPodAffinity,
    v1_36=in_1_36.InterPodAffinity,
    what="Places pods near pods that they want, away from those that they avoid, by the domains of a node label.",
    docs=ASSIGN + "#inter-pod-affinity-and-anti-affinity",
    facts=facts.facts,
    arithmetic=Arithmetic(arithmetic.raw, arithmetic.normalized),
    needs=repairs.needs,
    edits=("soften", "label", "relabel", *AWAY, DISABLE),
)
