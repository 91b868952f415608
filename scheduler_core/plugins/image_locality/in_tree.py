"""ImageLocality: all that belongs to it."""

from scheduler_core.facts.explainers import Arithmetic
from scheduler_core.facts.links import CONFIG
from scheduler_core.plugins.image_locality import arithmetic, in_1_36
from scheduler_core.plugins.image_locality.plugin import ImageLocality
from scheduler_core.plugins.parts import Parts

PARTS = Parts(
    v1_34=ImageLocality,
    v1_36=in_1_36.ImageLocality,
    what="Favours nodes that have the pod's images already, the larger the better.",
    docs=CONFIG + "#scheduling-plugins",
    arithmetic=Arithmetic(arithmetic.raw),
)
