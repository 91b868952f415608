"""VolumeBinding's score: always 0, because its feature gate is off."""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.calculation import Calculation, Line
from scheduler_core.facts.scene import Scene

GATED = Template("volumes are scored only with the feature gate StorageCapacityScoring, which is off")


def raw(scene: Scene, node: NodeView) -> Calculation:
    return Calculation([Line(GATED(), "0", 0)], 0)
