"""The reason tree: every node is in it once, and its numbers are those of the message."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from simulator.explain.decoder import decode
from simulator.explain.node_ranges import format_ranges, node_ranges
from simulator.explain.reasons import reason_tree
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.preemption.preemption_cluster import ScriptedExtender
from tests.core.simulation.test_properties import SEQUENCES, Manifest, play

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def tree_of(simulation: Simulation, record: Record) -> Any:
    return reason_tree(record.data["cycle"], record.matrix, simulation.node_names)


def reasons(tree: dict[str, Any]) -> dict[str, int]:
    """Reason → nodes, of the branches about nodes."""
    counts: Counter[str] = Counter()
    for branch in tree["children"]:
        if branch["kind"] in ("plugin", "preFilter"):
            counts.update({child["reason"]: child["count"] for child in branch["children"]})
    return dict(counts)


@given(SEQUENCES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_node_is_in_it_once_and_the_reasons_are_those_of_the_message(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for command in commands:
        for record in play(simulation, [command]):
            if record.data["kind"] != "cycle":
                continue
            if record.data["cycle"]["epoch"] != simulation.epoch:
                continue
            tree = tree_of(simulation, record)
            cycle = record.data["cycle"]
            if cycle["outcome"] == "skipped" or not cycle["nodes"]["total"]:
                continue
            assert sum(branch["count"] for branch in tree["children"]) == tree["count"] == cycle["nodes"]["total"]
            if cycle["outcome"] == "unschedulable" and not cycle["nodes"]["feasible"]:
                told = decode(cycle["message"])["parts"]
                assert reasons(tree) == {part["reason"]: part["count"] or tree["count"] for part in told}


def start(*objects: dict[str, Any], **options: Any) -> Simulation:
    simulation = Simulation.create(**options)
    list(simulation.apply({"kind": "create", "objects": list(objects)}))
    return simulation


def one_attempt(simulation: Simulation) -> dict[str, Any]:
    (record,) = simulation.apply({"kind": "schedule_one"})
    return tree_of(simulation, record)


def nodes(count: int, cpu: str = "4", **labels: str) -> list[dict[str, Any]]:
    return [dict(make_node(f"node-{i}").cpu(cpu).memory("8Gi").labels(**labels).manifest()) for i in range(count)]


def test_a_failure_is_told_by_plugin_and_reason() -> None:
    tainted = dict(make_node("gpu-1").cpu("64").memory("8Gi").taint("gpu", "", "NoSchedule").manifest())
    small = dict(make_node("small").cpu("1").memory("1Gi").manifest())
    tree = one_attempt(start(*nodes(3), tainted, small, dict(make_pod("big").cpu("5").memory("2Gi").manifest())))
    assert tree["text"]["text"] == "0/5 nodes are available"
    fit, taint, post_filter = tree["children"]
    assert (fit["plugin"], fit["count"], fit["evicting"]) == ("NodeResourcesFit", 4, {"could": 0, "cannot": 4})
    assert [(child["reason"], child["count"], format_ranges(child["nodes"])) for child in fit["children"]] == [
        ("Insufficient cpu", 4, "node-0 … node-2, small"),
        ("Insufficient memory", 1, "small"),
    ]
    assert fit["children"][0]["meaning"]["text"].startswith("the node has less cpu left")
    assert (taint["plugin"], format_ranges(taint["children"][0]["nodes"])) == ("TaintToleration", "gpu-1")
    assert [child["plugin"] for child in post_filter["children"]] == ["DynamicResources", "DefaultPreemption"]
    (not_helpful,) = post_filter["children"][1]["children"]
    assert (not_helpful["reason"], not_helpful["count"]) == ("Preemption is not helpful for scheduling", 5)


def test_a_success_has_a_tree_too() -> None:
    shut = dict(make_node("shut").cordoned().manifest())
    tree = one_attempt(start(*nodes(2), shut, dict(make_pod("web").manifest())))
    assert tree["outcome"] == "scheduled"
    assert tree["text"]["text"].endswith("was chosen; 2 of 3 nodes could take the pod")
    assert [(branch["kind"], branch["count"]) for branch in tree["children"]] == [("feasible", 2), ("plugin", 1)]


def test_nodes_that_sampling_left_out_are_a_branch() -> None:
    config = HEADER + "percentageOfNodesToScore: 50\n"
    tree = one_attempt(start(*nodes(300), dict(make_pod("web").cpu("1").manifest()), config=config))
    feasible, unseen = tree["children"]
    assert (feasible["kind"], feasible["count"]) == ("feasible", 150)
    assert (unseen["kind"], unseen["count"], format_ranges(unseen["nodes"])) == (
        "notEvaluated",
        150,
        "node-150 … node-299",
    )
    assert "150 that fit were enough" in unseen["text"]["text"]


def test_nodes_that_prefilter_narrowed_away_are_a_branch() -> None:
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
        for name in ("node-1", "node-7", "absent")
    ]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    tree = one_attempt(start(*nodes(9), dict(make_pod("daemon").cpu("8").spec(affinity=affinity).manifest())))
    fit, narrowed, _ = tree["children"]
    assert (fit["plugin"], fit["count"]) == ("NodeResourcesFit", 2)
    assert (narrowed["kind"], narrowed["plugin"], narrowed["count"]) == ("narrowed", "NodeAffinity", 7)
    assert narrowed["text"]["text"] == "NodeAffinity had narrowed the search to 2: 7 other nodes were passed over"


def test_a_pod_rejected_before_any_node() -> None:
    pod = dict(make_pod("db").claim("data").manifest())
    tree = one_attempt(start(*nodes(3), pod))
    pre_filter = tree["children"][0]
    assert (pre_filter["kind"], pre_filter["count"]) == ("preFilter", 3)
    (reason,) = pre_filter["children"]
    assert reason["reason"] == 'persistentvolumeclaim "data" not found'
    assert reason["details"] == {"claim": "data"}


def test_nodes_that_an_extender_dropped_are_a_branch() -> None:
    extender = ScriptedExtender(rejects=["node-1"], is_filter=True, supports_preemption=False)
    simulation = start(*nodes(3), dict(make_pod("web").manifest()), make_extenders=lambda config: [extender])
    tree = one_attempt(simulation)
    feasible, dropped = tree["children"]
    assert (feasible["kind"], format_ranges(feasible["nodes"])) == ("feasible", "node-0, node-2")
    assert (dropped["kind"], format_ranges(dropped["nodes"])) == ("extender", "node-1")
    (call,) = dropped["children"]
    assert call["text"]["text"] == "http://extender dropped 1 node"


def test_an_internal_error_is_a_branch() -> None:
    config = HEADER + "profiles:\n- plugins: {preFilter: {disabled: [{name: NodePorts}]}}\n"
    tree = one_attempt(start(*nodes(2), dict(make_pod("web").host_port(80).manifest()), config=config))
    assert tree["outcome"] == "error"
    unseen, error = tree["children"]
    assert (unseen["kind"], unseen["count"]) == ("notEvaluated", 2)
    assert (error["kind"], error["reason"]) == ("error", tree["message"])


def test_no_nodes_at_all() -> None:
    tree = one_attempt(start(dict(make_pod("web").manifest())))
    assert (tree["count"], tree["children"]) == (0, [])
    assert tree["message"] == "no nodes available to schedule pods"


def test_preemption_that_helped() -> None:
    victim = dict(make_pod("victim").cpu("3").node("node-0").manifest())
    tree = one_attempt(start(*nodes(1), victim, dict(make_pod("vip").cpu("3").priority(9).manifest())))
    fit, post_filter = tree["children"]
    assert fit["evicting"] == {"could": 1, "cannot": 0}
    assert post_filter["children"][-1]["text"]["text"] == ("DefaultPreemption nominated node-0, where 1 pod is evicted")


@pytest.mark.parametrize(
    ("names", "want"),
    [
        ([], ""),
        (["a"], "a"),
        (["node-1", "node-2", "node-3"], "node-1 … node-3"),
        (["node-9", "node-11", "node-10", "x"], "node-9 … node-11, x"),
        (["n-08", "n-09", "n-10", "n-11"], "n-08 … n-11"),
        (["n-8", "n-08"], "n-08, n-8"),
        (["7", "8"], "7 … 8"),
        (["a1", "b2", "a2"], "a1 … a2, b2"),
        ([f"ip-{i}.ec2" for i in range(42)], None),
        (["n" + "9" * 30], "n" + "9" * 30),
    ],
)
def test_ranges(names: list[str], want: str | None) -> None:
    found = node_ranges(names)
    assert found["count"] == len(names) == found["omitted"] + sum(count for _, _, count in found["ranges"])
    if want is None:
        assert found["omitted"] == 2 and format_ranges(found).endswith(", and 2 more")
    else:
        assert format_ranges(found) == want
