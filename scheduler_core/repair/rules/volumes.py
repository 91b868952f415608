"""VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits: another claim, class, place, or fewer users."""

from collections.abc import Iterable, Sequence

from scheduler_core.explain.filters.volume_binding import is_served, volume_affinity
from scheduler_core.objects.kinds.core.persistent_volume import PersistentVolume
from scheduler_core.objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from scheduler_core.objects.kinds.storage.csi_node import CSINode
from scheduler_core.objects.node import Node
from scheduler_core.objects.pod import Pod
from scheduler_core.objects.selectors import NodeSelectorTerm, Requirement, matches_node
from scheduler_core.plugins import volume_restrictions, volume_zone
from scheduler_core.plugins.helper import Constant
from scheduler_core.plugins.node_volume_limits.attachables import ClaimNotFoundError, attachables
from scheduler_core.plugins.volume_binding.claims import SELECTED_NODE
from scheduler_core.plugins.volumes import READ_WRITE_ONCE_POD, named_claims
from scheduler_core.repair.edits import Edit, Ref, put
from scheduler_core.repair.question import Need, Question
from scheduler_core.repair.rules import claims
from scheduler_core.repair.rules.node_affinity import values_for
from scheduler_core.repair.rules.other_edits import (
    label,
    nodes_own,
    object_edit,
    pods_there,
    smallest_sets,
    without_plugin,
    without_pods,
)
from scheduler_core.sentences import Template

Options = list[Iterable[Edit | None] | Edit | None]
ADD_VOLUME = Template("Add a volume of {size} bytes for the claim {claim} on {node}")
MOVE_VOLUME = Template("Let the volume {volume} be used in {zone}")
FORGET_NODE = Template("Let the claim {claim} forget the node {node} that was chosen for its volume")
_MOST_USERS = 5


def binding_needs(question: Question) -> list[Need]:
    """One need for each claim that cannot be used: on the node, or, where PreFilter says so, at all."""
    found = []
    for _, name in claims.named(question.pod):
        claim = claims.claim_object(question, name)
        if claim is None:
            added = claims.added_claims(question, name)
            found.append(_need(question, name, added))
        elif question.node is None:
            if not claim.volume_name or _volume(question, claim) is None or claim.deletion_timestamp is not None:
                found.append(_need(question, name, claims.other_classes(question, claim)))
        elif options := _on_node(question, claim, question.node.node):
            found.append(_need(question, name, options))
    if question.node is not None and not found:
        # What is wrong does not show claim by claim: two of them may want the same volume.
        for _, name in claims.named(question.pod):
            claim = claims.claim_object(question, name)
            if claim is not None and not claim.volume_name:
                more = [*claims.other_classes(question, claim), _added_volume(question, claim, question.node.node)]
                found.append(_need(question, name, more))
                break
    return found


def _need(question: Question, name: str, more: Sequence[Iterable[Edit | None] | Edit | None]) -> Need:
    return question.need(*claims.other_claims(question, name), *more, claims.no_claim(question, name))


def _volume(question: Question, claim: PersistentVolumeClaim) -> PersistentVolume | None:
    found: PersistentVolume | None = question.lister.get("PersistentVolume", claim.volume_name)
    return found


def _on_node(question: Question, claim: PersistentVolumeClaim, node: Node) -> Options:
    """What would let this claim be used on the node; nothing where it can be, or where only other claims help."""
    if claim.volume_name:
        volume = _volume(question, claim)
        if volume is None:
            return [None]
        assert question.node is not None
        affinity = volume_affinity(question.lister, volume, question.node)
        if affinity is None or matches_node(affinity, node):
            return []
        return [*(way for term in affinity.terms for way in _labelled(question, term, node)), None]
    selected = claim.annotations.get(SELECTED_NODE)
    if selected is not None and selected != node.name:
        change = put("metadata", "annotations", SELECTED_NODE, value=None)
        told = FORGET_NODE(claim=claim.name, node=selected)
        path = f"metadata.annotations.{SELECTED_NODE}"
        return [object_edit(question, claim, "claim_class", path, told, change, before=selected)]
    assert question.node is not None
    if is_served(question.lister, claim, question.node):
        return []
    return [*claims.other_classes(question, claim), _added_volume(question, claim, node)]


def _labelled(question: Question, term: NodeSelectorTerm, node: Node) -> list[list[Edit | None]]:
    if any(field.values != (node.name,) for field in term.fields):
        return []
    unmet: list[Requirement] = [one for one in term.expressions if not one.matches(node.labels)]
    if not unmet or any(not values_for(one) for one in unmet):
        return []
    return [[label(question, node, one.key, values_for(one)[0]) for one in unmet]]


