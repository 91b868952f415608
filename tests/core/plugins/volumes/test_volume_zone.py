from typing import Any

import pytest

from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.volume_zone.plugin import REASON, VolumeZone
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.storage import Manifest, StorageHandle, claim, parse, storage_class, using, volume, with_volume

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
BAD = Status.unresolvable(REASON)
CLASSES = [storage_class("waits"), storage_class("now", waits=False)]


def build(nodes: Nodes, *objects: Manifest) -> VolumeZone:
    handle: Any = StorageHandle(nodes, [*CLASSES, *objects])
    return VolumeZone.create(None, handle)


def places() -> Nodes:
    """Zone a by its new name, zone a by its old one, zone b, a region only, no label at all."""
    return cluster(
        [
            make_node("new-a").label(ZONE, "a").label(REGION, "r"),
            make_node("old-a").label(BETA_ZONE, "a"),
            make_node("new-b").label(ZONE, "b").label(REGION, "r"),
            make_node("region").label(REGION, "r"),
            make_node("nowhere"),
        ]
    )


@pytest.mark.parametrize(
    ("name", "labels", "want"),
    [
        ("new label", {ZONE: "a"}, [OK, BAD, BAD, BAD, OK]),
        ("old label matches both", {BETA_ZONE: "a"}, [OK, OK, BAD, BAD, OK]),
        ("several zones", {ZONE: "a__b"}, [OK, BAD, OK, BAD, OK]),
        ("an unknown zone", {ZONE: "x"}, [BAD, BAD, BAD, BAD, OK]),
        ("region", {REGION: "r"}, [OK, BAD, OK, OK, OK]),
        ("old region label", {BETA_REGION: "r"}, [OK, BAD, OK, OK, OK]),
        ("both must agree", {ZONE: "b", REGION: "r"}, [BAD, BAD, OK, BAD, OK]),
        ("an empty part is ignored with its label", {ZONE: "b____a", REGION: "r"}, [OK, BAD, OK, OK, OK]),
    ],
)
def test_filter(name: str, labels: dict[str, str], want: list[Status]) -> None:
    nodes = places()
    objects = [volume("v", labels=labels), claim("c", bound_to="v")]
    assert filtered(build(nodes, *objects), using(make_pod("p"), "c").build(), nodes) == want


def test_the_old_label_on_the_node_comes_before_the_new_one() -> None:
    nodes = cluster([make_node("n").label(BETA_ZONE, "a").label(ZONE, "b")])
    plugin = build(nodes, volume("v", labels={BETA_ZONE: "b"}), claim("c", bound_to="v"))
    assert filtered(plugin, using(make_pod("p"), "c").build(), nodes) == [BAD]


def test_every_volume_of_the_pod_counts() -> None:
    nodes = places()
    objects = [volume("v", labels={ZONE: "a"}), claim("c", bound_to="v")]
    more = [volume("w", labels={ZONE: "b"}), claim("d", bound_to="w")]
    pod = using(make_pod("p"), "c", "d").build()
    assert filtered(build(nodes, *objects, *more), pod, nodes) == [BAD, BAD, BAD, BAD, OK]


def rejected(reason: str) -> Status:
    return Status.unresolvable(reason)


@pytest.mark.parametrize(
    ("name", "objects", "want"),
    [
        ("no such claim", [], rejected('persistentvolumeclaim "c" not found')),
        ("no such volume", [claim("c", bound_to="v")], rejected('persistentvolume "v" not found')),
        (
            "unbound, no class",
            [claim("c", class_name=None)],
            rejected("PersistentVolumeClaim had no pv name and storageClass name"),
        ),
        (
            "unbound, empty class",
            [claim("c", class_name="")],
            rejected("PersistentVolumeClaim had no pv name and storageClass name"),
        ),
        ("no such class", [claim("c", class_name="x")], rejected('storageclass.storage.k8s.io "x" not found')),
        ("should be bound", [claim("c", class_name="now")], rejected("PersistentVolume had no name")),
        ("waits for its consumer", [claim("c", class_name="waits")], SKIP),
        ("volume without labels", [volume("v"), claim("c", bound_to="v")], SKIP),
        ("volume with labels", [volume("v", labels={ZONE: "a"}), claim("c", bound_to="v")], OK),
    ],
)
def test_pre_filter(name: str, objects: list[Manifest], want: Status) -> None:
    nodes = places()
    pod = using(make_pod("p"), "c").build()
    assert build(nodes, *objects).pre_filter(CycleState(), pod, nodes).status == want


def test_pods_without_named_claims_are_skipped() -> None:
    nodes = places()
    ephemeral = with_volume(make_pod("p"), "e", ephemeral={"volumeClaimTemplate": {}}).build()
    for pod in (make_pod("p").build(), ephemeral):
        assert build(nodes).pre_filter(CycleState(), pod, nodes).status == SKIP


def test_filter_without_pre_filter_looks_the_volumes_up_itself() -> None:
    nodes = places()
    pod = using(make_pod("p"), "c").build()
    found = build(nodes, volume("v", labels={ZONE: "a"}), claim("c", bound_to="v"))
    assert found.filter(CycleState(), pod, nodes).passed.tolist() == [True, False, False, False, True]
    missing = build(nodes).filter(CycleState(), pod, nodes)
    assert missing.status(4) == rejected('persistentvolumeclaim "c" not found')


@pytest.mark.parametrize(
    ("name", "old", "new", "want"),
    [
        ("added", None, volume("v"), QueueingHint.QUEUE),
        ("other zone", volume("v", labels={ZONE: "a"}), volume("v", labels={ZONE: "b"}), QueueingHint.QUEUE),
        (
            "same zones in another order",
            volume("v", labels={ZONE: "a__b"}),
            volume("v", labels={ZONE: "b__a"}),
            QueueingHint.SKIP,
        ),
        ("other label", volume("v", labels={"a": "a"}), volume("v", labels={"a": "b"}), QueueingHint.SKIP),
    ],
)
def test_volume_hint(name: str, old: Manifest | None, new: Manifest, want: QueueingHint) -> None:
    before = None if old is None else parse(old)
    action = ActionType.ADD if old is None else ActionType.UPDATE
    pod = using(make_pod("p"), "c").build()
    assert hint(build(places()), EventResource.PERSISTENT_VOLUME, action, pod, before, parse(new)) == want


@pytest.mark.parametrize(("waits", "want"), [(True, QueueingHint.QUEUE), (False, QueueingHint.SKIP)])
def test_class_hint(waits: bool, want: QueueingHint) -> None:
    pod = using(make_pod("p"), "c").build()
    new = parse(storage_class("s", waits=waits))
    assert hint(build(places()), EventResource.STORAGE_CLASS, ActionType.ADD, pod, None, new) == want
    assert hint(build(places()), EventResource.STORAGE_CLASS, ActionType.UPDATE, pod, new, new) is None


@pytest.mark.parametrize(("name", "want"), [("c", QueueingHint.QUEUE), ("d", QueueingHint.SKIP)])
def test_claim_hint(name: str, want: QueueingHint) -> None:
    pod = using(make_pod("p"), "c").build()
    for action in (ActionType.ADD, ActionType.UPDATE):
        new = parse(claim(name))
        assert hint(build(places()), EventResource.PERSISTENT_VOLUME_CLAIM, action, pod, None, new) == want
