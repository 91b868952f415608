"""DynamicResources in the table of in-tree plugins."""

from scheduler_core.edits.costs import AWAY
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.plugins.dynamic_resources import arithmetic, in_1_36, repairs
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=DynamicResources,
    v1_36=in_1_36.DynamicResources,
    what="Finds devices for the pod's resource claims on each node, and writes into the claims which they were given.",
    docs="/concepts/scheduling-eviction/dynamic-resource-allocation/",
    arithmetic=Arithmetic(arithmetic.raw, arithmetic.normalized),
    needs=repairs.needs,
    edits=("fewer_devices", "other_claim", "claim_class", "drop_claim", "lower_request", *AWAY),
)
