from typing import Any

import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.config.args.resources import ResourceSpec, UtilizationShapePoint
from scheduler_core.config.errors import BuildError, BuildPanicError
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import (
    LEAST_ALLOCATED,
    NodeResourcesFitArgs,
    RequestedToCapacityRatio,
    ScoringStrategy,
)
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint

GPU, FPGA = "example.com/gpu", "other.io/fpga"
NO_HANDLE: Any = None  # the plugin asks its handle for nothing


def fit(**args: Any) -> NodeResourcesFit:
    return NodeResourcesFit.create(NodeResourcesFitArgs(**args), NO_HANDLE)


def pod(name: str = "p") -> PodBuilder:
    return make_pod(name)


def node() -> NodeBuilder:
    """2 cores, 4Gi and room for 3 pods."""
    return make_node("n").cpu("2").memory("4Gi").pods(3)


def running(cpu: str, memory: str = "0", name: str = "r") -> PodBuilder:
    return pod(name).uid(name).cpu(cpu).memory(memory).node("n")


FULL = [running("0", name=name) for name in ("r1", "r2", "r3")]


@pytest.mark.parametrize(
    ("name", "of_node", "on_node", "wanted", "want"),
    [
        ("nothing asked of an empty node", node(), [], pod(), SUCCESS),
        ("exactly what is left", node(), [running("1500m", "3Gi")], pod().cpu("500m").memory("1Gi"), SUCCESS),
        ("one too much", node(), [running("1500m")], pod().cpu("501m"), Status.unschedulable("Insufficient cpu")),
        ("more than the node", node(), [], pod().cpu("2001m"), Status.unresolvable("Insufficient cpu")),
        ("too many pods", node(), FULL, pod(), Status.unschedulable("Too many pods")),
        ("room for none at all", node().pods(0), [], pod(), Status.unschedulable("Too many pods")),
        (
            "all reasons, in order; one hopeless one decides",
            node(),
            [*FULL, running("1", "3Gi", "r4")],
            pod().cpu("1500m").memory("5Gi").request("ephemeral-storage", "1").extended(GPU, 1),
            Status.unresolvable(
                "Too many pods",
                "Insufficient cpu",
                "Insufficient memory",
                "Insufficient ephemeral-storage",
                f"Insufficient {GPU}",
            ),
        ),
        (
            "a hopeful reason after a hopeless one",
            node().resource(GPU, "1"),
            [pod("r").node("n").extended(GPU, 1)],
            pod().cpu("3").extended(GPU, 1),
            Status.unresolvable("Insufficient cpu", f"Insufficient {GPU}"),
        ),
        (
            "other resources sorted by name",
            node(),
            [],
            pod().extended(FPGA, 1).extended(GPU, 1).request("hugepages-2Mi", "2Mi").limit("hugepages-2Mi", "2Mi"),
            Status.unresolvable(f"Insufficient {GPU}", "Insufficient hugepages-2Mi", f"Insufficient {FPGA}"),
        ),
        ("nothing is asked of what the node lacks", node(), [], pod().extended(GPU, 0), SUCCESS),
        ("an overcommitted node takes what asks for nothing", node(), [running("3")], pod(), SUCCESS),
        ("a sum beyond int64", node(), [running("1")], pod().memory("9223372036854775807"),
         Status.unresolvable("Insufficient memory")),
        ("init containers count at their largest", node(), [], pod().cpu("1").init_container("i", cpu="2"), SUCCESS),
        ("sidecars count besides", node(), [], pod().cpu("1").sidecar("s", cpu="1500m"),
         Status.unresolvable("Insufficient cpu")),
        ("overhead counts", node(), [], pod().cpu("2").overhead(cpu="1m"), Status.unresolvable("Insufficient cpu")),
        ("pod-level resources replace", node(), [], pod().cpu("1").pod_level(cpu="3"),
         Status.unresolvable("Insufficient cpu")),
    ],
)  # fmt: skip
def test_filter(name: str, of_node: NodeBuilder, on_node: list[PodBuilder], wanted: PodBuilder, want: Status) -> None:
    assert filtered(fit(), wanted.build(), cluster([of_node], on_node)) == [want]


