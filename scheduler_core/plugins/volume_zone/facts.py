"""VolumeZone's facts: the zones and regions of the pod's volumes.

Source: pkg/scheduler/framework/plugins/volumezone.
"""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.volume_zone import plugin as volume_zone

SAME_PLACE = Template("the volume's label {wanted} agrees with the node's")
OTHER_PLACE = Template("the volume can only be used where {wanted}; the node has {actual}")
UNPLACED = Template("the node has no zone or region labels: volumes may be used there")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    data: ConstantState[list[volume_zone.VolumeTopology]] | None = state.find(volume_zone.PRE_FILTER)
    if data is None:
        return []
    if not any(key in node.labels for key in volume_zone.TOPOLOGY_LABELS):
        return [Fact(UNPLACED(), topology.volume) for topology in data.value]
    return [_place(topology, node) for topology in data.value]


def _place(topology: volume_zone.VolumeTopology, node: NodeView) -> Fact:
    """Compare the volume's label with the node's same label, or else with the newer label of the same meaning."""
    keys = (topology.key, volume_zone.TOPOLOGY_LABELS[topology.key])
    key = next((key for key in keys if key in node.labels), topology.key)
    actual = node.labels.get(key)
    wanted = f"{topology.key} in ({','.join(sorted(topology.values))})"
    if actual in topology.values:
        return Fact(SAME_PLACE(wanted=wanted), topology.volume)
    node_label = f"{key}={actual}" if actual is not None else f"!{key}"
    return Fact(OTHER_PLACE(wanted=wanted, actual=node_label), topology.volume, True, {"actual": actual})
