"""VolumeZone in the table of in-tree plugins."""

from scheduler_core.edits.costs import DISABLE, OF_CLAIMS
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.volume_zone import facts, repairs
from scheduler_core.plugins.volume_zone.plugin import VolumeZone

BUNDLE = PluginBundle(
    v1_34=VolumeZone,
    v1_36=VolumeZone,
    what="A volume with zone or region labels can only be used on nodes with the same ones.",
    docs="/reference/labels-annotations-taints/#topologykubernetesiozone",
    facts=facts.facts,
    needs=repairs.needs,
    edits=(*OF_CLAIMS, "relabel_volume", DISABLE),
)
