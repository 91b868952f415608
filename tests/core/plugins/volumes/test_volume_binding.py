"""VolumeBinding up to Filter: which nodes a pod's claims leave."""

from collections.abc import Iterable
from typing import Any

import pytest

from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, PluginError, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.volume_binding.finding import (
    BIND_CONFLICT,
    NODE_CONFLICT,
    NOT_ENOUGH_SPACE,
    VOLUME_MISSING,
)
from scheduler_core.plugins.volume_binding.plugin import UNBOUND_IMMEDIATE, VolumeBinding
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.storage import (
    HOST,
    ZONE,
    Manifest,
    StorageHandle,
    capacity,
    claim,
    csi_driver,
    csi_node,
    parse,
    storage_class,
    using,
    volume,
    with_volume,
)

CONFLICT, UNBOUND, FULL, MISSING = (
    Status.unresolvable(reason) for reason in (NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING)
)
CLASSES = [
    storage_class("local"),
    storage_class("now", waits=False),
    storage_class("made", "d.csi"),
    storage_class("made-in-a", "d.csi", allowed=[{ZONE: "a"}]),
    storage_class("counted", "counted.csi"),
    csi_driver("counted.csi"),
    csi_driver("d.csi", reports_capacity=False),
]


def build(*objects: Manifest, more: Iterable[NodeBuilder] = ()) -> tuple[VolumeBinding, StorageHandle]:
    """n0 in zone a, n1 in zone b, and `more` nodes."""
    nodes = cluster([make_node("n0").zone("a"), make_node("n1").zone("b"), *more])
    handle: Any = StorageHandle(nodes, [*CLASSES, *objects])
    return VolumeBinding.create(None, handle), handle


def pod(*claims: str) -> PodBuilder:
    return using(make_pod("p").uid("uid-p"), *claims)


@pytest.mark.parametrize(
    ("name", "objects", "want"),
    [
        ("anywhere", [volume("v"), claim("c", bound_to="v")], [OK, OK]),
        ("on one node", [volume("v", on={HOST: "n1"}), claim("c", bound_to="v")], [CONFLICT, OK]),
        ("in either place", [volume("v", on={HOST: "n0", ZONE: "b"}), claim("c", bound_to="v")], [OK, OK]),
        ("volume is gone", [claim("c", bound_to="v")], [MISSING, MISSING]),
    ],
)
def test_bound_claims(name: str, objects: list[Manifest], want: list[Status]) -> None:
    plugin, handle = build(*objects)
    assert filtered(plugin, pod("c").build(), handle.nodes) == want


def test_the_first_bound_claim_that_does_not_do_decides() -> None:
    plugin, handle = build(volume("v", on={HOST: "n1"}), claim("c", bound_to="v"), claim("d", bound_to="gone"))
    assert filtered(plugin, pod("c", "d").build(), handle.nodes) == [CONFLICT, MISSING]
    assert filtered(plugin, pod("d", "c").build(), handle.nodes) == [MISSING, MISSING]


@pytest.mark.parametrize(
    ("name", "volumes", "given", "want"),
    [
        ("none", [], claim("c"), [UNBOUND, UNBOUND]),
        ("large enough", [volume("v", "5Gi")], claim("c"), [OK, OK]),
        ("too small", [volume("v", "4Gi")], claim("c"), [UNBOUND, UNBOUND]),
        ("on one node", [volume("v", on={ZONE: "b"})], claim("c"), [UNBOUND, OK]),
        ("other class", [volume("v", class_name="made")], claim("c"), [UNBOUND, UNBOUND]),
        ("not available yet", [volume("v", phase="Pending")], claim("c"), [UNBOUND, UNBOUND]),
        ("released", [volume("v", phase="Released")], claim("c"), [UNBOUND, UNBOUND]),
        ("of another claim", [volume("v", claim_ref={"name": "d"})], claim("c"), [UNBOUND, UNBOUND]),
        ("its own", [volume("v", claim_ref={"name": "c"}, phase="Bound")], claim("c"), [OK, OK]),
        ("its own, too small", [volume("v", "1Gi", claim_ref={"name": "c"})], claim("c"), [UNBOUND, UNBOUND]),
        ("of an earlier one", [volume("v", claim_ref={"name": "c", "uid": "old"})], claim("c"), [UNBOUND, UNBOUND]),
        (
            "its own decides, where it cannot be used too",
            [volume("own", on={HOST: "n0"}, claim_ref={"name": "c"}), volume("v")],
            claim("c"),
            [OK, UNBOUND],
        ),
        ("block instead of files", [volume("v", volumeMode="Block")], claim("c"), [UNBOUND, UNBOUND]),
        ("both block", [volume("v", volumeMode="Block")], claim("c", volumeMode="Block"), [OK, OK]),
        ("fewer ways of access", [volume("v")], claim("c", modes=["ReadWriteMany"]), [UNBOUND, UNBOUND]),
        ("more", [volume("v", modes=["ReadWriteOnce", "ReadOnlyMany"])], claim("c"), [OK, OK]),
        (
            "selected by label",
            [volume("v", labels={"disk": "ssd"})],
            claim("c", selector={"matchLabels": {"disk": "ssd"}}),
            [OK, OK],
        ),
        (
            "not selected",
            [volume("v", labels={"disk": "hdd"})],
            claim("c", selector={"matchLabels": {"disk": "ssd"}}),
            [UNBOUND, UNBOUND],
        ),
        ("other attributes", [volume("v", volumeAttributesClassName="fast")], claim("c"), [UNBOUND, UNBOUND]),
        (
            "same attributes",
            [volume("v", volumeAttributesClassName="fast")],
            claim("c", volumeAttributesClassName="fast"),
            [OK, OK],
        ),
    ],
)
def test_existing_volumes(name: str, volumes: list[Manifest], given: Manifest, want: list[Status]) -> None:
    plugin, handle = build(*volumes, given)
    assert filtered(plugin, pod("c").build(), handle.nodes) == want


