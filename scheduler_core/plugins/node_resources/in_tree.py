"""NodeResourcesFit and NodeResourcesBalancedAllocation in the table of in-tree plugins."""

from scheduler_core.edits.costs import ARGUE, AWAY
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import BIN_PACKING, CONFIG
from scheduler_core.plugins.node_resources import (
    balanced_allocation_arithmetic,
    balanced_allocation_in_1_36,
    fit_arithmetic,
    fit_facts,
    fit_in_1_36,
    fit_repairs,
)
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.plugin_bundle import PluginBundle

FIT = PluginBundle(
    v1_34=NodeResourcesFit,
    v1_36=fit_in_1_36.NodeResourcesFit,
    what="The node must have left what the pod requests. How full it would be is its score, by the strategy: "
    "LeastAllocated, MostAllocated or RequestedToCapacityRatio.",
    docs=BIN_PACKING,
    facts=fit_facts.facts,
    arithmetic=Arithmetic(fit_arithmetic.raw, strategy=fit_arithmetic.strategy_name),
    needs=fit_repairs.needs,
    edits=("lower_request", *AWAY, ARGUE),
)

BALANCED_ALLOCATION = PluginBundle(
    v1_34=NodeResourcesBalancedAllocation,
    v1_36=balanced_allocation_in_1_36.NodeResourcesBalancedAllocation,
    what="Favours nodes whose cpu and memory would be used to about the same share.",
    docs=CONFIG + "#scheduling-plugins",
    arithmetic=Arithmetic(balanced_allocation_arithmetic.raw),
)
