"""TaintToleration in the table of in-tree plugins."""

from scheduler_core.edits.costs import DISABLE
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import TAINTS
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.taint_toleration import arithmetic, facts, in_1_36, repairs
from scheduler_core.plugins.taint_toleration.plugin import TaintToleration

BUNDLE = PluginBundle(
    v1_34=TaintToleration,
    v1_36=in_1_36.TaintToleration,
    what="Keeps pods off nodes with taints that they do not tolerate; soft taints (PreferNoSchedule) only cost score.",
    docs=TAINTS,
    facts=facts.facts,
    arithmetic=Arithmetic(arithmetic.raw, arithmetic.normalized),
    needs=repairs.needs,
    edits=("tolerate", "untaint", DISABLE),
)
