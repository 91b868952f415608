from typing import Any

import pytest

from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, PluginError, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.node_volume_limits.plugin import REASON, NodeVolumeLimits
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.storage import (
    Manifest,
    StorageHandle,
    attachment,
    claim,
    csi_node,
    parse,
    storage_class,
    using,
    volume,
    with_volume,
)

FULL = Status.unschedulable(REASON)
EBS, PORTWORX = "kubernetes.io/aws-ebs", "kubernetes.io/portworx-volume"


def csi(name: str, driver: str = "a.csi") -> list[Manifest]:
    """Claim `name`, bound to a volume of the driver."""
    source = {"csi": {"driver": driver, "volumeHandle": f"h-{name}"}}
    return [volume(f"pv-{name}", source=source), claim(name, bound_to=f"pv-{name}")]


CLAIMS = [
    *(manifest for name in ("c0", "c1", "c2") for manifest in csi(name)),
    *csi("b0", "b.csi"),
    volume("pv-nfs", source={"nfs": {"server": "s", "path": "/"}}),
    claim("nfs", bound_to="pv-nfs"),
    storage_class("a", "a.csi"),
    storage_class("in-tree", EBS),
    claim("new-a", class_name="a"),
    claim("lost-a", class_name="a", bound_to="nowhere"),
    claim("new-ebs", class_name="in-tree"),
    claim("no-class", class_name=None),
]


def build(running: list[PodBuilder], *objects: Manifest) -> tuple[NodeVolumeLimits, StorageHandle]:
    """n0 has what `objects` say, n1 no CSINode."""
    nodes = cluster([make_node("n0"), make_node("n1")], running)
    handle: Any = StorageHandle(nodes, [*CLAIMS, *objects])
    return NodeVolumeLimits.create(None, handle), handle


def on_n0(name: str, *claims: str) -> PodBuilder:
    return using(make_pod(name), *claims).node("n0")


def ebs(volume_id: str, name: str = "p") -> PodBuilder:
    return with_volume(make_pod(name), "v", awsElasticBlockStore={"volumeID": volume_id})


def portworx(volume_id: str) -> PodBuilder:
    return with_volume(make_pod("p"), "v", portworxVolume={"volumeID": volume_id})


@pytest.mark.parametrize(
    ("name", "limits", "running", "given", "want"),
    [
        ("room", {"a.csi": 2}, [on_n0("r", "c0")], using(make_pod("p"), "c1"), OK),
        ("full", {"a.csi": 1}, [on_n0("r", "c0")], using(make_pod("p"), "c1"), FULL),
        ("no room at all", {"a.csi": 0}, [], using(make_pod("p"), "c1"), FULL),
        ("two at once", {"a.csi": 2}, [on_n0("r", "c0")], using(make_pod("p"), "c1", "c2"), FULL),
        ("attached already", {"a.csi": 1}, [on_n0("r", "c0")], using(make_pod("p"), "c0"), OK),
        ("one volume of two pods", {"a.csi": 2}, [on_n0("r", "c0"), on_n0("s", "c0")], using(make_pod("p"), "c1"), OK),
        ("of another driver", {"a.csi": 1, "b.csi": 1}, [on_n0("r", "c0")], using(make_pod("p"), "b0"), OK),
        ("driver without a limit", {"a.csi": None}, [on_n0("r", "c0")], using(make_pod("p"), "c1"), OK),
        ("driver that is not there", {"b.csi": 0}, [], using(make_pod("p"), "c1"), OK),
        ("not CSI", {"a.csi": 0}, [], using(make_pod("p"), "nfs"), OK),
        ("yet to be made", {"a.csi": 1}, [on_n0("r", "new-a")], using(make_pod("p"), "c1"), FULL),
        ("the same one, yet to be made", {"a.csi": 1}, [on_n0("r", "new-a")], using(make_pod("p"), "new-a"), OK),
        ("volume is gone, counted by class", {"a.csi": 1}, [on_n0("r", "lost-a")], using(make_pod("p"), "c1"), FULL),
        ("no class, not counted", {"a.csi": 0}, [], using(make_pod("p"), "no-class"), OK),
        ("missing claim of a running pod", {"a.csi": 1}, [on_n0("r", "gone")], using(make_pod("p"), "c1"), OK),
        ("in-tree class", {"ebs.csi.aws.com": 0}, [], using(make_pod("p"), "new-ebs"), FULL),
        ("in-tree volume", {"ebs.csi.aws.com": 1}, [ebs("vol-1", "r").node("n0")], ebs("vol-2"), FULL),
        ("same volume", {"ebs.csi.aws.com": 1}, [ebs("vol-1", "r").node("n0")], ebs("aws://zone/vol-1"), OK),
        ("not migrated on that node", {"pxd.portworx.com": 0}, [], portworx("v"), OK),
    ],
)
def test_filter(
    name: str, limits: dict[str, int | None], running: list[PodBuilder], given: PodBuilder, want: Status
) -> None:
    plugin, handle = build(running, csi_node("n0", limits))
    assert filtered(plugin, given.build(), handle.nodes) == [want, OK]


