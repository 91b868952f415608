"""The written arithmetic, plugin by plugin, as people read it."""

from typing import Any

import pytest

from scheduler_core.emulations import V1_34_1, V1_36_3
from scheduler_core.facts.attempt_context import UnknownNodeError
from scheduler_core.facts.calculation import MAX_LINES, divide_like_go, round_like_go, wrap_int64
from scheduler_core.framework.interface import ScorePlugin
from scheduler_core.plugins.table import ARITHMETIC
from simulator.explain.arithmetic import ExplainedScore, explain_score, ledger
from simulator.explain.compare import compare
from tests.conformance.testing import make_pod
from tests.core.explain.small_cluster import attempt, fit_args, new_pod, node

ZONE = "topology.kubernetes.io/zone"
MIB = 1024 * 1024


def lines(found: ExplainedScore | None) -> list[str]:
    """`subject: formula = value` of raw and normalised; formulas that are the value are left out."""
    assert found is not None
    told = []
    for calculation in (found["raw"], found["normalized"]):
        for line in calculation["lines"] if calculation is not None else ():
            subject = f"{line['of']}: " if line["of"] else ""
            if line["value"] is None:
                told.append(subject + line["what"]["text"])
                continue
            value = f"{line['value']:.4g}" if isinstance(line["value"], float) else str(line["value"])
            told.append(subject + (value if line["formula"] == value else f"{line['formula']} = {value}"))
    return told


def busy(cpu: str = "1", memory: str = "1Gi") -> Any:
    return make_pod("busy").cpu(cpu).memory(memory).node("a")


def test_least_allocated() -> None:
    again = attempt(node("a"), node("b"), busy(), new_pod().cpu("300m").memory("1Gi"))
    found = explain_score(again.context, "NodeResourcesFit", "a")
    assert found is not None and found["strategy"] == "LeastAllocated"
    assert lines(found) == [
        "cpu: (4000 − 1300) × 100 / 4000 = 67",
        "memory: (8589934592 − 2147483648) × 100 / 8589934592 = 75",
        "(67 × 1 + 75 × 1) / 2 = 71",
    ]
    assert found["weighted"] == {"formula": "71 × 1", "value": 71}


def test_most_allocated_with_weights_and_a_resource_that_is_not_there() -> None:
    strategy = (
        "{type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}, "
        "{name: ephemeral-storage, weight: 9}, {name: example.com/gpu, weight: 9}]}"
    )
    again = attempt(node("a"), node("b"), new_pod().cpu("1").memory("2Gi"), config=fit_args(strategy))
    assert lines(explain_score(again.context, "NodeResourcesFit", "a")) == [
        "ephemeral-storage: left out: the node has none of it",
        "example.com/gpu: left out: the pod does not ask for it",
        "cpu: 1000 × 100 / 4000 = 25",
        "memory: 2147483648 × 100 / 8589934592 = 25",
        "(25 × 3 + 25 × 1) / 4 = 25",
    ]


def test_requested_to_capacity_ratio() -> None:
    strategy = (
        "{type: RequestedToCapacityRatio, resources: [{name: cpu, weight: 1}, {name: memory, weight: 2}], "
        "requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 50, score: 10}, "
        "{utilization: 100, score: 5}]}}"
    )
    again = attempt(node("a"), node("b"), new_pod().cpu("3").memory("1Gi"), config=fit_args(strategy))
    assert lines(explain_score(again.context, "NodeResourcesFit", "a")) == [
        "cpu: 3000 × 100 / 4000 = 75",
        "cpu: 100 + (50 − 100) × (75 − 50) / (100 − 50) = 75",
        "memory: 1073741824 × 100 / 8589934592 = 12",
        "memory: 0 + (100 − 0) × (12 − 0) / (50 − 0) = 24",
        "round((75 × 1 + 24 × 2) ÷ 3) = 41",
    ]


def test_balanced_allocation_of_two_and_of_three() -> None:
    again = attempt(node("a"), node("b"), new_pod().cpu("1").memory("1Gi"))
    assert lines(explain_score(again.context, "NodeResourcesBalancedAllocation", "a")) == [
        "cpu: 1000 ÷ 4000 = 0.25",
        "memory: 1073741824 ÷ 8589934592 = 0.125",
        "|0.25 − 0.125| ÷ 2 = 0.0625",
        "trunc((1 − 0.0625) × 100) = 93",
    ]
    three = """profiles:
- pluginConfig:
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, {name: example.com/gpu, weight: 1}]}
"""
    gpus = [node(name).resource("example.com/gpu", "4") for name in "ab"]
    again = attempt(*gpus, new_pod().cpu("1").memory("1Gi").extended("example.com/gpu", 4), config=three)
    assert lines(explain_score(again.context, "NodeResourcesBalancedAllocation", "a"))[3:] == [
        "(0.25 + 0.125 + 1) ÷ 3 = 0.4583",
        "√(((0.25 − 0.458333)² + (0.125 − 0.458333)² + (1 − 0.458333)²) ÷ 3) = 0.3864",
        "trunc((1 − 0.386401) × 100) = 61",
    ]