def test_nodes_that_fail_for_different_reasons() -> None:
    nodes = cluster(
        [
            make_node("fits").cpu("4"),
            make_node("small").cpu("1"),
            make_node("busy").cpu("2"),
            make_node("tiny").cpu("1"),
            make_node("flat").cpu("4").memory("1Mi"),
        ],
        [pod("r").cpu("1500m").node("busy")],
    )
    small, busy = Status.unresolvable("Insufficient cpu"), Status.unschedulable("Insufficient cpu")
    want = [SUCCESS, small, busy, small, Status.unresolvable("Insufficient memory")]
    assert filtered(fit(), pod().cpu("2").memory("1Gi").build(), nodes) == want


@pytest.mark.parametrize(
    ("name", "args", "want"),
    [
        ("none", {}, Status.unresolvable(f"Insufficient {GPU}", f"Insufficient {FPGA}")),
        ("by name", {"ignored_resources": (GPU,)}, Status.unresolvable(f"Insufficient {FPGA}")),
        ("by group", {"ignored_resource_groups": ("other.io",)}, Status.unresolvable(f"Insufficient {GPU}")),
        ("a group is not a prefix", {"ignored_resource_groups": ("other",)},
         Status.unresolvable(f"Insufficient {GPU}", f"Insufficient {FPGA}")),
        ("only extended resources", {"ignored_resources": (GPU, FPGA, "cpu")}, SUCCESS),
    ],
)  # fmt: skip
def test_ignored_resources(name: str, args: dict[str, Any], want: Status) -> None:
    wanted = pod().cpu("1").extended(GPU, 1).extended(FPGA, 1).build()
    assert filtered(fit(**args), wanted, cluster([node()])) == [want]


def test_standard_resources_cannot_be_ignored() -> None:
    plugin = fit(ignored_resources=("cpu",), ignored_resource_groups=("cpu", "hugepages-2Mi"))
    wanted = pod().cpu("3").request("hugepages-2Mi", "2Mi").limit("hugepages-2Mi", "2Mi").build()
    want = Status.unresolvable("Insufficient cpu", "Insufficient hugepages-2Mi")
    assert filtered(plugin, wanted, cluster([node()])) == [want]


def test_filter_without_pre_filter_is_an_internal_error() -> None:
    text = r'^error reading "PreFilterNodeResourcesFit" from cycleState: not found$'
    with pytest.raises(PluginError, match=text):
        fit().filter(CycleState(), pod().build(), cluster([node()]))


RATIO = "RequestedToCapacityRatio"


@pytest.mark.parametrize(
    ("name", "args", "error", "want"),
    [
        (
            "unknown strategy",
            {"scoring_strategy": ScoringStrategy("Bogus")},
            BuildError,
            'scoringStrategy.type: Unsupported value: "Bogus": supported values: "LeastAllocated", "MostAllocated", '
            '"RequestedToCapacityRatio"',
        ),
        (
            "two problems",
            {
                "ignored_resource_groups": ("a/b",),
                "scoring_strategy": ScoringStrategy(LEAST_ALLOCATED, (ResourceSpec("cpu", 101),)),
            },
            BuildError,
            "[ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/', "
            "scoringStrategy.resources[0].weight: Invalid value: 101: "
            "resource weight of cpu not in valid range (0, 100]]",
        ),
        ("no strategy", {"scoring_strategy": None}, BuildError, "scoring strategy not specified"),
        (
            "ratio without its shape",
            {"scoring_strategy": ScoringStrategy(RATIO)},
            BuildPanicError,
            "panic: runtime error: invalid memory address or nil pointer dereference",
        ),
        (
            "ratio with an empty shape",
            {"scoring_strategy": ScoringStrategy(RATIO, requested_to_capacity_ratio=RequestedToCapacityRatio(()))},
            BuildError,
            "scoringStrategy.shape: Required value: at least one point must be specified",
        ),
        (
            "shape that goes back",
            {
                "scoring_strategy": ScoringStrategy(
                    RATIO,
                    requested_to_capacity_ratio=RequestedToCapacityRatio(
                        (UtilizationShapePoint(50, 0), UtilizationShapePoint(50, 10))
                    ),
                )
            },
            BuildError,
            "scoringStrategy.shape[1].utilization: Invalid value: 50: values must be sorted in increasing order",
        ),
    ],
)
def test_args_are_checked_when_the_plugin_is_built(
    name: str, args: dict[str, Any], error: type[BuildError], want: str
) -> None:
    with pytest.raises(BuildError) as raised:
        fit(**args)
    assert type(raised.value) is error
    assert str(raised.value) == want