def test_portworx_counts_where_the_node_lists_it() -> None:
    plugin, handle = build([], csi_node("n0", {"pxd.portworx.com": 0}, f"{EBS},{PORTWORX}"))
    assert filtered(plugin, portworx("v").build(), handle.nodes) == [FULL, OK]


@pytest.mark.parametrize(
    ("name", "attached", "want"),
    [
        ("of no pod", [attachment("x", "a.csi", "n0", "pv-c2")], FULL),
        ("of a pod that is there", [attachment("x", "a.csi", "n0", "pv-c0")], OK),
        ("to another node", [attachment("x", "a.csi", "n1", "pv-c2")], OK),
        ("by another driver", [attachment("x", "b.csi", "n0", "pv-c2")], OK),
        ("of a volume that is gone", [attachment("x", "a.csi", "n0", "gone")], OK),
        ("not CSI", [attachment("x", "a.csi", "n0", "pv-nfs")], OK),
    ],
)
def test_attachments(name: str, attached: list[Manifest], want: Status) -> None:
    plugin, handle = build([on_n0("r", "c0")], csi_node("n0", {"a.csi": 2}), *attached)
    assert filtered(plugin, using(make_pod("p"), "c1").build(), handle.nodes) == [want, OK]


def test_a_wanted_volume_that_is_attached_without_a_pod_counts_twice() -> None:
    """As upstream: only the volumes of pods are taken off the new ones."""
    plugin, handle = build([], csi_node("n0", {"a.csi": 1}), attachment("x", "a.csi", "n0", "pv-c1"))
    assert filtered(plugin, using(make_pod("p"), "c1").build(), handle.nodes) == [FULL, OK]


def ephemeral(name: str, owner: str) -> list[Manifest]:
    """The claim of volume v of pod `name`, owned by the pod with uid `owner`."""
    reference = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": owner, "controller": True}
    metadata = {"name": f"{name}-v", "namespace": "default", "ownerReferences": [reference]}
    return [claim("x", class_name="a", metadata=metadata)]


def with_ephemeral(name: str) -> PodBuilder:
    return with_volume(make_pod(name).uid(f"uid-{name}"), "v", ephemeral={"volumeClaimTemplate": {}})


NOT_OWNER = Status.error("PVC default/r-v was not created for pod default/r (pod is not owner)")


@pytest.mark.parametrize(
    ("name", "owner", "want"), [("its own", "uid-r", FULL), ("of somebody else", "other", NOT_OWNER)]
)
def test_claims_of_ephemeral_volumes(name: str, owner: str, want: Status) -> None:
    plugin, handle = build([with_ephemeral("r").node("n0")], csi_node("n0", {"a.csi": 1}), *ephemeral("r", owner))
    assert filtered(plugin, using(make_pod("p"), "c1").build(), handle.nodes) == [want, OK]


def test_the_new_pods_claims_must_exist_and_be_its_own() -> None:
    plugin, handle = build([], csi_node("n0", {"a.csi": 1}), *ephemeral("r", "other"))
    missing = Status.unresolvable('looking up PVC default/gone: persistentvolumeclaim "gone" not found')
    assert filtered(plugin, using(make_pod("p"), "gone").build(), handle.nodes) == [missing, missing]
    with pytest.raises(PluginError, match=r"^PVC default/r-v was not created for pod default/r \(pod is not owner\)$"):
        plugin.filter(CycleState(), with_ephemeral("r").build(), handle.nodes)


def test_an_in_tree_volume_without_a_csi_form_is_an_internal_error() -> None:
    plugin, handle = build([], csi_node("n0", {"ebs.csi.aws.com": 1}))
    want = (
        "converting volume(v) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID "
        "Invalid format for AWS volume (aws://zone/disk)"
    )
    assert filtered(plugin, ebs("aws://zone/disk").build(), handle.nodes) == [Status.error(want), OK]


