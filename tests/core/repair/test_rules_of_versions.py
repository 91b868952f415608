"""What only newer versions ask for: features of kubelets, and gangs."""

import pytest

from scheduler_core.emulations import V1_36_3, emulation_of
from tests.conformance.testing import make_pod
from tests.core.repair.found_repairs import Manifest, found, node, pod, told
from tests.core.repair.random_clusters import places

# what the pod has, the feature that it then needs
FEATURES: list[tuple[Manifest, str]] = [
    ({"hostNetwork": True, "hostUsers": False}, "UserNamespacesHostNetworkSupport"),
    (
        {"containers": [{"name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]},
        "RestartAllContainersOnContainerExits",
    ),
]


@pytest.mark.parametrize(("fields", "feature"), FEATURES, ids=[case[1] for case in FEATURES])
def test_a_feature_that_no_kubelet_has(fields: Manifest, feature: str) -> None:
    objects = [node().manifest(), make_pod("p").spec(**fields).manifest()]
    simulation, repairs = found(objects, emulation=V1_36_3)
    assert [told(repair) for repair in repairs] == [{f"Do without the kubelet's feature {feature}"}]
    assert places(simulation, repairs[0].edits)


GATED = emulation_of("v1.36.3", {"GenericWorkload": True, "GangScheduling": True})
MEMBER = pod().spec(schedulingGroup={"podGroupName": "g"}).manifest()


def group(least: int) -> Manifest:
    head = {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup"}
    spec = {"schedulingPolicy": {"gang": {"minCount": least}}}
    return {**head, "metadata": {"name": "g", "namespace": "default"}, "spec": spec}


def member(name: str, cpu: str) -> Manifest:
    manifest: Manifest = make_pod(name).cpu(cpu).spec(schedulingGroup={"podGroupName": "g"}).manifest()
    return manifest


# objects, the repairs that are found
OF_GANGS = [
    (
        "no group",
        [MEMBER],
        [{"Add the pod group g, whose pods are scheduled one by one"}, {"Schedule the pod without its pod group g"}],
    ),
    ("too few", [group(3), MEMBER, member("q", "1")], [{"Let the pod group g ask for 2 pods at once instead of 3"}]),
    (
        "one too large",
        [group(2), MEMBER, member("q", "99")],
        [{"Let the pod group g ask for 1 pods at once instead of 2"}],
    ),
]


@pytest.mark.parametrize(("name", "objects", "wanted"), OF_GANGS, ids=[case[0] for case in OF_GANGS])
def test_a_gang(name: str, objects: list[Manifest], wanted: list[set[str]]) -> None:
    simulation, repairs = found([node().manifest(), *objects], emulation=GATED)
    assert [told(repair) for repair in repairs][: len(wanted)] == wanted
    for repair in repairs:
        assert places(simulation, repair.edits), told(repair)
