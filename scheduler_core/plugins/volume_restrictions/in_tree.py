"""VolumeRestrictions in the table of in-tree plugins."""

from scheduler_core.edits.costs import AWAY, DISABLE, OF_CLAIMS
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.volume_restrictions import facts, repairs
from scheduler_core.plugins.volume_restrictions.plugin import VolumeRestrictions

BUNDLE = PluginBundle(
    v1_34=VolumeRestrictions,
    v1_36=VolumeRestrictions,
    what="Some disks, and ReadWriteOncePod claims, can be used by one pod only.",
    docs="/concepts/storage/persistent-volumes/#access-modes",
    facts=facts.facts,
    needs=repairs.needs,
    edits=(*OF_CLAIMS, *AWAY, DISABLE),
)
