"""NodeVolumeLimits in the table of in-tree plugins."""

from scheduler_core.edits.costs import AWAY, DISABLE, OF_CLAIMS
from scheduler_core.plugins.node_volume_limits import facts, repairs
from scheduler_core.plugins.node_volume_limits.plugin import NodeVolumeLimits
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=NodeVolumeLimits,
    v1_36=NodeVolumeLimits,
    what="A node can attach only so many volumes of each CSI driver.",
    docs="/concepts/storage/storage-limits/",
    facts=facts.facts,
    needs=repairs.needs,
    edits=(*OF_CLAIMS, *AWAY, DISABLE),
)
