from typing import Any

import pytest

from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.volume_restrictions.plugin import CLAIM_REASON, DISK_REASON, VolumeRestrictions
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.storage import Manifest, StorageHandle, claim, parse, using, with_volume

TAKEN, USED = Status.unschedulable(DISK_REASON), Status.unschedulable(CLAIM_REASON)
ONE_POD = ["ReadWriteOncePod"]


def build(running: list[PodBuilder], *objects: Manifest) -> tuple[VolumeRestrictions, StorageHandle]:
    handle: Any = StorageHandle(cluster([make_node("n0"), make_node("n1")], running), objects)
    return VolumeRestrictions.create(None, handle), handle


def pod(name: str = "p", namespace: str = "default", **source: Any) -> PodBuilder:
    builder = make_pod(name, namespace).uid(f"uid-{name}-{namespace}")
    return with_volume(builder, "v", **source) if source else builder


def gce(name: str, read_only: bool = False) -> Manifest:
    return {"gcePersistentDisk": {"pdName": name, "readOnly": read_only}}


def ebs(volume_id: str, read_only: bool = False) -> Manifest:
    return {"awsElasticBlockStore": {"volumeID": volume_id, "readOnly": read_only}}


def iscsi(iqn: str, lun: int = 0, read_only: bool = False) -> Manifest:
    return {"iscsi": {"targetPortal": "10.0.0.1", "iqn": iqn, "lun": lun, "readOnly": read_only}}


def rbd(image: str, *monitors: str, read_only: bool = False, **more: str) -> Manifest:
    return {"rbd": {"monitors": list(monitors or ("a", "b")), "image": image, "readOnly": read_only, **more}}


@pytest.mark.parametrize(
    ("name", "running", "wanted", "want"),
    [
        ("same disk", gce("d"), gce("d"), TAKEN),
        ("other disk", gce("d"), gce("e"), OK),
        ("both only read", gce("d", True), gce("d", True), OK),
        ("one writes", gce("d", True), gce("d"), TAKEN),
        ("EBS, even if both only read", ebs("vol-1", True), ebs("vol-1", True), TAKEN),
        ("other EBS", ebs("vol-1"), ebs("vol-2"), OK),
        ("same name, other kind", gce("vol-1"), ebs("vol-1"), OK),
        ("iSCSI, whatever the LUN", iscsi("iqn.x"), iscsi("iqn.x", lun=7), TAKEN),
        ("iSCSI, both only read", iscsi("iqn.x", read_only=True), iscsi("iqn.x", read_only=True), OK),
        ("RBD with a monitor in common", rbd("i", "a", "b"), rbd("i", "b", "c"), TAKEN),
        ("RBD of another cluster", rbd("i", "a"), rbd("i", "c"), OK),
        ("RBD of another image", rbd("i"), rbd("j"), OK),
        ("RBD in another pool", rbd("i"), rbd("i", pool="fast"), OK),
        ("RBD, the default pool by name", rbd("i"), rbd("i", pool="rbd"), TAKEN),
        ("RBD, both only read", rbd("i", read_only=True), rbd("i", read_only=True), OK),
        ("not a disk", {"emptyDir": {}}, gce("d"), OK),
    ],
)
def test_disks(name: str, running: Manifest, wanted: Manifest, want: Status) -> None:
    plugin, handle = build([pod("r", **running).node("n1")])
    assert filtered(plugin, pod(**wanted).build(), handle.nodes) == [OK, want]


@pytest.mark.parametrize(
    ("name", "running", "modes", "want"),
    [
        ("in use on another node too", [using(pod("r"), "c").node("n1")], ONE_POD, [USED, USED]),
        ("not in use", [using(pod("r"), "other").node("n1")], ONE_POD, None),
        ("of another namespace", [using(pod("r", "blue"), "c").node("n1")], ONE_POD, None),
        ("many may use it", [using(pod("r"), "c").node("n1")], ["ReadWriteOnce"], None),
    ],
)
def test_claims_for_one_pod(name: str, running: list[PodBuilder], modes: list[str], want: list[Status] | None) -> None:
    plugin, handle = build(running, claim("c", modes=modes), claim("other"))
    wanted = using(pod(), "c").build()
    result = plugin.pre_filter(CycleState(), wanted, handle.nodes)
    assert result.status == (SKIP if want is None else OK)
    if want is not None:
        assert filtered(plugin, wanted, handle.nodes) == want