def test_taints() -> None:
    a = node("a").taint("slow", "disk", "PreferNoSchedule").taint("old", "", "PreferNoSchedule")
    again = attempt(a, node("b"), new_pod().toleration("old", effect="PreferNoSchedule", operator="Exists"))
    assert lines(explain_score(again.context, "TaintToleration", "a")) == [
        "slow=disk:PreferNoSchedule: 1",
        "old:PreferNoSchedule: 0",
        "1 + 0 = 1",
        "100 − 100 × 1 / 1 = 0",
    ]
    assert lines(explain_score(again.context, "TaintToleration", "b")) == ["0", "100 − 100 × 0 / 1 = 100"]


def test_node_affinity() -> None:
    pod = new_pod().preferred_node(80, "disk", "In", "ssd").preferred_node(20, "gpu", "Exists")
    again = attempt(node("a").label("disk", "ssd"), node("b").label("gpu", ""), pod)
    assert lines(explain_score(again.context, "NodeAffinity", "b")) == [
        "disk=ssd: 0",
        "gpu: 20",
        "20",
        "100 × 20 / 80 = 25",
    ]


def test_inter_pod_affinity() -> None:
    friend = make_pod("friend").label("app", "db").node("a")
    shy = make_pod("shy").node("b").preferred_anti_affinity(7, ZONE, {"app": "web"})
    pod = new_pod().preferred_affinity(50, ZONE, {"app": "db"})
    again = attempt(node("a").zone("z1"), node("b").zone("z2"), node("c"), friend, shy, pod)
    assert lines(explain_score(again.context, "InterPodAffinity", "a")) == [
        "app=db: 1 × 50 = 50",
        "50",
        "trunc(100 × ((50 − (−7)) ÷ (50 − (−7)))) = 100",
    ]
    assert lines(explain_score(again.context, "InterPodAffinity", "b")) == [
        "app=db: 0 × 50 = 0",
        "app=web: 1 × (−7) = -7",
        "(−7) = -7",
        "trunc(100 × (((−7) − (−7)) ÷ (50 − (−7)))) = 0",
    ]
    assert lines(explain_score(again.context, "InterPodAffinity", "c"))[:2] == ["app=db: 0", "0"]


def test_topology_spread() -> None:
    running = [make_pod(f"web-{i}").label("app", "web").node("a") for i in range(3)]
    pod = new_pod().spread(ZONE, {"app": "web"}, max_skew=2, when_unsatisfiable="ScheduleAnyway")
    again = attempt(node("a").zone("z1"), node("b").zone("z2"), node("c"), *running, pod)
    assert lines(explain_score(again.context, "PodTopologySpread", "a")) == [
        f"{ZONE}: 3 × ln(2 + 2) + (2 − 1) = 5.159",
        "round(5.15888) = 5",
        "100 × (5 + 1 − 5) / 5 = 20",
    ]
    assert lines(explain_score(again.context, "PodTopologySpread", "c")) == ["0", "0"]


def test_image_locality() -> None:
    again = attempt(node("a").image(200 * MIB, "app:v1"), node("b"), new_pod().image("app:v1"))
    assert lines(explain_score(again.context, "ImageLocality", "a")) == [
        "app:v1: trunc(209715200 × (1 ÷ 2)) = 104857600",
        "104857600",
        "100 × (104857600 − 24117248) / (1048576000 − 24117248) = 7",
    ]
    assert lines(explain_score(again.context, "ImageLocality", "b"))[0] == "app:v1: 0"


def test_the_ledger_adds_up_and_says_where_the_node_stands() -> None:
    again = attempt(node("a"), node("b"), busy(), new_pod().cpu("1").memory("1Gi"))
    winner, loser = ledger(again.context, "b"), ledger(again.context, "a")
    assert winner["why"]["text"] == "b has the highest total" and winner["rank"] == 1
    assert winner["total"] is not None
    assert loser["why"]["text"] == f"1 node has a higher total; the best has {winner['total']['value']}"
    parts = [score["weighted"]["value"] for score in loser["plugins"]]
    assert loser["total"] == {"formula": " + ".join(map(str, parts)), "value": sum(parts)}
    assert "InterPodAffinity" in loser["skipped"] and loser["ties"] == []


@pytest.mark.parametrize(
    ("name", "objects", "asked", "want"),
    [
        ("one node", [node("a"), new_pod()], "a", "a was the only node left, so nothing was scored"),
        ("a tie", [node("a"), node("b"), new_pod()], "a", "2 nodes have the highest total"),
        (
            "rejected",
            [node("a"), node("b"), node("c").cordoned(), new_pod()],
            "c",
            "c was not among the nodes that were scored",
        ),
        ("none fits", [node("a"), new_pod().cpu("64")], "a", "no node was left to score"),
    ],
)
def test_why_a_node_was_not_scored(name: str, objects: list[Any], asked: str, want: str) -> None:
    assert ledger(attempt(*objects).context, asked)["why"]["text"].startswith(want)


