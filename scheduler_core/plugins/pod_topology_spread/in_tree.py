"""PodTopologySpread in the table of in-tree plugins."""

from scheduler_core.edits.costs import ARGUE, AWAY, DISABLE
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import SPREAD
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.pod_topology_spread import arithmetic, facts, in_1_36, repairs
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread

BUNDLE = PluginBundle(
    v1_34=PodTopologySpread,
    v1_36=in_1_36.PodTopologySpread,
    what="Spreads pods of a kind evenly over zones, nodes, or whatever a node label divides the cluster into.",
    docs=SPREAD,
    facts=facts.facts,
    arithmetic=Arithmetic(arithmetic.raw, arithmetic.normalized),
    needs=repairs.needs,
    edits=("soften", "raise_skew", "label", "relabel", *AWAY, ARGUE, DISABLE),
)
