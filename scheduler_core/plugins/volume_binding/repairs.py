"""Repairs for VolumeBinding: another PVC, another StorageClass, a new volume, or another node."""

from collections.abc import Iterable, Sequence

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.node import Node
from kube_objects.selectors import NodeSelectorTerm, Requirement
from kube_objects.sentences import Template
from scheduler_core.edits.edit import Edit, Ref, set_value
from scheduler_core.edits.object_edits import (
    label_node,
    make_object_edit,
)
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.node_affinity.repairs import values_for
from scheduler_core.plugins.volume_binding import claim_edits
from scheduler_core.plugins.volume_binding.claims import SELECTED_NODE
from scheduler_core.plugins.volume_binding.facts import is_served, volume_affinity
from scheduler_core.plugins.volumes import EPHEMERAL, owner_error

Options = list[Iterable[Edit | None] | Edit | None]
ADD_VOLUME = Template("Add a volume of {size} bytes for the claim {claim} on {node}")
FORGET_NODE = Template("Let the claim {claim} forget the node {node} that was chosen for its volume")


def needs(question: Question) -> list[Need]:
    """Return a need for each PVC that can't be used on the node, or at all if PreFilter rejected the pod."""
    all_needs = [] if question.node is not None else _ephemeral_volume_needs(question)
    for _, name in claim_edits.list_claim_volumes(question.pod):
        claim = claim_edits.get_claim(question, name)
        if claim is None:
            added = claim_edits.create_missing_claim(question, name)
            all_needs.append(need_of_claim(question, name, added))
        elif question.node is None:
            if not claim.volume_name or _volume(question, claim) is None or claim.deletion_timestamp is not None:
                all_needs.append(need_of_claim(question, name, claim_edits.replace_storage_class(question, claim)))
        elif options := _edits_for_node(question, claim, question.node.node):
            all_needs.append(need_of_claim(question, name, options))
    if question.node is not None and not all_needs:
        # Each PVC fits by itself, but two of them may need the same volume.
        for _, name in claim_edits.list_claim_volumes(question.pod):
            claim = claim_edits.get_claim(question, name)
            if claim is not None and not claim.volume_name:
                more = [
                    *claim_edits.replace_storage_class(question, claim),
                    _create_volume(question, claim, question.node.node),
                ]
                all_needs.append(need_of_claim(question, name, more))
                break
    return all_needs


def _ephemeral_volume_needs(question: Question) -> list[Need]:
    """Return a need for each ephemeral volume whose PVC is missing, deleted, or another pod's."""
    result = []
    for volume in question.pod.volumes if question.node is None else ():
        claim = claim_edits.get_claim(question, volume.claim_name) if volume.source == EPHEMERAL else None
        gone = claim is None or claim.deletion_timestamp is not None
        if volume.source == EPHEMERAL and (claim is None or gone or owner_error(question.pod, claim)):
            result.append(question.need(claim_edits.drop_ephemeral_volume(question, volume), about=volume.name))
    return result


def need_of_claim(question: Question, name: str, more: Sequence[Iterable[Edit | None] | Edit | None]) -> Need:
    return question.need(*claim_edits.replace_claim(question, name), *more, claim_edits.drop_claim(question, name))


def _volume(question: Question, claim: PersistentVolumeClaim) -> PersistentVolume | None:
    volume: PersistentVolume | None = question.lister.get("PersistentVolume", claim.volume_name)
    return volume


def _edits_for_node(question: Question, claim: PersistentVolumeClaim, node: Node) -> Options:
    """Return edits with which this PVC can be used on the node; empty if it can be, or only edits of other PVCs
    help.
    """
    if claim.volume_name:
        volume = _volume(question, claim)
        if volume is None:
            return [None]
        assert question.node is not None
        affinity = volume_affinity(question.lister, volume, question.node)
        if affinity is None or affinity.matches(node.labels, node.name):
            return []
        return [*(way for term in affinity.terms for way in _label_for_term(question, term, node)), None]
    selected = claim.annotations.get(SELECTED_NODE)
    if selected is not None and selected != node.name:
        change = set_value("metadata", "annotations", SELECTED_NODE, value=None)
        sentence = FORGET_NODE(claim=claim.name, node=selected)
        path = f"metadata.annotations.{SELECTED_NODE}"
        return [make_object_edit(question, claim, "claim_class", path, sentence, change, before=selected)]
    assert question.node is not None
    if is_served(question.lister, claim, question.node):
        return []
    return [*claim_edits.replace_storage_class(question, claim), _create_volume(question, claim, node)]


def _label_for_term(question: Question, term: NodeSelectorTerm, node: Node) -> list[list[Edit | None]]:
    if any(field.values != (node.name,) for field in term.fields):
        return []
    unmet: list[Requirement] = [one for one in term.expressions if not one.matches(node.labels)]
    if not unmet or any(not values_for(one) for one in unmet):
        return []
    return [[label_node(question, node, one.key, values_for(one)[0]) for one in unmet]]


def _create_volume(question: Question, claim: PersistentVolumeClaim, node: Node) -> Edit | None:
    cost = question.prices.cost_of("add_volume")
    if cost is None or claim.selector is not None:
        return None
    spec = claim_edits.copy_manifest_spec(claim)
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node.name]}]}
    name = f"{claim.name}-{node.name}"[:253]
    manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": str(claim.request)},
            "accessModes": list(claim.access_modes),
            "storageClassName": claim.storage_class_name or "",
            "volumeMode": spec.get("volumeMode") or "Filesystem",
            "local": {"path": f"/mnt/{claim.name}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
        "status": {"phase": "Available"},
    }
    sentence = ADD_VOLUME(size=claim.request, claim=claim.name, node=node.name)
    return claim_edits.make_create_edit("add_volume", cost, Ref("PersistentVolume", name), sentence, manifest)
