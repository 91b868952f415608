"""VolumeBinding for all nodes at once gives what upstream's rules give for one node at a time."""

import random
from typing import Any

import pytest

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.node import Node
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.status import Status
from scheduler_core.plugins.volume_binding.finding import REASONS
from scheduler_core.plugins.volume_binding.plugin import State, VolumeBinding
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster
from tests.core.plugins.storage import (
    BIND_COMPLETED,
    HOST,
    SELECTED_NODE,
    ZONE,
    Manifest,
    StorageHandle,
    capacity,
    claim,
    csi_driver,
    storage_class,
    using,
    volume,
)

Outcome = tuple[frozenset[str], dict[str, str], list[str]]
CLASSES = [
    storage_class("static"),
    storage_class("zoned", "d.csi", allowed=[{ZONE: "a,b"}]),
    storage_class("counted", "c.csi"),
    csi_driver("c.csi"),
]


def random_cluster(rng: random.Random) -> tuple[StorageHandle, list[str]]:
    """Nodes and storage, and the names of the claims of one pod."""
    nodes = [make_node(f"n{i}").zone(rng.choice("abc")) for i in range(5)]
    objects: list[Manifest] = list(CLASSES)
    claims = [f"c{i}" for i in range(rng.randint(1, 4))]
    for zone in "abc":
        if rng.random() < 0.7:
            size = f"{rng.randint(1, 9)}Gi"
            selector = {"matchLabels": {ZONE: zone}}
            objects.append(capacity(f"cap-{zone}", "counted", size, selector))
    for i in range(rng.randint(0, 8)):
        on = rng.choice([None, {HOST: rng.choice("01234").join(["n", ""])}, {ZONE: rng.choice("abc")}])
        reserved = rng.choice([None, None, None, {"name": rng.choice(["c0", "c1", "other"])}])
        size, class_name = f"{rng.randint(1, 9)}Gi", rng.choice(["static", "static", "zoned", "counted"])
        objects.append(volume(f"v{i}", size, class_name, on, claim_ref=reserved))
    for name in claims:
        size, class_name = f"{rng.randint(1, 6)}Gi", rng.choice(["static", "zoned", "counted"])
        bound_to = rng.choice(["", "", "", "", f"v{rng.randint(0, 8)}"])
        selected = rng.choice(["", "", "", "n1"]) if not bound_to else ""
        objects.append(claim(name, size, class_name, bound_to=bound_to, selected_node=selected))
    named = [*claims, claims[0]] if rng.random() < 0.1 else claims
    return StorageHandle(cluster(nodes), objects), named


def one_node(handle: StorageHandle, node: Node, names: list[str]) -> Outcome:
    """FindPodVolumes for one node: reasons, claim → volume, claims whose volumes are to be made."""
    claims = [handle.get("PersistentVolumeClaim", f"default/{name}") for name in names]
    reasons: set[str] = set()
    for found in claims:
        if BIND_COMPLETED in found.annotations:
            bound = handle.get("PersistentVolume", found.volume_name)
            if bound is None or not reaches(bound, node):
                reasons.add(REASONS[0] if bound is not None else REASONS[3])
                break
    waiting = [found for found in claims if BIND_COMPLETED not in found.annotations]
    bindings: dict[str, str] = {}
    make: list[PersistentVolumeClaim] = [found for found in waiting if SELECTED_NODE in found.annotations]
    if any(found.annotations[SELECTED_NODE] != node.name for found in make):
        return frozenset(reasons | {REASONS[1]}), {}, []
    taken: set[str] = set()
    for found in sorted((found for found in waiting if found not in make), key=lambda found: found.request):
        chosen = match(handle, found, node, taken)
        if chosen is None:
            make.append(found)
        else:
            taken.add(chosen.name)
            bindings[found.key] = chosen.name
    for found in make:
        reason = provision(handle, found, node)
        if reason:
            reasons.add(reason)
            break
    return frozenset(reasons), bindings, [found.key for found in make]


def reaches(candidate: PersistentVolume, node: Node) -> bool:
    return candidate.node_affinity is None or candidate.node_affinity.matches(node.labels, node.name)


def match(handle: StorageHandle, found: PersistentVolumeClaim, node: Node, taken: set[str]) -> PersistentVolume | None:
    smallest: PersistentVolume | None = None
    for candidate in handle.lister.list("PersistentVolume"):
        if candidate.storage_class_name != found.storage_class_name or candidate.name in taken:
            continue
        if candidate.claim_ref is not None and candidate.claim_ref[:2] != (found.namespace, found.name):
            continue
        if candidate.capacity < found.request:
            continue
        if candidate.claim_ref is not None:
            return candidate if reaches(candidate, node) else None
        if reaches(candidate, node) and (smallest is None or smallest.capacity > candidate.capacity):
            smallest = candidate
    return smallest


def provision(handle: StorageHandle, found: PersistentVolumeClaim, node: Node) -> str:
    zone = node.labels[ZONE]
    match found.storage_class_name:
        case "static":
            return REASONS[1]
        case "zoned":
            return "" if zone in "ab" else REASONS[1]
    reports = [report for report in handle.lister.list("CSIStorageCapacity") if report.name == f"cap-{zone}"]
    return "" if any(report.capacity >= found.request for report in reports) else REASONS[2]


@pytest.mark.parametrize("seed", range(300))
def test_all_nodes_at_once(seed: int) -> None:
    handle, names = random_cluster(random.Random(seed))
    anything: Any = handle
    plugin, state = VolumeBinding.create(None, anything), CycleState()
    pod = using(make_pod("p"), *dict.fromkeys(names)).build()
    pod.volumes = tuple(next(found for found in pod.volumes if found.claim_name == name) for name in names)
    assert plugin.pre_filter(state, pod, handle.nodes).status.is_success
    verdicts = plugin.filter(state, pod, handle.nodes)
    data: State = state.read("VolumeBinding")
    assert data.finding is not None
    for i, node in enumerate(handle.nodes):
        reasons, bindings, make = one_node(handle, node.node, names)
        want = Status.unresolvable(*(reason for reason in REASONS if reason in reasons)) if reasons else Status()
        assert verdicts.status(i) == want
        if not reasons:
            got = data.finding.volumes_on(node.name)
            assert {found.key: chosen.name for chosen, found in got.bindings} == bindings
            assert [found.key for found in got.provisions] == make
