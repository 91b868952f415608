"""VolumeBinding's score: always 0, because its feature gate is off."""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine

GATED = Template("volumes are scored only with the feature gate StorageCapacityScoring, which is off")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    return Calculation([CalculationLine(GATED(), "0", 0)], 0)