def test_a_volume_that_is_being_deleted_is_not_taken() -> None:
    deleted = volume("v")
    deleted["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
    plugin, handle = build(deleted, claim("c"))
    assert filtered(plugin, pod("c").build(), handle.nodes) == [UNBOUND, UNBOUND]


def test_two_claims_need_two_volumes() -> None:
    plugin, handle = build(volume("v"), volume("w", on={HOST: "n1"}), claim("c"), claim("d"))
    assert filtered(plugin, pod("c", "d").build(), handle.nodes) == [UNBOUND, OK]


A, B = {"matchLabels": {ZONE: "a"}}, {"matchLabels": {ZONE: "b"}}


@pytest.mark.parametrize(
    ("name", "class_name", "objects", "want"),
    [
        ("anywhere", "made", [], [OK, OK]),
        ("in the zone of the class", "made-in-a", [], [OK, UNBOUND]),
        ("existing ones first", "made-in-a", [volume("v", class_name="made-in-a", on={HOST: "n1"})], [OK, OK]),
        ("no report", "counted", [], [FULL, FULL]),
        ("enough in one zone", "counted", [capacity("x", "counted", "5Gi", A)], [OK, FULL]),
        ("not enough", "counted", [capacity("x", "counted", "4Gi", A)], [FULL, FULL]),
        ("one of two", "counted", [capacity("x", "counted", "1Gi", A), capacity("y", "counted", "9Gi", B)], [FULL, OK]),
        ("everywhere", "counted", [capacity("x", "counted", "5Gi", {})], [OK, OK]),
        ("nowhere", "counted", [capacity("x", "counted", "5Gi")], [FULL, FULL]),
        ("the largest volume counts", "counted", [capacity("x", "counted", "99Gi", {}, "4Gi")], [FULL, FULL]),
        ("no figure", "counted", [capacity("x", "counted", None, {})], [FULL, FULL]),
        ("of another class", "counted", [capacity("x", "made", "5Gi", {})], [FULL, FULL]),
        ("selected before", "made", [claim("c", class_name="made", selected_node="n1")], [UNBOUND, OK]),
        ("selected, but no room", "counted", [claim("c", class_name="counted", selected_node="n1")], [UNBOUND, FULL]),
        (
            "selected claims do not take existing volumes",
            "local",
            [claim("c", selected_node="n1"), volume("v")],
            [UNBOUND, UNBOUND],
        ),
    ],
)
def test_volumes_to_be_made(name: str, class_name: str, objects: list[Manifest], want: list[Status]) -> None:
    plugin, handle = build(claim("c", class_name=class_name), *objects)
    assert filtered(plugin, pod("c").build(), handle.nodes) == want


def test_all_reasons_of_a_node_are_listed() -> None:
    bound = [volume("v", on={HOST: "n1"}, phase="Bound"), claim("c", bound_to="v")]
    plugin, handle = build(*bound, claim("d"), claim("e", class_name="counted"))
    both = Status.unresolvable(NODE_CONFLICT, BIND_CONFLICT)
    assert filtered(plugin, pod("c", "d").build(), handle.nodes) == [both, UNBOUND]
    full = Status.unresolvable(NODE_CONFLICT, NOT_ENOUGH_SPACE)
    assert filtered(plugin, pod("c", "e").build(), handle.nodes) == [full, FULL]
    # Of the claims without a volume only the first counts, and the smallest is the first.
    assert filtered(plugin, pod("d", "e").build(), handle.nodes) == [UNBOUND, UNBOUND]
    assert filtered(plugin, pod("e", "d").build(), handle.nodes) == [FULL, FULL]


def test_an_in_tree_volume_is_looked_for_by_the_drivers_labels_where_the_node_is_migrated() -> None:
    disk = volume("v", on={ZONE: "a"}, source={"gcePersistentDisk": {"pdName": "d"}})
    csi_nodes = [csi_node(name, migrated="kubernetes.io/gce-pd") for name in ("n0", "n2")]
    n2 = make_node("n2").label("topology.gke.io/zone", "a")
    n3 = make_node("n3").label("topology.gke.io/zone", "a")
    for objects, want in (
        (csi_nodes, [CONFLICT, CONFLICT, OK, CONFLICT]),
        ([csi_node("n0"), csi_node("n2")], [OK, CONFLICT, CONFLICT, CONFLICT]),
    ):
        plugin, handle = build(disk, claim("c", bound_to="v"), *objects, more=[n2, n3])
        assert filtered(plugin, pod("c").build(), handle.nodes) == want


def test_an_in_tree_volume_without_a_csi_form_is_an_internal_error() -> None:
    disk = volume("v", source={"azureDisk": {"diskURI": "u", "kind": "Dedicated"}})
    plugin, handle = build(disk, claim("c", bound_to="v"), csi_node("n0", migrated="kubernetes.io/azure-disk"))
    given, state = pod("c").build(), CycleState()
    plugin.pre_filter(state, given, handle.nodes)
    with pytest.raises(PluginError) as caught:
        plugin.filter(state, given, handle.nodes)
    assert str(caught.value) == "could not translate pv: kind(Dedicated) is not supported in csi migration"


def with_ephemeral() -> PodBuilder:
    return with_volume(pod(), "v", ephemeral={"volumeClaimTemplate": {}})


def owned(uid: str) -> Manifest:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": True}
    return claim("p-v", class_name="made", metadata={"name": "p-v", "namespace": "default", "ownerReferences": [owner]})


DELETED = {"name": "c", "namespace": "default", "deletionTimestamp": "2025-01-01T00:00:00Z"}
AWAITED = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"'


@pytest.mark.parametrize(
    ("name", "objects", "given", "want"),
    [
        ("no volumes", [], pod(), SKIP),
        ("no claims", [], with_volume(pod(), "v", emptyDir={}), SKIP),
        ("no such claim", [], pod("c"), Status.unresolvable('persistentvolumeclaim "c" not found')),
        ("bound", [claim("c", bound_to="v")], pod("c"), OK),
        ("waits", [claim("c")], pod("c"), OK),
        ("should be bound", [claim("c", class_name="now")], pod("c"), Status.unresolvable(UNBOUND_IMMEDIATE)),
        ("no class", [claim("c", class_name=None)], pod("c"), Status.unresolvable(UNBOUND_IMMEDIATE)),
        ("class does not exist", [claim("c", class_name="x")], pod("c"), Status.unresolvable(UNBOUND_IMMEDIATE)),
        ("not bound completely", [claim("c", volumeName="v")], pod("c"), Status.unresolvable(UNBOUND_IMMEDIATE)),
        (
            "lost",
            [claim("c", bound_to="v", phase="Lost")],
            pod("c"),
            Status.unresolvable('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"'),
        ),
        (
            "being deleted",
            [claim("c", metadata=DELETED)],
            pod("c"),
            Status.unresolvable('persistentvolumeclaim "c" is being deleted'),
        ),
        ("ephemeral", [owned("uid-p")], with_ephemeral(), OK),
        ("ephemeral, not made yet", [], with_ephemeral(), Status.unresolvable(AWAITED)),
        (
            "ephemeral, of another pod",
            [owned("other")],
            with_ephemeral(),
            Status.unresolvable("PVC default/p-v was not created for pod default/p (pod is not owner)"),
        ),
        (
            "the first problem is told",
            [claim("c", class_name="now")],
            pod("c", "d"),
            Status.unresolvable('persistentvolumeclaim "d" not found'),
        ),
    ],
)
def test_pre_filter(name: str, objects: list[Manifest], given: PodBuilder, want: Status) -> None:
    plugin, handle = build(*objects)
    assert plugin.pre_filter(CycleState(), given.build(), handle.nodes).status == want


def test_it_does_not_score() -> None:
    plugin, handle = build(claim("c", class_name="made"))
    assert plugin.pre_score(CycleState(), pod("c").build(), handle.nodes) == SKIP
    assert plugin.score(CycleState(), pod("c").build(), handle.nodes).tolist() == [0, 0]


def test_every_other_point_needs_pre_filter() -> None:
    plugin, handle = build()
    state, given = CycleState(), pod().build()
    for call in (
        lambda: plugin.filter(state, given, handle.nodes),
        lambda: plugin.reserve(state, given, "n0"),
        lambda: plugin.pre_bind(state, given, "n0"),
    ):
        with pytest.raises(PluginError, match=r"^not found$"):
            call()
    plugin.unreserve(state, given, "n0")


MIGRATED = csi_node("n", migrated="kubernetes.io/gce-pd")
C = claim("c")


@pytest.mark.parametrize(
    ("resource", "old", "new", "want"),
    [
        (EventResource.CSI_NODE, None, csi_node("n"), QueueingHint.QUEUE),
        (EventResource.CSI_NODE, csi_node("n"), MIGRATED, QueueingHint.QUEUE),
        (EventResource.CSI_NODE, csi_node("n", {"a.csi": 1}), csi_node("n", {"a.csi": 2}), QueueingHint.SKIP),
        (EventResource.STORAGE_CLASS, None, storage_class("s"), QueueingHint.QUEUE),
        (
            EventResource.STORAGE_CLASS,
            storage_class("s"),
            storage_class("s", allowed=[{ZONE: "a"}]),
            QueueingHint.QUEUE,
        ),
        (EventResource.STORAGE_CLASS, storage_class("s"), storage_class("s", "other"), QueueingHint.SKIP),
        (EventResource.PERSISTENT_VOLUME_CLAIM, None, C, QueueingHint.QUEUE),
        (EventResource.PERSISTENT_VOLUME_CLAIM, C, C, QueueingHint.QUEUE),
        (EventResource.PERSISTENT_VOLUME_CLAIM, None, claim("p-v"), QueueingHint.QUEUE),
        (EventResource.PERSISTENT_VOLUME_CLAIM, None, claim("d"), QueueingHint.SKIP),
        (EventResource.PERSISTENT_VOLUME_CLAIM, None, claim("c", namespace="blue"), QueueingHint.SKIP),
        (EventResource.PERSISTENT_VOLUME, None, volume("v"), QueueingHint.QUEUE),
        (EventResource.CSI_DRIVER, csi_driver("in.line"), csi_driver("in.line", False), QueueingHint.QUEUE),
        (EventResource.CSI_DRIVER, csi_driver("in.line", False), csi_driver("in.line"), QueueingHint.SKIP),
        (EventResource.CSI_DRIVER, csi_driver("other"), csi_driver("other", False), QueueingHint.SKIP),
        (EventResource.CSI_DRIVER, None, csi_driver("in.line"), None),
        (EventResource.CSI_STORAGE_CAPACITY, None, capacity("x", "s", "1Gi"), QueueingHint.QUEUE),
        (EventResource.CSI_STORAGE_CAPACITY, capacity("x", "s", "1Gi"), capacity("x", "s", "2Gi"), QueueingHint.QUEUE),
        (EventResource.CSI_STORAGE_CAPACITY, capacity("x", "s", "2Gi"), capacity("x", "s", "1Gi"), QueueingHint.SKIP),
        (EventResource.CSI_STORAGE_CAPACITY, capacity("x", "s", None), capacity("x", "s", "1Gi"), QueueingHint.QUEUE),
        (
            EventResource.CSI_STORAGE_CAPACITY,
            capacity("x", "s", "1Gi", {}, "1Gi"),
            capacity("x", "s", "2Gi", {}, "1Gi"),
            QueueingHint.SKIP,
        ),
    ],
)
def test_hints(resource: EventResource, old: Manifest | None, new: Manifest, want: QueueingHint | None) -> None:
    plugin, _ = build()
    waiting = with_volume(
        with_volume(pod("c"), "v", ephemeral={"volumeClaimTemplate": {}}), "i", csi={"driver": "in.line"}
    )
    before = None if old is None else parse(old)
    action = ActionType.ADD if old is None else ActionType.UPDATE
    assert hint(plugin, resource, action, waiting.build(), before, parse(new)) == want


def test_node_events_wake_without_a_hint_but_not_those_about_taints() -> None:
    plugin, _ = build()
    node = make_node("n").build()
    for action in (ActionType.ADD, ActionType.UPDATE_NODE_LABEL):
        assert hint(plugin, EventResource.NODE, action, pod().build(), None, node) == QueueingHint.QUEUE
    assert hint(plugin, EventResource.NODE, ActionType.UPDATE_NODE_TAINT, pod().build(), node, node) is None
