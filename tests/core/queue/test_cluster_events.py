import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource
from scheduler_core.queue.cluster_events import (
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    matches,
    node_update_events,
    pod_update_events,
)
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod

NODE, POD, PVC = EventResource.NODE, EventResource.POD, EventResource.PERSISTENT_VOLUME_CLAIM
ASSIGNED, WAITING = EventResource.ASSIGNED_POD, EventResource.UNSCHEDULABLE_POD

MATCHES = [
    # name, registered, event, want
    ("same", (NODE, ActionType.ADD), (NODE, ActionType.ADD), True),
    (
        "one of several",
        (NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL),
        (NODE, ActionType.UPDATE_NODE_LABEL),
        True,
    ),
    ("other action", (NODE, ActionType.ADD), (NODE, ActionType.DELETE), False),
    ("other resource", (NODE, ActionType.ADD), (PVC, ActionType.ADD), False),
    ("specific for general", (POD, ActionType.UPDATE), (WAITING, ActionType.UPDATE_POD_LABEL), True),
    ("general for specific", (POD, ActionType.UPDATE_POD_LABEL), (WAITING, ActionType.UPDATE), False),
    ("Pod covers assigned pods", (POD, ActionType.DELETE), (ASSIGNED, ActionType.DELETE), True),
    ("assigned pods are not those that wait", (ASSIGNED, ActionType.ADD), (WAITING, ActionType.ADD), False),
    ("wildcard covers all", (EventResource.WILDCARD, ActionType.ALL), (PVC, ActionType.ADD), True),
    ("any resource, one action", (EventResource.WILDCARD, ActionType.ADD), (PVC, ActionType.ADD), True),
    ("wildcard event matches nothing specific", (POD, ActionType.ALL), (EventResource.WILDCARD, ActionType.ALL), False),
]


@pytest.mark.parametrize(("name", "registered", "event", "want"), MATCHES)
def test_matches(
    name: str, registered: tuple[EventResource, ActionType], event: tuple[EventResource, ActionType], want: bool
) -> None:
    assert matches(ClusterEvent(*registered), ClusterEvent(*event)) is want


def test_labels_are_upstreams() -> None:
    assert FORCE_ACTIVATE.label == "ForceActivate"
    assert UNSCHEDULABLE_TIMEOUT.label == "UnschedulableTimeout"
    gates = ClusterEvent(WAITING, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
    assert gates.label == "UnschedulablePodUpdatePodSchedulingGatesEliminated"
    assert ClusterEvent(WAITING, ActionType.UPDATE).label == "UnschedulablePodUpdate"


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
