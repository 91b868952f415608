"""ImageLocality in the table of in-tree plugins."""

from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import CONFIG
from scheduler_core.plugins.image_locality import arithmetic, in_1_36
from scheduler_core.plugins.image_locality.plugin import ImageLocality
from scheduler_core.plugins.plugin_bundle import PluginBundle

BUNDLE = PluginBundle(
    v1_34=ImageLocality,
    v1_36=in_1_36.ImageLocality,
    what="Favours nodes that have the pod's images already, the larger the better.",
    docs=CONFIG + "#scheduling-plugins",
    arithmetic=Arithmetic(arithmetic.raw),
)