@pytest.mark.parametrize(
    ("name", "given", "want"),
    [
        ("no volumes", pod(), SKIP),
        ("a volume without rules", pod(emptyDir={}), SKIP),
        ("a disk", pod(**gce("d")), OK),
        ("no such claim", using(pod(), "x"), Status.unresolvable('persistentvolumeclaim "x" not found')),
        ("ephemeral volumes are of one pod anyway", pod(ephemeral={"volumeClaimTemplate": {}}), SKIP),
    ],
)
def test_pre_filter(name: str, given: PodBuilder, want: Status) -> None:
    plugin, handle = build([])
    assert plugin.pre_filter(CycleState(), given.build(), handle.nodes).status == want


def test_pods_that_come_and_go_are_counted_for_the_copy_of_the_state_alone() -> None:
    user = using(pod("r"), "c").node("n1")
    plugin, handle = build([user], claim("c", modes=ONE_POD))
    wanted, state = using(pod(), "c").build(), CycleState()
    plugin.pre_filter(state, wanted, handle.nodes)
    without = state.clone()
    assert plugin.remove_pod(without, wanted, user.build(), handle.nodes[1]).is_success
    assert plugin.filter(without, wanted, handle.nodes).status(0) == OK
    assert plugin.filter(state, wanted, handle.nodes).status(0) == USED
    # Names are compared without namespaces, as upstream does.
    assert plugin.add_pod(without, wanted, using(pod("o", "blue"), "c").build(), handle.nodes[1]).is_success
    assert plugin.filter(without, wanted, handle.nodes).status(0) == USED


def test_without_pre_filter_a_node_with_a_free_disk_is_an_internal_error() -> None:
    plugin, handle = build([pod("r", **gce("d")).node("n1")])
    verdicts = plugin.filter(CycleState(), pod(**gce("d")).build(), handle.nodes)
    error = Status.error('cannot read "PreFilterVolumeRestrictions" from cycleState')
    assert [verdicts.status(i) for i in range(2)] == [error, TAKEN]
    assert plugin.add_pod(CycleState(), pod().build(), pod("r").build(), handle.nodes[0]) == error


@pytest.mark.parametrize(
    ("name", "waiting", "deleted", "want"),
    [
        ("same disk", pod(**gce("d")), pod("r", **gce("d")), QueueingHint.QUEUE),
        ("other disk", pod(**gce("d")), pod("r", **gce("e")), QueueingHint.SKIP),
        ("same claim", using(pod(), "c"), using(pod("r"), "a", "c"), QueueingHint.QUEUE),
        ("other claim", using(pod(), "c"), using(pod("r"), "a"), QueueingHint.SKIP),
        ("other namespace", pod(**gce("d")), pod("r", "blue", **gce("d")), QueueingHint.SKIP),
        ("no volumes", pod(**gce("d")), pod("r"), QueueingHint.SKIP),
    ],
)
def test_pod_hint(name: str, waiting: PodBuilder, deleted: PodBuilder, want: QueueingHint) -> None:
    plugin, _ = build([])
    assert hint(plugin, EventResource.POD, ActionType.DELETE, waiting.build(), deleted.build(), None) == want


@pytest.mark.parametrize(
    ("name", "added", "want"),
    [
        ("the pod's claim", claim("c"), QueueingHint.QUEUE),
        ("another claim", claim("d"), QueueingHint.SKIP),
        ("of another namespace", claim("c", namespace="blue"), QueueingHint.SKIP),
    ],
)
def test_claim_hint(name: str, added: Manifest, want: QueueingHint) -> None:
    plugin, _ = build([])
    waiting = using(pod(), "c").build()
    assert hint(plugin, EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD, waiting, None, parse(added)) == want
    assert hint(plugin, EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.UPDATE, waiting, None, parse(added)) is None
