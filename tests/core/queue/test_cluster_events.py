import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import Action, ClusterEvent, Resource
from scheduler_core.queue.cluster_events import (
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    matches,
    node_update_events,
    pod_update_events,
)
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod

NODE, POD, PVC = Resource.NODE, Resource.POD, Resource.PERSISTENT_VOLUME_CLAIM
ASSIGNED, WAITING = Resource.ASSIGNED_POD, Resource.UNSCHEDULABLE_POD

MATCHES = [
    # name, registered, event, want
    ("same", (NODE, Action.ADD), (NODE, Action.ADD), True),
    ("one of several", (NODE, Action.ADD | Action.UPDATE_NODE_LABEL), (NODE, Action.UPDATE_NODE_LABEL), True),
    ("other action", (NODE, Action.ADD), (NODE, Action.DELETE), False),
    ("other resource", (NODE, Action.ADD), (PVC, Action.ADD), False),
    ("specific for general", (POD, Action.UPDATE), (WAITING, Action.UPDATE_POD_LABEL), True),
    ("general for specific", (POD, Action.UPDATE_POD_LABEL), (WAITING, Action.UPDATE), False),
    ("Pod covers assigned pods", (POD, Action.DELETE), (ASSIGNED, Action.DELETE), True),
    ("assigned pods are not those that wait", (ASSIGNED, Action.ADD), (WAITING, Action.ADD), False),
    ("wildcard covers all", (Resource.WILDCARD, Action.ALL), (PVC, Action.ADD), True),
    ("any resource, one action", (Resource.WILDCARD, Action.ADD), (PVC, Action.ADD), True),
    ("wildcard event matches nothing specific", (POD, Action.ALL), (Resource.WILDCARD, Action.ALL), False),
]


@pytest.mark.parametrize(("name", "registered", "event", "want"), MATCHES)
def test_matches(name: str, registered: tuple[Resource, Action], event: tuple[Resource, Action], want: bool) -> None:
    assert matches(ClusterEvent(*registered), ClusterEvent(*event)) is want


def test_labels_are_upstreams() -> None:
    assert FORCE_ACTIVATE.label == "ForceActivate"
    assert UNSCHEDULABLE_TIMEOUT.label == "UnschedulableTimeout"
    gates = ClusterEvent(WAITING, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
    assert gates.label == "UnschedulablePodUpdatePodSchedulingGatesEliminated"
    assert ClusterEvent(WAITING, Action.UPDATE).label == "UnschedulablePodUpdate"


def pod() -> PodBuilder:
    return make_pod("p").cpu("1").memory("1Gi")


def gated(*gates: str) -> PodBuilder:
    return pod().spec(schedulingGates=[{"name": gate} for gate in gates])


POD_UPDATES = [
    # name, old, new, want
    ("nothing", pod(), pod(), "UnschedulablePodUpdate"),
    ("annotation", pod(), pod().annotation("a", "b"), "UnschedulablePodUpdate"),
    ("labels", pod(), pod().label("a", "b"), "UnschedulablePodUpdatePodLabel"),
    ("request smaller", pod(), pod().cpu("900m"), "UnschedulablePodUpdatePodScaleDown"),
    ("request larger", pod(), pod().cpu("2"), "UnschedulablePodUpdate"),
    ("request gone", pod().request("ephemeral-storage", "1Gi"), pod(), "UnschedulablePodUpdatePodScaleDown"),
    ("gates gone", gated("a", "b"), pod(), "UnschedulablePodUpdatePodSchedulingGatesEliminated"),
    ("one gate left", gated("a", "b"), gated("a"), "UnschedulablePodUpdate"),
    ("tolerations", pod(), pod().spec(tolerations=[{"key": "a"}]), "UnschedulablePodUpdatePodToleration"),
    (
        "claims generated",
        pod(),
        pod().status(resourceClaimStatuses=[{"name": "gpu", "resourceClaimName": "p-gpu"}]),
        "UnschedulablePodUpdatePodGeneratedResourceClaim",
    ),
    (
        "several",
        gated("a"),
        pod().label("a", "b").memory("1Mi"),
        "UnschedulablePodUpdatePodLabel UnschedulablePodUpdatePodScaleDown "
        "UnschedulablePodUpdatePodSchedulingGatesEliminated",
    ),
    ("assigned", pod().spec(nodeName="n"), pod().spec(nodeName="n").label("a", "b"), "AssignedPodUpdatePodLabel"),
]


@pytest.mark.parametrize(("name", "old", "new", "want"), POD_UPDATES)
def test_pod_update_events(name: str, old: PodBuilder, new: PodBuilder, want: str) -> None:
    before: Pod = old.build()
    assert " ".join(event.label for event in pod_update_events(before, new.build())) == want


NODE_UPDATES = [
    # name, old, new, want
    ("nothing", make_node("n"), make_node("n"), ""),
    ("images", make_node("n"), make_node("n").image(5, "app:v1"), ""),
    ("cordon lifted", make_node("n").cordoned(), make_node("n"), "NodeUpdateNodeTaint"),
    ("cordon imposed", make_node("n"), make_node("n").cordoned(), ""),
    ("allocatable", make_node("n"), make_node("n").cpu("5"), "NodeUpdateNodeAllocatable"),
    ("label", make_node("n"), make_node("n").label("a", "b"), "NodeUpdateNodeLabel"),
    ("taint", make_node("n"), make_node("n").taint("a"), "NodeUpdateNodeTaint"),
    ("annotation", make_node("n"), make_node("n").annotation("a", "b"), "NodeUpdateNodeAnnotation"),
    (
        "condition",
        make_node("n").status(conditions=[{"type": "Ready", "status": "False"}]),
        make_node("n").status(conditions=[{"type": "Ready", "status": "True"}]),
        "NodeUpdateNodeCondition",
    ),
    (
        "cordon and taint",
        make_node("n").cordoned(),
        make_node("n").taint("a"),
        "NodeUpdateNodeTaint NodeUpdateNodeTaint",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "want"), NODE_UPDATES)
def test_node_update_events(name: str, old: NodeBuilder, new: NodeBuilder, want: str) -> None:
    before: Node = old.build()
    assert " ".join(event.label for event in node_update_events(before, new.build())) == want