def _added_volume(question: Question, claim: PersistentVolumeClaim, node: Node) -> Edit | None:
    cost = question.prices.of("add_volume")
    if cost is None or claim.selector is not None:
        return None
    spec = claims.manifest_spec(claim)
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
    told = ADD_VOLUME(size=claim.request, claim=claim.name, node=node.name)
    return claims.created("add_volume", cost, Ref("PersistentVolume", name), told, manifest)


def zone_needs(question: Question) -> list[Need]:
    if question.node is None:
        return binding_needs(question)
    node = nodes_own(question)
    data: Constant[list[volume_zone.VolumeTopology]] | None = question.state.find(volume_zone.PRE_FILTER)
    found = []
    for topology in data.value if data is not None else ():
        keys = (topology.key, volume_zone.TOPOLOGY_LABELS[topology.key])
        key = next((key for key in keys if key in node.labels), topology.key)
        actual = node.labels.get(key)
        if actual in topology.values:
            continue
        options: Options = [label(question, node, key, value) for value in sorted(topology.values)]
        volume: PersistentVolume | None = question.lister.get("PersistentVolume", topology.volume)
        if volume is not None and actual is not None:
            told = MOVE_VOLUME(volume=volume.name, zone=f"{topology.key}={actual}")
            change = put("metadata", "labels", topology.key, value=actual)
            path = f"metadata.labels.{topology.key}"
            before = volume.labels.get(topology.key)
            options.append(
                object_edit(question, volume, "relabel_volume", path, told, change, before=before, after=actual)
            )
        for _, name in claims.named(question.pod):
            claim = claims.claim_object(question, name)
            if claim is not None and claim.volume_name == topology.volume:
                options += [*claims.other_claims(question, name), claims.no_claim(question, name)]
        found.append(question.need(*options, without_plugin(question)))
    return found


def restriction_needs(question: Question) -> list[Need]:
    if question.node is None:
        return binding_needs(question)
    found = []
    for name in sorted(set(named_claims(question.pod))):
        claim = claims.claim_object(question, name)
        users = [] if claim is None or READ_WRITE_ONCE_POD not in claim.access_modes else _users(question, name)
        if users:
            gone = without_pods(question, [users]) if len(users) <= _MOST_USERS else []
            no_claim = claims.no_claim(question, name)
            found.append(question.need(*claims.other_claims(question, name), *gone, no_claim, without_plugin(question)))
    disks = volume_restrictions.exclusive_disks(question.pod)
    for disk in disks:
        holders = [pod for pod in pods_there(question.node) if volume_restrictions.is_taken([disk], [pod])]
        if holders:
            gone = without_pods(question, [holders]) if len(holders) <= _MOST_USERS else []
            found.append(question.need(*gone, without_plugin(question)))
    return found


def _users(question: Question, name: str) -> list[Pod]:
    nodes = question.nodes.claim_users(f"{question.pod.namespace}/{name}")
    views = [question.nodes.find(node) for node in nodes]
    return [
        pod
        for view in views
        if view is not None
        for pod in view.pods
        if pod.namespace == question.pod.namespace and name in named_claims(pod)
    ]


def limit_needs(question: Question) -> list[Need]:
    view = question.node
    if view is None:
        return binding_needs(question)
    csi_node: CSINode | None = question.lister.get("CSINode", view.name)
    try:
        wanted = {one.key for one in attachables(question.pod, question.lister, True) if one.counts_on(csi_node)}
    except ClaimNotFoundError:
        return [_need(question, name, claims.added_claims(question, name)) for _, name in claims.named(question.pod)]
    limits = {} if csi_node is None else {one.name: one.allocatable_count for one in csi_node.drivers}
    held = {
        pod.uid: {one.key for one in attachables(pod, question.lister, False) if one.counts_on(csi_node)}
        for pod in pods_there(view)
        if pod.volumes
    }
    used = set().union(*held.values()) if held else set()
    found = []
    for driver in sorted({key[0] for key in wanted}):
        limit = limits.get(driver)
        over = len({key for key in used | wanted if key[0] == driver}) - (limit if limit is not None else 1 << 30)
        if over <= 0:
            continue
        holders = [pod for pod in pods_there(view) if any(key[0] == driver for key in held.get(pod.uid, ()))]

        def enough(pods: Sequence[Pod], driver: str = driver, limit: int = limit or 0) -> bool:
            gone = {pod.uid for pod in pods}
            left = set().union(*(keys for uid, keys in held.items() if uid not in gone), wanted)
            return len({key for key in left if key[0] == driver}) <= limit

        options: Options = [*without_pods(question, smallest_sets(question, holders, enough))]
        for _, name in claims.named(question.pod):
            options += [*claims.other_claims(question, name), claims.no_claim(question, name)]
        found.append(question.need(*options, without_plugin(question)))
    return found