def test_without_score_plugins_any_node_will_do() -> None:
    config = "profiles:\n- plugins: {score: {disabled: [{name: '*'}]}}\n"
    again = attempt(node("a"), node("b"), new_pod(), config=config)
    assert ledger(again.context, "a")["scored"] is False


def test_why_one_beat_the_other() -> None:
    again = attempt(node("a"), node("b"), busy("2", "1Gi"), new_pod().cpu("1").memory("1Gi"))
    found = compare(again.context, "b", "a")
    assert found["gap"] == sum(row["difference"] for row in found["plugins"]) > 0
    differences = [abs(row["difference"]) for row in found["plugins"]]
    assert differences == sorted(differences, reverse=True)
    top = found["plugins"][0]
    assert found["why"]["text"] == f"b beat a by {found['gap']}: mostly {top['plugin']}, {top['difference']} of it"
    assert found["decided"] == {"by": "score", "plugin": top["plugin"]}
    assert compare(again.context, "a", "b")["why"]["text"] == found["why"]["text"]
    assert compare(again.context, "a", "b")["gap"] == -found["gap"]


def test_equals_and_unscored_nodes_are_compared_too() -> None:
    again = attempt(node("a"), node("b"), node("c").cordoned(), new_pod())
    found = compare(again.context, "a", "b")
    assert found["gap"] == 0 and found["why"]["text"] == f"a and b have the same total; {again.cycle['node']} was drawn"
    assert found["decided"] == {"by": "draw", "plugin": None}
    with pytest.raises(UnknownNodeError, match="there is no node 'nowhere' in this cycle"):
        compare(again.context, "a", "nowhere")


CORDONED = {"plugin": "NodeUnschedulable", "reasons": ["node(s) were unschedulable"]}
FULL = {"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"]}
FILTERED = [
    # name, a, b, why, decided by, its plugin, rejected
    (
        "one rejected",
        "a",
        "cordoned",
        "a could take the pod; NodeUnschedulable rejected cordoned: node(s) were unschedulable",
        "filter",
        "NodeUnschedulable",
        {"cordoned": CORDONED},
    ),
    (
        "the other way round",
        "full",
        "b",
        "b could take the pod; NodeResourcesFit rejected full: Insufficient cpu",
        "filter",
        "NodeResourcesFit",
        {"full": FULL},
    ),
    (
        "both rejected",
        "cordoned",
        "full",
        "neither could take the pod; NodeUnschedulable rejected cordoned, NodeResourcesFit rejected full",
        "nothing",
        None,
        {"cordoned": CORDONED, "full": FULL},
    ),
    (
        "with itself",
        "cordoned",
        "cordoned",
        "cordoned was not scored",
        "nothing",
        None,
        {"cordoned": CORDONED},
    ),
]


@pytest.mark.parametrize(("name", "a", "b", "why", "by", "plugin", "rejected"), FILTERED)
def test_a_filter_decides_between_nodes_too(
    name: str, a: str, b: str, why: str, by: str, plugin: str | None, rejected: dict[str, Any]
) -> None:
    cordoned, full = node("cordoned").cordoned(), node("full").capacity(cpu="1")
    again = attempt(node("a"), node("b"), cordoned, full, new_pod().cpu("2"))
    found = compare(again.context, a, b)
    assert (found["why"]["text"], found["decided"], found["rejected"]) == (why, {"by": by, "plugin": plugin}, rejected)
    assert found["gap"] is None and found["plugins"] == []


def test_a_node_that_was_not_looked_at_is_said_to_be_so() -> None:
    again = attempt(*(node(f"n{i:03}") for i in range(150)), new_pod(), config="percentageOfNodesToScore: 5\n")
    found = compare(again.context, again.cycle["node"], "n149")
    assert found["why"]["text"] == "n149 was not looked at: enough nodes had been found before"
    assert found["decided"]["by"] == "nothing"


def test_thousands_of_terms_are_told_as_their_sum() -> None:
    pod = new_pod()
    for i in range(MAX_LINES + 50):
        pod.preferred_node(1, f"key-{i}", "DoesNotExist")
    again = attempt(node("a"), node("b"), pod)
    found = explain_score(again.context, "NodeAffinity", "a")
    assert found is not None and found["raw"]["value"] == MAX_LINES + 50
    assert len(found["raw"]["lines"]) == MAX_LINES + 1
    assert found["raw"]["lines"][-2]["value"] == 51


def test_every_score_plugin_has_an_explainer() -> None:
    known = [(name, emulation.registry.get(name)) for emulation in (V1_34_1, V1_36_3) for name in emulation.registry]
    scoring = {name for name, plugin in known if issubclass(plugin or object, ScorePlugin)}
    assert scoring == set(ARITHMETIC)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (wrap_int64(1 << 63), -(1 << 63)),
        (wrap_int64(-1), -1),
        (divide_like_go(-7, 2), -3),
        (divide_like_go(7, 2), 3),
        (round_like_go(2.5), 3),
        (round_like_go(-2.5), -3),
        (round_like_go(2.4), 2),
    ],
)
def test_arithmetic_is_gos(got: int, want: int) -> None:
    assert got == want
