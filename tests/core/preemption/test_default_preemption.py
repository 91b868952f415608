from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.framework.extender import ExtenderError, Victims
from scheduler_core.framework.status import Code
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.preemption.preemption_cluster import Cluster, ScriptedExtender, budget

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def nodes(count: int, cpu: str = "4") -> list[NodeBuilder]:
    return [make_node(f"n{i}").cpu(cpu) for i in range(count)]


def low(name: str, node: str, cpu: str = "4", priority: int = 0, started: int = 0) -> PodBuilder:
    pod = make_pod(name).uid(f"uid-{name}").node(node).cpu(cpu).priority(priority).label("app", "low")
    return pod.started(f"2025-01-01T00:00:{started:02}Z")


def high(cpu: str = "4", priority: int = 10) -> PodBuilder:
    return make_pod("high").uid("uid-high").cpu(cpu).priority(priority)


def found(cluster: Cluster, pod: PodBuilder | None = None) -> tuple[str | None, str]:
    """(nominated node, victims)."""
    result = cluster.schedule(pod or high())
    assert result.post_filter is not None
    return result.nominated, " ".join(cluster.evicted)


@pytest.mark.parametrize(
    ("name", "node_count", "pods", "pod", "want"),
    [
        ("the only node", 1, [low("a", "n0")], high(), ("n0", "a")),
        ("no more than needed", 1, [low("a", "n0", "2"), low("b", "n0", "2")], high("2"), ("n0", "b")),
        ("the younger one", 1, [low("a", "n0", "2", 0, 9), low("b", "n0", "2", 0, 5)], high("2"), ("n0", "a")),
        ("the less important", 1, [low("a", "n0", "2", 1), low("b", "n0", "2", 2)], high("2"), ("n0", "a")),
        (
            "a small one that is not enough is spared",
            1,
            [low("a", "n0", "1"), low("b", "n0", "3", 1)],
            high("2"),
            ("n0", "b"),
        ),
        ("the cheaper node", 2, [low("a", "n0", "4", 5), low("b", "n1", "4", 3)], high(), ("n1", "b")),
        ("equals and betters are safe", 2, [low("a", "n0", "4", 10), low("b", "n1", "4", 11)], high(), ("", "")),
        ("too large for any node", 1, [low("a", "n0")], high("5"), ("", "")),
        ("never", 1, [low("a", "n0")], high().never_preempts(), (None, "")),
    ],
)
def test_whom_it_evicts(
    name: str, node_count: int, pods: list[PodBuilder], pod: PodBuilder, want: tuple[str | None, str]
) -> None:
    assert found(Cluster(nodes(node_count), pods), pod) == want


@pytest.mark.parametrize(
    ("name", "node_list", "pods", "pod", "want"),
    [
        ("never", nodes(1), [low("a", "n0")], high().never_preempts(), "not eligible due to preemptionPolicy=Never."),
        (
            "nobody to evict",
            nodes(2),
            [low("a", "n0", "4", 10), low("b", "n1", "4", 10)],
            high(),
            "0/2 nodes are available: 2 No preemption victims found for incoming pod.",
        ),
        (
            "not helped by evictions",
            [*nodes(1), make_node("cordoned").cordoned()],
            [low("a", "n0", "4", 10)],
            high(),
            "0/2 nodes are available: 1 No preemption victims found for incoming pod, "
            "1 Preemption is not helpful for scheduling.",
        ),
        (
            "still too full",
            nodes(1),
            [low("a", "n0", "2", 10), low("b", "n0", "2")],
            high(),
            "0/1 nodes are available: 1 Insufficient cpu.",
        ),
        (
            "no node at all may be helped",
            nodes(1),
            [],
            high("5"),
            "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
        ),
        (
            "it would evict whom it wants to be near to",
            nodes(1),
            [low("a", "n0")],
            high().affinity(HOST, {"app": "low"}),
            "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
        ),
    ],
)
def test_message(name: str, node_list: list[NodeBuilder], pods: list[PodBuilder], pod: PodBuilder, want: str) -> None:
    result = Cluster(node_list, pods).schedule(pod)
    assert result.message.endswith(f" no new claims to deallocate, preemption: {want}")


def test_success_says_nothing_of_preemption() -> None:
    result = Cluster(nodes(1), [low("a", "n0")]).schedule(high())
    assert result.message == "0/1 nodes are available: 1 Insufficient cpu."


