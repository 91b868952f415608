"""Extenders beside the plugins: what they change in a cycle, and how every call shows in the trace."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.extender import Response, post_error
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.extender.scripted_transport import URL, Answers, Json, configuration, host_scores, simulation

REFUSED = post_error(f"{URL}/f", "dial tcp ext:8888: connect: connection refused")
KNOWS = "nodeCacheCapable: true"


def keep(*names: str, **failed: str) -> Any:
    return lambda request: {"NodeNames": [n for n in request["NodeNames"] if n in names], "FailedNodes": failed}


def everyone(request: Json) -> Json:
    return {"NodeNames": request["NodeNames"], "Nodes": request["Nodes"]}


def create(sim: Simulation, *builders: Any) -> None:
    list(sim.apply({"kind": "create", "objects": [builder.manifest() for builder in builders]}))


def attempt(sim: Simulation) -> Record:
    return next(record for record in sim.apply({"kind": "schedule_one"}) if record.data["kind"] == "cycle")


def calls(record: Record) -> list[Json]:
    return [step for step in record.data["cycle"]["steps"] if "extender" in step]


def cluster(config: str, answers: dict[str, Any]) -> tuple[Simulation, Answers]:
    """Three nodes, and a pod that fits on all of them."""
    transport = Answers(answers)
    sim = simulation(config, transport)
    create(sim, *(make_node(name) for name in "abc"), make_pod("web").cpu("1"))
    return sim, transport


# ── filter ──


def test_filter_narrows_the_nodes_and_says_why() -> None:
    sim, _ = cluster(configuration(f"filterVerb: f, {KNOWS}"), {"f": keep("b", a="too hot")})
    record = attempt(sim)
    assert record.data["cycle"]["node"] == "b"
    assert calls(record) == [
        {
            "point": "Filter",
            "extender": URL,
            "code": "Success",
            "in": 3,
            "out": 1,
            "data": {"rejected": [["Unschedulable", ["too hot"], 1]], "dropped": 1},
        }
    ]


def test_nobody_left_makes_the_pod_unschedulable_by_the_extender() -> None:
    sim, _ = cluster(configuration(f"filterVerb: f, {KNOWS}"), {"f": keep(a="", b="x")})
    record = attempt(sim)
    # A node that was dropped without a word is missing from the message, an empty reason is not.
    assert record.data["cycle"]["message"].startswith("0/3 nodes are available: 1 , 1 x. ")
    assert record.lanes["default/web"]["plugins"] == ["Extender"]


def test_a_failing_filter_is_an_error_of_the_attempt() -> None:
    sim, _ = cluster(configuration("filterVerb: f"), {"f": REFUSED})
    record = attempt(sim)
    assert (record.data["cycle"]["outcome"], record.data["cycle"]["message"]) == ("error", str(REFUSED))
    assert calls(record) == [{"point": "Filter", "extender": URL, "code": "Error", "reasons": [str(REFUSED)]}]


def test_a_failing_filter_may_be_ignorable() -> None:
    sim, _ = cluster(configuration("filterVerb: f, ignorable: true"), {"f": REFUSED})
    record = attempt(sim)
    assert record.data["cycle"]["outcome"] == "scheduled"
    assert [(step["code"], step["ignored"]) for step in calls(record)] == [("Error", True)]


def test_the_next_is_not_asked_when_nobody_is_left() -> None:
    config = configuration(f"filterVerb: f, {KNOWS}", f"filterVerb: g, {KNOWS}")
    sim, transport = cluster(config, {"f": keep(), "g": everyone})
    attempt(sim)
    assert transport.called == ["f"]


def test_a_pod_that_is_none_of_its_business_is_not_shown_to_it() -> None:
    sim, transport = cluster(configuration("filterVerb: f, managedResources: [{name: example.com/x}]"), {})
    assert (attempt(sim).data["cycle"]["outcome"], transport.requests) == ("scheduled", [])


def test_returned_nodes_score_as_empty() -> None:
    """Fidelity note 28: without their pods all nodes are equally free."""
    config = configuration("filterVerb: f", profiles="- {plugins: {score: {disabled: [{name: ImageLocality}]}}}")
    transport = Answers({"f": everyone})
    sim = simulation(config, transport)
    create(sim, make_node("a"), make_node("b"), make_pod("old").cpu("3").node("a"), make_pod("web").cpu("1"))
    record = attempt(sim)
    assert record.matrix is not None
    assert len(set(record.matrix.totals.tolist())) == 1


def test_a_node_that_does_not_exist_may_win() -> None:
    """Upstream binds the pod to whatever came back; nobody counts it there."""
    ghost = {"metadata": {"name": "ghost"}, "status": {"allocatable": {"cpu": "99", "memory": "99Gi", "pods": "9"}}}

    def haunted(request: Json) -> Json:
        return {"Nodes": {"items": [*request["Nodes"]["items"], ghost]}}

    sim, _ = cluster(configuration("filterVerb: f"), {"f": haunted})
    record = attempt(sim)
    assert record.data["cycle"]["node"] == "ghost"
    assert record.matrix is not None
    # There is no row for it in the matrix.
    assert record.matrix.totals.shape == record.matrix.feasible.shape == (3,)
    create(sim, make_node("ghost"))
    assert sim.cluster.cache.table.pod_count.values.tolist() == [0, 0, 0, 1]


# ── scores ──


def test_scores_are_weighted_and_added() -> None:
    sim, _ = cluster(configuration("prioritizeVerb: p, weight: 3"), {"p": host_scores(a=1, b=10, ghost=10)})
    record = attempt(sim)
    assert record.data["cycle"]["node"] == "b"
    assert record.matrix is not None
    a, b, c = record.matrix.totals.tolist()
    assert (b - a, a - c) == (9 * 3 * 10, 1 * 3 * 10)
    assert calls(record) == [
        {"point": "Score", "extender": URL, "code": "Success", "data": {"min": 1, "max": 10, "weight": 3}}
    ]


def test_a_failing_score_counts_as_none() -> None:
    sim, _ = cluster(configuration("prioritizeVerb: p, weight: 3"), {"p": Response(500, b"")})
    record = attempt(sim)
    assert record.data["cycle"]["outcome"] == "scheduled"
    assert [(step["code"], step["ignored"]) for step in calls(record)] == [("Error", True)]


def test_scores_wrap_around_as_in_go() -> None:
    sim, _ = cluster(configuration("prioritizeVerb: p, weight: 1"), {"p": host_scores(a=2**62, b=1)})
    record = attempt(sim)
    # 2^62 · 10 is 2^63 more than a multiple of 2^64.
    assert record.data["cycle"]["node"] == "b"


# ── bind ──


def test_an_extender_binds() -> None:
    sim, transport = cluster(configuration("bindVerb: b"), {"b": {}})
    record = attempt(sim)
    assert transport.called == ["b"]
    steps = [step for step in record.data["cycle"]["steps"] if step["point"] == "Bind"]
    node = record.data["cycle"]["node"]
    assert steps == [{"point": "Bind", "extender": URL, "code": "Success", "data": {"node": node}}]
    pod = sim.cluster.find_pod("default/web")
    assert pod is not None
    assert pod.node_name == node


def test_a_failed_binding_gives_the_room_back() -> None:
    sim, _ = cluster(configuration("bindVerb: b"), {"b": {"Error": "not today"}})
    record = attempt(sim)
    assert (record.data["cycle"]["outcome"], record.data["cycle"]["message"]) == ("error", "not today")
    assert record.lanes["default/web"]["lane"] == "errorBackoff"
    assert sim.cluster.cache.table.pod_count.values.tolist() == [0, 0, 0]


def test_a_failed_binding_may_be_ignorable() -> None:
    sim, _ = cluster(configuration("bindVerb: b, ignorable: true"), {"b": REFUSED})
    record = attempt(sim)
    steps = [step for step in record.data["cycle"]["steps"] if step["point"] == "Bind"]
    assert [step.get("extender", step.get("plugin")) for step in steps] == [URL, "DefaultBinder"]
    assert [step["code"] for step in steps] == ["Error", "Success"]
    assert record.data["cycle"]["outcome"] == "scheduled"


# ── preempt ──


def full_cluster(fields: str, answer: Any) -> Simulation:
    """Two nodes full of less important pods."""
    sim = simulation(configuration(fields), Answers({"p": answer}))
    low = [make_pod(f"low-{name}").uid(f"u-{name}").cpu("4").node(name) for name in "ab"]
    create(sim, make_node("a"), make_node("b"), *low, make_pod("high").cpu("3").priority(100))
    return sim


def only(*names: str) -> Any:
    def answer(request: Json) -> Json:
        given = request["NodeNameToMetaVictims"]
        return {"NodeNameToMetaVictims": {name: given[name] for name in names}}

    return answer


def test_preemption_takes_what_the_extender_leaves() -> None:
    record = attempt(full_cluster(f"preemptVerb: p, {KNOWS}", only("b")))
    assert record.data["cycle"]["nominated"] == "b"
    victims = {"b": {"victims": ["default/low-b"], "pdbViolations": 0}}
    assert calls(record) == [
        {
            "point": "PostFilter",
            "extender": URL,
            "code": "Success",
            "in": 2,
            "out": 1,
            "data": {"candidates": victims},
        }
    ]
    points = [step.get("extender") or step.get("plugin") for step in record.data["cycle"]["steps"]]
    assert points.index(URL) < points.index("DefaultPreemption")


PREEMPTION = [
    # name                 fields                   answer              message                                nominated
    ("no candidate", "", only(), "no candidate node for preemption", None),
    ("no victims", "", {"NodeNameToMetaVictims": {"a": {}}}, 'expected at least one victim pod on node "a"', None),
    ("no victims, ignorable", ", ignorable: true", {"NodeNameToMetaVictims": {"a": {}}},
     "no candidate node for preemption", None),
    ("a failure", "", Response(404, b""), f"failed p with extender at URL {URL}/p, code 404", None),
    ("a failure, ignorable", ", ignorable: true", Response(404, b""), "", "a"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "fields", "answer", "message", "nominated"), PREEMPTION, ids=[case[0] for case in PREEMPTION]
)
def test_preemption_without_candidates(
    name: str, fields: str, answer: Any, message: str, nominated: str | None
) -> None:
    record = attempt(full_cluster(f"preemptVerb: p, {KNOWS}{fields}", answer))
    cycle = record.data["cycle"]
    assert cycle["message"].endswith(message)
    assert (cycle.get("nominated") is None) is (nominated is None)
    assert len(calls(record)) == 1


# ── whatever comes back ──

WORDS = (
    "Nodes NodeNames items metadata name labels spec taints status allocatable cpu FailedNodes Error Host Score "
    "NodeNameToMetaVictims a Pods UID NumPDBViolations"
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "b", "ghost", "", "u-a"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS.split()), inner, max_size=5),
    max_leaves=25,
)
NAMES = st.lists(st.sampled_from(["a", "b", "ghost", None]), max_size=4)
NODES = st.lists(
    st.fixed_dictionaries({"metadata": st.fixed_dictionaries({"name": st.sampled_from(["a", "b", "ghost"])})}) | VALUES
)
FILTERS = st.fixed_dictionaries(
    {}, optional={"NodeNames": NAMES, "Nodes": st.fixed_dictionaries({"items": NODES}), "FailedNodes": VALUES}
)


@given(knows=st.booleans(), left=FILTERS | VALUES, scores=VALUES | st.just([{"Host": "a", "Score": 2**63 - 1}]))
def test_no_answer_breaks_the_engine(knows: bool, left: Any, scores: Any) -> None:
    """Each pod is placed, waits, or failed with a text; and the same answers give the same bytes."""
    verbs = "filterVerb: f, prioritizeVerb: s, weight: 5, preemptVerb: f, bindVerb: s"
    config = configuration(f"{verbs}, nodeCacheCapable: {str(knows).lower()}")
    runs = []
    for _ in range(2):
        sim = simulation(config, Answers({"f": left, "s": scores}))
        create(sim, make_node("a"), make_node("b"), make_pod("low").uid("u-a").cpu("4").node("a"))
        create(sim, *(make_pod(f"web-{i}").cpu("3").priority(i) for i in range(3)))
        records = [*sim.apply({"kind": "run", "until": {"cycles": 4}}), *sim.apply({"kind": "reset"})]
        runs.append([json.dumps(record.data, sort_keys=True) for record in records])
        outcomes = {record.data["cycle"]["outcome"] for record in records if record.data["kind"] == "cycle"}
        assert outcomes <= {"scheduled", "unschedulable", "error"}
    assert runs[0] == runs[1]