@pytest.mark.parametrize(
    ("name", "given", "want"),
    [
        ("no volumes", make_pod("p"), SKIP),
        ("nothing to attach", with_volume(make_pod("p"), "v", emptyDir={}), SKIP),
        ("a claim", using(make_pod("p"), "c0"), OK),
        ("an ephemeral volume", with_ephemeral("p"), OK),
        ("in-tree, migrated", ebs("vol-1"), OK),
        ("in-tree, never counted", with_volume(make_pod("p"), "v", azureFile={"shareName": "s"}), OK),
        ("in-tree, not migrated", with_volume(make_pod("p"), "v", iscsi={"iqn": "i"}), SKIP),
        ("CSI by the pod itself", with_volume(make_pod("p"), "v", csi={"driver": "a.csi"}), SKIP),
    ],
)
def test_pre_filter(name: str, given: PodBuilder, want: Status) -> None:
    plugin, handle = build([])
    assert plugin.pre_filter(CycleState(), given.build(), handle.nodes).status == want


@pytest.mark.parametrize(
    ("name", "old", "new", "want"),
    [
        ("raised", {"a.csi": 1}, {"a.csi": 2}, QueueingHint.QUEUE),
        ("lowered", {"a.csi": 2}, {"a.csi": 1}, QueueingHint.SKIP),
        ("a new driver", {}, {"a.csi": 1}, QueueingHint.QUEUE),
        ("a new driver without a limit", {}, {"a.csi": None}, QueueingHint.SKIP),
        ("limit lifted", {"a.csi": 1}, {"a.csi": None}, QueueingHint.SKIP),
        ("one raised, one lowered", {"a.csi": 2, "b.csi": 1}, {"a.csi": 1, "b.csi": 2}, QueueingHint.QUEUE),
    ],
)
def test_csi_node_hint(name: str, old: dict[str, int | None], new: dict[str, int | None], want: QueueingHint) -> None:
    plugin, _ = build([])
    pod = using(make_pod("p"), "c0").build()
    before, after = parse(csi_node("n0", old)), parse(csi_node("n0", new))
    assert hint(plugin, EventResource.CSI_NODE, ActionType.UPDATE, pod, before, after) == want
    assert hint(plugin, EventResource.CSI_NODE, ActionType.ADD, pod, None, after) == QueueingHint.QUEUE


@pytest.mark.parametrize(
    ("name", "deleted", "want"),
    [
        ("had a claim", on_n0("r", "c0"), QueueingHint.QUEUE),
        ("was about to have one", using(make_pod("r"), "c0").nominated("n0"), QueueingHint.QUEUE),
        ("was nowhere", using(make_pod("r"), "c0"), QueueingHint.SKIP),
        ("had no volumes", on_n0("r"), QueueingHint.SKIP),
        ("had nothing attached", with_volume(make_pod("r"), "v", emptyDir={}).node("n0"), QueueingHint.SKIP),
        ("had an in-tree volume", ebs("vol-1", "r").node("n0"), QueueingHint.QUEUE),
    ],
)
def test_pod_hint(name: str, deleted: PodBuilder, want: QueueingHint) -> None:
    plugin, _ = build([])
    pod = using(make_pod("p"), "c0").build()
    assert hint(plugin, EventResource.POD, ActionType.DELETE, pod, deleted.build(), None) == want


@pytest.mark.parametrize(
    ("name", "waiting", "attacher", "want"),
    [
        ("a claim, whatever the driver", using(make_pod("p"), "c0"), "x.csi", QueueingHint.QUEUE),
        ("in-tree volume of the driver", ebs("vol-1"), "ebs.csi.aws.com", QueueingHint.QUEUE),
        ("in-tree volume of another driver", ebs("vol-1"), "x.csi", QueueingHint.SKIP),
        ("ephemeral volumes are not looked at", with_ephemeral("p"), "a.csi", QueueingHint.SKIP),
    ],
)
def test_attachment_hint(name: str, waiting: PodBuilder, attacher: str, want: QueueingHint) -> None:
    plugin, _ = build([])
    deleted = parse(attachment("x", attacher, "n0", "pv-c0"))
    assert hint(plugin, EventResource.VOLUME_ATTACHMENT, ActionType.DELETE, waiting.build(), deleted, None) == want


@pytest.mark.parametrize(
    ("name", "added", "want"),
    [
        ("named", claim("c0"), QueueingHint.QUEUE),
        ("of the ephemeral volume", claim("p-v"), QueueingHint.QUEUE),
        ("another", claim("c1"), QueueingHint.SKIP),
        ("of another namespace", claim("c0", namespace="blue"), QueueingHint.SKIP),
    ],
)
def test_claim_hint(name: str, added: Manifest, want: QueueingHint) -> None:
    plugin, _ = build([])
    pod = with_volume(using(make_pod("p"), "c0"), "v", ephemeral={"volumeClaimTemplate": {}}).build()
    assert hint(plugin, EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD, pod, None, parse(added)) == want