def test_detail_and_events() -> None:
    leaving = low("leaving", "n0", "2").terminating()
    cluster = Cluster(
        nodes(2),
        [leaving, low("a", "n0", "2", 1), low("b", "n1", "2", 2), low("c", "n1", "2", 1)],
        [budget("b", 0, app="low")],
    )
    result = cluster.schedule(high())
    assert result.post_filter is not None
    assert result.post_filter.detail == {
        "candidates": {
            "n0": {"victims": ["default/a", "default/leaving"], "pdbViolations": 2},
            "n1": {"victims": ["default/b", "default/c"], "pdbViolations": 2},
        },
        "ties": ["n0"],
        "nominatedNode": "n0",
        "victims": ["default/a", "default/leaving"],
        "clearedNominations": [],
    }
    assert cluster.evicted == ["a", "leaving"]
    assert cluster.events == ["Normal Preempted a: Preempted by pod uid-high on node n0"]


def test_pods_with_a_budget_are_spared_first() -> None:
    protected = low("protected", "n0", "2").label("app", "web")
    cluster = Cluster(nodes(1), [protected, low("other", "n0", "2", 5)], [budget("b", 0, app="web")])
    assert found(cluster, high("2")) == ("n0", "other")


@pytest.mark.parametrize(
    ("name", "other", "want"),
    [
        ("less important: told to look elsewhere", make_pod("waits").priority(5).nominated("n0"), ["waits"]),
        ("as important: left alone", make_pod("waits").priority(10).nominated("n0"), []),
        ("on another node", make_pod("waits").priority(5).nominated("n1"), []),
    ],
)
def test_nominations_of_others(name: str, other: PodBuilder, want: list[str]) -> None:
    cluster = Cluster([*nodes(1), make_node("n1").cordoned()], [low("a", "n0"), other.uid("uid-waits")])
    result = cluster.schedule(high())
    assert result.nominated == "n0"
    assert cluster.cleared == want
    assert result.post_filter is not None and result.post_filter.detail is not None
    assert result.post_filter.detail["clearedNominations"] == [f"default/{name}" for name in want]


def test_room_is_kept_for_pods_that_are_nominated_already() -> None:
    waits = make_pod("waits").uid("uid-waits").priority(20).cpu("4").nominated("n0")
    cluster = Cluster(nodes(1), [low("a", "n0"), waits])
    assert found(cluster) == ("", "")


CONDITION = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}


@pytest.mark.parametrize(
    ("name", "victim", "nominated", "want"),
    [
        ("its victim is leaving", low("a", "n0", "2").terminating().status(conditions=[CONDITION]), "n0", None),
        ("somebody leaves for another reason", low("a", "n0", "2").terminating(), "n0", "n0"),
        ("its victim has gone", low("a", "n0", "2"), "n0", "n0"),
        ("its node has gone", low("a", "n0", "2").terminating().status(conditions=[CONDITION]), "gone", "n0"),
        ("no nomination", low("a", "n0", "2").terminating().status(conditions=[CONDITION]), "", "n0"),
    ],
)
def test_a_pod_waits_for_its_victims(name: str, victim: PodBuilder, nominated: str, want: str | None) -> None:
    cluster = Cluster(nodes(1), [victim, low("b", "n0", "2")])
    result = cluster.schedule(high().nominated(nominated))
    assert result.nominated == want
    waiting = "preemption: not eligible due to a terminating pod on the nominated node."
    assert result.message.endswith(waiting) == (want is None)


def test_a_nominated_node_that_cannot_be_helped_is_given_up() -> None:
    leaving = low("a", "n0").terminating().status(conditions=[CONDITION])
    cluster = Cluster([make_node("n0").cordoned(), *nodes(2)[1:]], [leaving, low("b", "n1")])
    assert found(cluster, high().nominated("n0")) == ("n1", "b")


@pytest.mark.parametrize(
    ("name", "percentage", "absolute", "want"),
    [
        ("all of few nodes", 10, 100, "n0 n1 n2 n3 n4"),
        ("a share of them, from the chosen one on", 40, 1, "n3 n4"),
        ("at least so many", 0, 3, "n3 n4 n0"),
        ("a share is rounded down", 59, 1, "n3 n4"),
    ],
)
def test_number_of_candidates(name: str, percentage: int, absolute: int, want: str) -> None:
    cluster = Cluster(
        nodes(5),
        [low(f"p{i}", f"n{i}") for i in range(5)],
        percentage=percentage,
        absolute=absolute,
        pick=lambda count: 3 if count == 5 else 0,
    )
    result = cluster.schedule(high())
    assert result.post_filter is not None and result.post_filter.detail is not None
    assert list(result.post_filter.detail["candidates"]) == want.split()


