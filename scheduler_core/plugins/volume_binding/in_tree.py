"""VolumeBinding in the table of in-tree plugins."""

from scheduler_core.edits.costs import OF_CLAIMS
from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.volume_binding import arithmetic, facts, repairs
from scheduler_core.plugins.volume_binding.plugin import VolumeBinding

BUNDLE = PluginBundle(
    v1_34=VolumeBinding,
    v1_36=VolumeBinding,
    what="The node must reach the pod's bound volumes, and claims that wait for their first pod must find or be made a "
    "volume there.",
    docs="/concepts/storage/storage-classes/#volume-binding-mode",
    facts=facts.facts,
    arithmetic=Arithmetic(arithmetic.raw),
    needs=repairs.needs,
    edits=OF_CLAIMS,
)