def other(cpu: str, uid: str = "other", node_name: str = "n", nominated: str = "") -> Pod:
    builder = pod("other").uid(uid).cpu(cpu).status(nominatedNodeName=nominated)
    return (builder.node(node_name) if node_name else builder).build()


@pytest.mark.parametrize(
    ("name", "old", "new", "want"),
    [
        ("a running pod is deleted", other("1"), None, QueueingHint.QUEUE),
        ("a nominated pod is deleted", other("1", node_name="", nominated="n"), None, QueueingHint.QUEUE),
        ("a waiting pod is deleted", other("1", node_name=""), None, QueueingHint.SKIP),
        ("a running pod needs less of what is asked", other("2"), other("1"), QueueingHint.QUEUE),
        ("a running pod needs more", other("1"), other("2"), QueueingHint.SKIP),
        ("a waiting pod needs less", other("2", node_name=""), other("1", node_name=""), QueueingHint.SKIP),
        ("the pod itself needs less", other("2", "u", ""), other("1", "u", ""), QueueingHint.QUEUE),
    ],
)
def test_pod_hint(name: str, old: Pod, new: Pod | None, want: QueueingHint) -> None:
    action = ActionType.DELETE if new is None else ActionType.UPDATE_POD_SCALE_DOWN
    assert hint(fit(), EventResource.POD, action, pod().uid("u").cpu("1").build(), old, new) == want


def test_scaling_down_what_the_pod_does_not_ask_for_does_not_help() -> None:
    waiting = pod().uid("u").memory("1Gi").cpu("0").build()
    assert (
        hint(fit(), EventResource.POD, ActionType.UPDATE_POD_SCALE_DOWN, waiting, other("2"), other("1"))
        == QueueingHint.SKIP
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "want"),
    [
        ("added, large enough", None, node().build(), QueueingHint.QUEUE),
        ("added, too small", None, node().cpu("500m").build(), QueueingHint.SKIP),
        ("added, takes no pods", None, node().pods(0).build(), QueueingHint.SKIP),
        ("more cpu", node().cpu("1").build(), node().build(), QueueingHint.QUEUE),
        ("more cpu, still too small", node().cpu("1m").build(), node().cpu("2m").build(), QueueingHint.SKIP),
        ("less cpu", node().cpu("3").build(), node().build(), QueueingHint.SKIP),
        ("more of what is not asked for", node().build(), node().resource(GPU, "1").build(), QueueingHint.SKIP),
        ("more pods", node().build(), node().pods(4).build(), QueueingHint.QUEUE),
    ],
)
def test_node_hint(name: str, old: Node | None, new: Node, want: QueueingHint) -> None:
    action = ActionType.ADD if old is None else ActionType.UPDATE_NODE_ALLOCATABLE
    assert hint(fit(), EventResource.NODE, action, pod().cpu("1").memory("1Gi").build(), old, new) == want


def test_a_pod_that_asks_for_nothing_is_helped_by_more_pods_only() -> None:
    old = node().build()
    for new, want in ((node().cpu("8").build(), QueueingHint.SKIP), (node().pods(9).build(), QueueingHint.QUEUE)):
        assert hint(fit(), EventResource.NODE, ActionType.UPDATE_NODE_ALLOCATABLE, pod().build(), old, new) == want