def test_it_looks_on_until_a_candidate_violates_no_budget() -> None:
    pods = [low(f"p{i}", f"n{i}").label("app", "free" if i == 3 else "web") for i in range(5)]
    cluster = Cluster(nodes(5), pods, [budget("b", 0, app="web")], percentage=40, absolute=1)
    result = cluster.schedule(high())
    assert result.post_filter is not None and result.post_filter.detail is not None
    # Two were wanted: of those with a violation no third one is kept, and the search goes on until n3.
    assert list(result.post_filter.detail["candidates"]) == ["n3", "n0", "n1"]
    assert result.nominated == "n3"


def test_equal_candidates_are_chosen_from_by_the_generator() -> None:
    cluster = Cluster(nodes(3), [low(f"p{i}", f"n{i}") for i in range(3)], pick=lambda count: count - 1)
    assert found(cluster) == ("n2", "p2")
    assert cluster.asked == [3]


def test_spread_and_affinity_see_the_victims_go() -> None:
    zoned = [make_node("n0").zone("a"), make_node("n1").zone("b").cordoned()]
    hater = low("hater", "n0", "1").anti_affinity(ZONE, {"app": "high"})
    cluster = Cluster(zoned, [hater, low("bystander", "n0", "1")])
    pod = high("1").label("app", "high").spread(ZONE, {"app": "high"})
    assert found(cluster, pod) == ("n0", "hater")


def refuse(candidates: Mapping[str, Victims]) -> dict[str, Victims]:
    raise ExtenderError("failed preempt with extender at URL http://extender/preempt, code 500")


def only_n1(candidates: Mapping[str, Victims]) -> dict[str, Victims]:
    return {"n1": candidates["n1"]}


def nobody(candidates: Mapping[str, Victims]) -> dict[str, Victims]:
    return {name: Victims([], 0) for name in candidates}


REFUSAL = "preemption: failed preempt with extender at URL http://extender/preempt, code 500"


@pytest.mark.parametrize(
    ("name", "extender", "want"),
    [
        ("leaves one", {"answer": only_n1}, "n1"),
        ("not interested", {"answer": only_n1, "interested": False}, "n0"),
        ("has no preempt verb", {"answer": only_n1, "supports_preemption": False}, "n0"),
        ("fails", {"answer": refuse}, REFUSAL),
        ("fails, ignorable", {"answer": refuse, "ignorable": True}, "n0"),
        ("names no victims", {"answer": nobody}, 'preemption: expected at least one victim pod on node "n0"'),
        (
            "names no victims, ignorable",
            {"answer": nobody, "ignorable": True},
            "preemption: no candidate node for preemption",
        ),
        ("leaves none", {"answer": lambda _: {}}, "preemption: no candidate node for preemption"),
    ],
)
def test_extenders(name: str, extender: dict[str, Any], want: str) -> None:
    scripted = ScriptedExtender(**extender)
    cluster = Cluster(nodes(2), [low("a", "n0"), low("b", "n1")], extenders=[scripted])
    result = cluster.schedule(high())
    if want.startswith("n"):
        assert result.nominated == want
    else:
        assert result.nominated is None
        assert result.message.endswith(want)
        assert cluster.evicted == []


def test_extenders_are_asked_one_after_the_other() -> None:
    first, second = ScriptedExtender(only_n1), ScriptedExtender()
    Cluster(nodes(2), [low("a", "n0"), low("b", "n1")], extenders=[first, second]).schedule(high())
    assert first.sent == [{"n0": ["a"], "n1": ["b"]}]
    assert second.sent == [{"n1": ["b"]}]


def test_a_node_that_only_an_extender_rejects_is_an_error_unless_there_is_another_candidate() -> None:
    def cluster(*more: PodBuilder) -> Cluster:
        return Cluster(nodes(2), [low("a", "n0", "1"), *more], extenders=[ScriptedExtender(rejects=["n0", "n1"])])

    result = cluster(low("b", "n1", "1")).schedule(high("3"))
    assert result.post_filter is not None
    assert result.post_filter.status.code == Code.ERROR
    assert result.post_filter.status.message == (
        'preemption: [expected at least one victim pod on node "n0", expected at least one victim pod on node "n1"]'
    )
    assert found(cluster(low("b", "n1", "4")), high("3")) == ("n1", "b")


def test_a_pod_that_was_deleted_meanwhile() -> None:
    cluster = Cluster(nodes(1), [low("a", "n0")])
    pod = high().build()
    cluster.cache.update_snapshot()
    result = cluster.scheduler.run_scheduling_algorithm(cluster.scheduler.frameworks["default-scheduler"], pod, None)
    assert result.message.endswith('preemption: pod "high" not found')
    assert cluster.evicted == []
