from typing import Any

import pytest

from kube_objects.selectors import NodeSelector
from scheduler_core.framework.status import PluginError
from scheduler_core.plugins.csi_migration import BY_SOURCE, inline_handle, translate_affinity, volume_handle
from tests.conformance.testing import make_pod
from tests.core.plugins.storage import Manifest, parse, volume, with_volume

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
DISK = {"gcePersistentDisk": {"pdName": "d"}}


@pytest.mark.parametrize(
    ("name", "source", "labels", "want"),
    [
        ("EBS", {"awsElasticBlockStore": {"volumeID": "vol-1"}}, {}, "vol-1"),
        ("EBS with its zone", {"awsElasticBlockStore": {"volumeID": "aws://z/vol-1"}}, {}, "vol-1"),
        ("EBS without a zone", {"awsElasticBlockStore": {"volumeID": "aws:///vol-1"}}, {}, "vol-1"),
        ("GCE", DISK, {ZONE: "us-a-1"}, "projects/UNSPECIFIED/zones/us-a-1/disks/d"),
        ("GCE, old label first", DISK, {ZONE: "x", BETA_ZONE: "y"}, "projects/UNSPECIFIED/zones/y/disks/d"),
        ("GCE, no zone", DISK, {}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ("GCE, two zones", DISK, {ZONE: "us-a-1__us-a-2"}, "projects/UNSPECIFIED/regions/us-a/disks/d"),
        ("Azure", {"azureDisk": {"diskName": "n", "diskURI": "/disks/n"}}, {}, "/disks/n"),
        ("Azure, managed", {"azureDisk": {"diskURI": "/disks/n", "kind": "Managed"}}, {}, "/disks/n"),
        ("Cinder", {"cinder": {"volumeID": "c"}}, {}, "c"),
        ("Portworx", {"portworxVolume": {"volumeID": "p"}}, {}, "p"),
    ],
)
def test_handles(name: str, source: Manifest, labels: dict[str, str], want: str) -> None:
    found = parse(volume("v", source=source, labels=labels))
    assert volume_handle(BY_SOURCE[found.source], found) == want
    if not labels:
        inline = with_volume(make_pod("p"), "v", **source).build().volumes[0]
        assert inline_handle(BY_SOURCE[inline.source], inline) == want


@pytest.mark.parametrize(
    ("name", "source", "labels", "want"),
    [
        (
            "EBS",
            {"awsElasticBlockStore": {"volumeID": "aws://z/a/vol-1"}},
            {},
            "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://z/a/vol-1)",
        ),
        (
            "Azure",
            {"azureDisk": {"diskURI": "u", "kind": "Dedicated"}},
            {},
            "kind(Dedicated) is not supported in csi migration",
        ),
        (
            "GCE zone",
            DISK,
            {ZONE: "a__b"},
            "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a",
        ),
        (
            "GCE regions",
            DISK,
            {ZONE: "us-b-1__us-a-1"},
            "failed to get region from zones: multiple or no regions gotten from zones, got: map[us-a:{} us-b:{}]",
        ),
    ],
)
def test_volumes_without_a_handle(name: str, source: Manifest, labels: dict[str, str], want: str) -> None:
    found = parse(volume("v", source=source, labels=labels))
    with pytest.raises(PluginError) as caught:
        translate_affinity(BY_SOURCE[found.source], found)
    assert str(caught.value) == want


def requirements(selector: NodeSelector | None) -> list[dict[str, Any]] | None:
    if selector is None:
        return None
    return [{item.key: ",".join(item.values) for item in term.expressions} for term in selector.terms]


@pytest.mark.parametrize(
    ("name", "on", "labels", "want"),
    [
        ("zone", {ZONE: "a,b"}, {}, [{"topology.gke.io/zone": "a,b"}]),
        ("old zone", {BETA_ZONE: "a"}, {}, [{"topology.gke.io/zone": "a"}]),
        ("old zone and region", {BETA_ZONE: "a", BETA_REGION: "r"}, {}, [{"topology.gke.io/zone": "a"}, {REGION: "r"}]),
        (
            "new zone leaves the old region",
            {ZONE: "a", BETA_REGION: "r"},
            {},
            [{"topology.gke.io/zone": "a"}, {BETA_REGION: "r"}],
        ),
        ("by label", None, {ZONE: "us-a-1"}, [{"topology.gke.io/zone": "us-a-1"}]),
        ("by label, sorted", None, {BETA_ZONE: "us-a-2__us-a-1"}, [{"topology.gke.io/zone": "us-a-1,us-a-2"}]),
        ("label and other affinity", {"disk": "ssd"}, {ZONE: "a"}, [{"disk": "ssd", "topology.gke.io/zone": "a"}]),
        ("affinity before label", {ZONE: "a"}, {ZONE: "b"}, [{"topology.gke.io/zone": "a"}]),
        ("nothing", None, {}, None),
    ],
)
def test_topology(name: str, on: dict[str, str] | None, labels: dict[str, str], want: Any) -> None:
    found = parse(volume("v", source=DISK, on=on, labels=labels))
    assert requirements(translate_affinity(BY_SOURCE["gcePersistentDisk"], found)) == want


def test_azure_disks_keep_their_topology() -> None:
    found = parse(volume("v", source={"azureDisk": {"diskURI": "u"}}, on={ZONE: "a"}))
    assert requirements(translate_affinity(BY_SOURCE["azureDisk"], found)) == [{ZONE: "a"}]
