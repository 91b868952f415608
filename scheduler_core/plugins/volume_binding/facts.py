"""VolumeBinding's facts: whether bound PVCs can be used on the node, and unbound ones get a volume there.

Source: pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes.
"""

from collections.abc import Iterator

import numpy as np

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.selectors import NodeSelector
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.quantities import format_bytes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.csi_migration import BY_SOURCE, is_listed, translate_affinity
from scheduler_core.plugins.node_selector import nodes_selected
from scheduler_core.plugins.volume_binding.claims import SELECTED_NODE
from scheduler_core.plugins.volume_binding.plugin import STATE_KEY, State
from scheduler_core.plugins.volume_binding.provisioning import can_provision, has_capacity
from scheduler_core.plugins.volume_binding.static_volumes import choose_volumes

USABLE = Template("bound to the volume {volume}, which can be used on this node")
UNUSABLE = Template("bound to the volume {volume}, which can only be used where {wanted}")
GONE = Template("bound to the volume {volume}, which does not exist")
ELSEWHERE = Template("its volume is being made for the node {node}")
TAKES = Template("waits for its first pod: it would take the volume {volume}")
MADE = Template("waits for its first pod: class {storage_class} would make a volume for this node")
NO_VOLUME = Template("waits for its first pod: no free volume suits, class {storage_class} makes none for this node")
NO_ROOM = Template("waits for its first pod: no storage of class {storage_class} in reach has room for {request}")
NO_CLASS = Template("waits for its first pod: its storage class {storage_class} does not exist")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    data: State | None = state.find(STATE_KEY)
    if data is None:
        return []
    bound = [_bound(context, claim, node) for claim in data.claims.bound]
    return [*bound, *_unbound(context, data.claims.delayed, node)]


def _bound(context: AttemptContext, claim: PersistentVolumeClaim, node: NodeView) -> Fact:
    volume: PersistentVolume | None = context.lister.get("PersistentVolume", claim.volume_name)
    if volume is None:
        return Fact(GONE(volume=claim.volume_name), claim.key, True)
    affinity = volume_affinity(context.lister, volume, node)
    if _reaches(affinity, node):
        return Fact(USABLE(volume=volume.name), claim.key)
    wanted = "" if affinity is None else " | ".join(map(wording.format_node_term, affinity.terms))
    return Fact(UNUSABLE(volume=volume.name, wanted=wanted), claim.key, True)


def volume_affinity(lister: Lister, volume: PersistentVolume, node: NodeView) -> NodeSelector | None:
    """Return the volume's node affinity, with the CSI driver's labels for a migrated in-tree volume."""
    plugin = BY_SOURCE.get(volume.source)
    csi_node: CSINode | None = lister.get("CSINode", node.name)
    if plugin is None or plugin.migrated == "never" or not is_listed(plugin, csi_node):
        return volume.node_affinity
    return translate_affinity(plugin, volume)


def is_served(lister: Lister, claim: PersistentVolumeClaim, node: NodeView) -> bool:
    """Return True if a delayed PVC, considered by itself, gets a volume on the node."""
    volumes = list(lister.list("PersistentVolume"))

    def reach(affinity: NodeSelector | None) -> BoolColumn:
        return np.array([_reaches(affinity, node)])

    choices = choose_volumes([claim], volumes, np.ones(1, np.bool_), reach)
    if any(choice.volume_on(0) is not None for choice in choices):
        return True
    storage_class: StorageClass | None = lister.get("StorageClass", claim.storage_class_name or "")
    if storage_class is None or not can_provision(storage_class, node.as_nodes)[0]:
        return False
    return bool(has_capacity(claim, storage_class, node.as_nodes, lister)[0])


def _reaches(affinity: NodeSelector | None, node: NodeView) -> bool:
    return affinity is None or bool(nodes_selected(affinity, node.as_nodes)[0])


def _unbound(context: AttemptContext, claims: list[PersistentVolumeClaim], node: NodeView) -> Iterator[Fact]:
    selected = [claim for claim in claims if SELECTED_NODE in claim.annotations]
    for claim in selected:
        chosen = claim.annotations[SELECTED_NODE]
        yield Fact(ELSEWHERE(node=chosen), claim.key, True) if chosen != node.name else _made(context, claim, node)

    def reach(affinity: NodeSelector | None) -> BoolColumn:
        return np.array([_reaches(affinity, node)])

    others = [claim for claim in claims if claim not in selected]
    volumes = list(context.lister.list("PersistentVolume"))
    for choice in choose_volumes(others, volumes, np.ones(1, np.bool_), reach):
        volume = choice.volume_on(0)
        if volume is not None:
            yield Fact(TAKES(volume=volume.name), choice.claim.key)
        else:
            yield _made(context, choice.claim, node)


def _made(context: AttemptContext, claim: PersistentVolumeClaim, node: NodeView) -> Fact:
    name = claim.storage_class_name or ""
    storage_class: StorageClass | None = context.lister.get("StorageClass", name)
    if storage_class is None:
        return Fact(NO_CLASS(storage_class=name), claim.key, True)
    if not can_provision(storage_class, node.as_nodes)[0]:
        return Fact(NO_VOLUME(storage_class=name), claim.key, True)
    if not has_capacity(claim, storage_class, node.as_nodes, context.lister)[0]:
        return Fact(NO_ROOM(storage_class=name, request=format_bytes(claim.request)), claim.key, True)
    return Fact(MADE(storage_class=name), claim.key)
