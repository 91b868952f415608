"""Repairs for VolumeZone: change a label of the node or of the volume, or use another PVC."""

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.sentences import Template
from scheduler_core.edits.edit import set_value
from scheduler_core.edits.object_edits import (
    disable_plugin,
    label_node,
    make_object_edit,
    require_node,
)
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.volume_binding import claim_edits
from scheduler_core.plugins.volume_binding.repairs import Options
from scheduler_core.plugins.volume_binding.repairs import needs as binding_needs
from scheduler_core.plugins.volume_zone import plugin as volume_zone

MOVE_VOLUME = Template("Let the volume {volume} be used in {zone}")


def needs(question: Question) -> list[Need]:
    if question.node is None:
        return binding_needs(question)
    node = require_node(question)
    data: ConstantState[list[volume_zone.VolumeTopology]] | None = question.state.find(volume_zone.PRE_FILTER)
    all_needs = []
    for topology in data.value if data is not None else ():
        keys = (topology.key, volume_zone.TOPOLOGY_LABELS[topology.key])
        key = next((key for key in keys if key in node.labels), topology.key)
        actual = node.labels.get(key)
        if actual in topology.values:
            continue
        options: Options = [label_node(question, node, key, value) for value in sorted(topology.values)]
        volume: PersistentVolume | None = question.lister.get("PersistentVolume", topology.volume)
        if volume is not None and actual is not None:
            sentence = MOVE_VOLUME(volume=volume.name, zone=f"{topology.key}={actual}")
            change = set_value("metadata", "labels", topology.key, value=actual)
            path = f"metadata.labels.{topology.key}"
            before = volume.labels.get(topology.key)
            options.append(
                make_object_edit(
                    question, volume, "relabel_volume", path, sentence, change, before=before, after=actual
                )
            )
        for _, name in claim_edits.list_claim_volumes(question.pod):
            claim = claim_edits.get_claim(question, name)
            if claim is not None and claim.volume_name == topology.volume:
                options += [*claim_edits.replace_claim(question, name), claim_edits.drop_claim(question, name)]
        all_needs.append(question.need(*options, disable_plugin(question)))
    return all_needs
