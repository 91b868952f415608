from typing import Any

import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, PluginError, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.inter_pod_affinity.args import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.filtering import REASON_AFFINITY, REASON_ANTI_AFFINITY, REASON_EXISTING
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.stores import StoreHandle, namespace

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
WEB, DB, BAD = {"app": "web"}, {"app": "db"}, {"app": "bad"}
ALONE = Status.unresolvable(REASON_AFFINITY)
HATED, HATER = Status.unschedulable(REASON_ANTI_AFFINITY), Status.unschedulable(REASON_EXISTING)
NAMESPACES = [namespace("default", team="a"), namespace("blue", team="a"), namespace("red", team="b")]


def on(node: str, name: str = "r", in_namespace: str = "default", **labels: str) -> PodBuilder:
    """A running pod, labelled app=db unless told otherwise."""
    return make_pod(name, in_namespace).uid(f"uid-{name}").node(node).labels(**(labels or DB))


def web(name: str = "p") -> PodBuilder:
    return make_pod(name).uid(f"uid-{name}").labels(**WEB)


def two_zones(*pods: PodBuilder) -> Nodes:
    """n0 and n1 in zone a, n2 in zone b, n3 in none."""
    nodes = [make_node("n0").zone("a"), make_node("n1").zone("a"), make_node("n2").zone("b"), make_node("n3")]
    return cluster(nodes, pods)


def build(nodes: Nodes, hard_weight: int = 1, ignore_preferred: bool = False) -> InterPodAffinity:
    handle: Any = StoreHandle(nodes, NAMESPACES)
    return InterPodAffinity.create(InterPodAffinityArgs(hard_weight, ignore_preferred), handle)


def match_expressions(key: str, operator: str, *values: str) -> dict[str, Any]:
    expression = {"key": key, "operator": operator, **({"values": list(values)} if values else {})}
    return {"matchExpressions": [expression]}


@pytest.mark.parametrize(
    ("name", "pods", "pod", "want"),
    [
        ("near", [on("n0")], web().affinity(ZONE, DB), [OK, OK, ALONE, ALONE]),
        ("near, by node", [on("n0")], web().affinity(HOST, DB), [OK, ALONE, ALONE, ALONE]),
        ("nobody to be near to", [], web().affinity(ZONE, DB), [ALONE] * 4),
        ("first of its group", [], web().affinity(ZONE, WEB), [OK, OK, OK, ALONE]),
        ("second of its group", [on("n2", **WEB)], web().affinity(ZONE, WEB), [ALONE, ALONE, OK, ALONE]),
        ("member on a node without the key", [on("n3", **WEB)], web().affinity(ZONE, WEB), [OK, OK, OK, ALONE]),
        ("other namespace", [on("n0", in_namespace="blue")], web().affinity(ZONE, DB), [ALONE] * 4),
        ("leaving pods count", [on("n0").terminating()], web().affinity(ZONE, DB), [OK, OK, ALONE, ALONE]),
        ("no selector matches nobody", [on("n0")], web().affinity(ZONE, None), [ALONE] * 4),
        ("an empty one matches all", [on("n0")], web().affinity(ZONE, {}), [OK, OK, ALONE, ALONE]),
        (
            "one pod must match all terms",
            [on("n0"), on("n0", "s", app="cache")],
            web().affinity(ZONE, DB).affinity(HOST, {"app": "cache"}),
            [ALONE] * 4,
        ),
        (
            "and does",
            [on("n0", app="db", tier="back")],
            web().affinity(ZONE, DB).affinity(HOST, {"tier": "back"}),
            [OK, ALONE, ALONE, ALONE],
        ),
        ("apart", [on("n0")], web().anti_affinity(ZONE, DB), [HATED, HATED, OK, OK]),
        ("apart, from nobody", [], web().anti_affinity(ZONE, DB), [OK] * 4),
        ("apart, on a node without the key", [on("n3")], web().anti_affinity(ZONE, DB), [OK] * 4),
        (
            "any term keeps it away",
            [on("n0"), on("n2", "s", app="x")],
            web().anti_affinity(ZONE, DB).anti_affinity(HOST, {"app": "x"}),
            [HATED, HATED, HATED, OK],
        ),
        ("kept away", [on("n0").anti_affinity(ZONE, WEB)], web().affinity(ZONE, DB), [HATER, HATER, ALONE, ALONE]),
        (
            "own anti-affinity is named first",
            [on("n0").anti_affinity(ZONE, WEB)],
            web().anti_affinity(HOST, DB),
            [HATED, HATER, OK, OK],
        ),
    ],
)
def test_filter(name: str, pods: list[PodBuilder], pod: PodBuilder, want: list[Status]) -> None:
    nodes = two_zones(*pods)
    assert filtered(build(nodes), pod.build(), nodes) == want


@pytest.mark.parametrize(
    ("name", "term", "seen"),
    [
        ("named", {"namespaces": ["blue"]}, "blue"),
        ("selected", {"namespaceSelector": {"matchLabels": {"team": "a"}}}, "default blue"),
        (
            "named and selected",
            {"namespaces": ["red"], "namespaceSelector": {"matchLabels": {"team": "a"}}},
            "default blue red",
        ),
        ("all", {"namespaceSelector": {}}, "default blue red unknown"),
        (
            "NotIn is taken for all",
            {"namespaceSelector": match_expressions("team", "NotIn", "a")},
            "default blue red unknown",
        ),
        (
            "so is DoesNotExist",
            {"namespaceSelector": match_expressions("team", "DoesNotExist")},
            "default blue red unknown",
        ),
        ("Exists is not", {"namespaceSelector": match_expressions("team", "Exists")}, "default blue red"),
    ],
)
def test_namespaces_of_the_pods_own_terms(name: str, term: dict[str, Any], seen: str) -> None:
    for where in ("default", "blue", "red", "unknown"):
        nodes = two_zones(on("n0", in_namespace=where))
        pod = web().anti_affinity(ZONE, DB, **term).build()
        want = [HATED, HATED, OK, OK] if where in seen.split() else [OK] * 4
        assert filtered(build(nodes), pod, nodes) == want, where


@pytest.mark.parametrize(
    ("name", "term", "hit"),
    [
        ("own namespace only", {}, "blue"),
        ("named", {"namespaces": ["default"]}, "default"),
        ("selected", {"namespaceSelector": {"matchLabels": {"team": "a"}}}, "default blue"),
        ("NotIn means what it says", {"namespaceSelector": match_expressions("team", "NotIn", "a")}, "red unknown"),
    ],
)
def test_namespaces_of_running_pods_terms(name: str, term: dict[str, Any], hit: str) -> None:
    nodes = two_zones(on("n0", in_namespace="blue").anti_affinity(ZONE, WEB, **term))
    for where in ("default", "blue", "red", "unknown"):
        state, pod = CycleState(), make_pod("p", where).labels(**WEB).build()
        skipped = build(nodes).pre_filter(state, pod, nodes).status == SKIP
        assert skipped == (where not in hit.split()), where


def test_a_pod_that_no_required_term_concerns_skips() -> None:
    nodes = two_zones(on("n0").anti_affinity(ZONE, {"app": "other"}), on("n3", "s").anti_affinity(ZONE, WEB))
    # The second pod hates web, but its node is in no zone.
    pod = web().preferred_affinity(1, ZONE, DB).build()
    assert build(nodes).pre_filter(CycleState(), pod, nodes).status == SKIP


@pytest.mark.parametrize(
    ("name", "change", "other", "where", "want"),
    [
        ("company arrives", 1, on("n2", "s"), "n2", [HATER, OK, OK]),
        ("company leaves", -1, on("n1", "c"), "n1", [ALONE, ALONE, ALONE]),
        ("a hater arrives", 1, on("n1", "s", app="x").anti_affinity(HOST, WEB), "n1", [HATER, HATER, ALONE]),
        ("a hater leaves", -1, on("n0", "h", app="h").anti_affinity(HOST, WEB), "n0", [OK, OK, ALONE]),
        ("a hated pod arrives", 1, on("n1", "s", app="bad"), "n1", [HATER, HATED, ALONE]),
        ("somebody else arrives", 1, on("n2", "s", app="x"), "n2", [HATER, OK, ALONE]),
    ],
)
def test_add_and_remove_pod(name: str, change: int, other: PodBuilder, where: str, want: list[Status]) -> None:
    nodes = two_zones(on("n1", "c"), on("n0", "h", app="h").anti_affinity(HOST, WEB))
    plugin, state = build(nodes), CycleState()
    pod = web().affinity(ZONE, DB).anti_affinity(HOST, BAD).build()
    plugin.pre_filter(state, pod, nodes)
    changed, view = state.clone(), nodes.find(where)
    assert view is not None
    step = plugin.add_pod if change > 0 else plugin.remove_pod
    assert step(changed, pod, other.build(), view.what_if()).is_success
    verdicts = plugin.filter(changed, pod, nodes)
    assert [verdicts.status(i) for i in range(3)] == want
    untouched = plugin.filter(state, pod, nodes)
    assert [untouched.status(i) for i in range(3)] == [HATER, OK, ALONE]


def test_filter_without_pre_filter_fails_as_upstream() -> None:
    nodes = two_zones()
    with pytest.raises(PluginError, match=r'^error reading "PreFilterInterPodAffinity" from cycleState: not found$'):
        build(nodes).filter(CycleState(), web().build(), nodes)


def affinity_scores(nodes: Nodes, pod: PodBuilder, **args: Any) -> tuple[list[int], list[int]] | None:
    """(raw, normalised), or None if PreScore skips."""
    plugin, state, built = build(nodes, **args), CycleState(), pod.build()
    if plugin.pre_score(state, built, nodes).is_skip:
        return None
    raw = plugin.score(state, built, nodes)
    return raw.tolist(), plugin.normalize(state, built, nodes, raw).tolist()


@pytest.mark.parametrize(
    ("name", "pods", "pod", "args", "want"),
    [
        ("likes one", [on("n0")], web().preferred_affinity(5, ZONE, DB), {}, ([5, 5, 0, 0], [100, 100, 0, 0])),
        (
            "likes three",
            [on("n0"), on("n1", "s"), on("n2", "t")],
            web().preferred_affinity(5, ZONE, DB),
            {},
            ([10, 10, 5, 0], [100, 100, 50, 0]),
        ),
        ("dislikes", [on("n0")], web().preferred_anti_affinity(5, ZONE, DB), {}, ([-5, -5, 0, 0], [0, 0, 100, 100])),
        (
            "both",
            [on("n0"), on("n2", "s", app="x")],
            web().preferred_affinity(7, HOST, DB).preferred_anti_affinity(3, ZONE, {"app": "x"}),
            {},
            ([7, 0, -3, 0], [100, 30, 0, 30]),
        ),
        (
            "truncated",
            [on("n0"), on("n0", "s"), on("n0", "t"), on("n2", "u")],
            web().preferred_affinity(1, ZONE, DB),
            {},
            ([3, 3, 1, 0], [100, 100, 33, 0]),
        ),
        ("is liked", [on("n0").preferred_affinity(4, ZONE, WEB)], web(), {}, ([4, 4, 0, 0], [100, 100, 0, 0])),
        (
            "is disliked",
            [on("n0").preferred_anti_affinity(4, HOST, WEB)],
            web(),
            {},
            ([-4, 0, 0, 0], [0, 100, 100, 100]),
        ),
        ("is needed", [on("n0").affinity(HOST, WEB)], web(), {"hard_weight": 9}, ([9, 0, 0, 0], [100, 0, 0, 0])),
        ("is needed, weightless", [on("n0").affinity(HOST, WEB)], web(), {"hard_weight": 0}, None),
        ("is hated: no matter for scores", [on("n0").anti_affinity(HOST, WEB)], web(), {}, None),
        ("nobody is concerned", [on("n0")], web().preferred_affinity(5, ZONE, {"app": "x"}), {}, None),
        ("on a node without the key", [on("n3")], web().preferred_affinity(5, ZONE, DB), {}, None),
        (
            "all cancels out, and still counts",
            [on("n0")],
            web().preferred_affinity(5, ZONE, DB).preferred_anti_affinity(5, ZONE, DB),
            {},
            ([0] * 4, [0] * 4),
        ),
        (
            "their wishes are ignored",
            [on("n0").preferred_affinity(4, ZONE, WEB)],
            web(),
            {"ignore_preferred": True},
            None,
        ),
        (
            "except by pods with wishes",
            [on("n0").preferred_affinity(4, ZONE, WEB)],
            web().preferred_affinity(1, ZONE, {"app": "x"}),
            {"ignore_preferred": True},
            ([4, 4, 0, 0], [100, 100, 0, 0]),
        ),
        (
            "two pods alike",
            [on("n0").preferred_affinity(4, ZONE, WEB), on("n0", "s").preferred_affinity(4, ZONE, WEB)],
            web(),
            {},
            ([8, 8, 0, 0], [100, 100, 0, 0]),
        ),
    ],
)
def test_score(name: str, pods: list[PodBuilder], pod: PodBuilder, args: dict[str, Any], want: Any) -> None:
    assert affinity_scores(two_zones(*pods), pod, **args) == want


def test_score_without_pre_score_fails_as_upstream() -> None:
    nodes = two_zones()
    with pytest.raises(PluginError, match=r'^failed to read "PreScoreInterPodAffinity" from cycleState: not found$'):
        build(nodes).score(CycleState(), web().build(), nodes)


REJECTED = web("rejected").affinity(ZONE, DB).anti_affinity(HOST, BAD).build()
FRIEND, ENEMY, OTHER = on("n0", "f").build(), on("n0", "f", **BAD).build(), on("n0", "f", app="x").build()


@pytest.mark.parametrize(
    ("name", "action", "old", "new", "want"),
    [
        ("friend added", ActionType.ADD, None, FRIEND, QueueingHint.QUEUE),
        ("other added", ActionType.ADD, None, OTHER, QueueingHint.SKIP),
        ("friend not placed yet", ActionType.ADD, None, make_pod("f").labels(**DB).build(), QueueingHint.SKIP),
        ("friend in another namespace", ActionType.ADD, None, on("n0", "f", "blue").build(), QueueingHint.SKIP),
        ("became a friend", ActionType.UPDATE_POD_LABEL, OTHER, FRIEND, QueueingHint.QUEUE),
        ("was a friend", ActionType.UPDATE_POD_LABEL, FRIEND, OTHER, QueueingHint.SKIP),
        ("still a friend", ActionType.UPDATE_POD_LABEL, FRIEND, FRIEND, QueueingHint.SKIP),
        ("no longer bad", ActionType.UPDATE_POD_LABEL, ENEMY, OTHER, QueueingHint.QUEUE),
        ("bad deleted", ActionType.DELETE, ENEMY, None, QueueingHint.QUEUE),
        ("friend deleted", ActionType.DELETE, FRIEND, None, QueueingHint.SKIP),
    ],
)
def test_pod_hints(name: str, action: ActionType, old: Pod | None, new: Pod | None, want: QueueingHint) -> None:
    assert hint(build(two_zones()), EventResource.POD, action, REJECTED, old, new) == want


NEAR_DB, APART_FROM_BAD = web().affinity(ZONE, DB).build(), web().anti_affinity(ZONE, BAD).build()
BARE, ZONE_A, ZONE_B = make_node("n").build(), make_node("n").zone("a").build(), make_node("n").zone("b").build()


@pytest.mark.parametrize(
    ("name", "pod", "old", "new", "want"),
    [
        ("affinity: new node in a zone", NEAR_DB, None, ZONE_A, QueueingHint.QUEUE),
        ("affinity: new node in none", NEAR_DB, None, BARE, QueueingHint.SKIP),
        ("affinity: zone added", NEAR_DB, BARE, ZONE_A, QueueingHint.QUEUE),
        ("affinity: zone changed", NEAR_DB, ZONE_A, ZONE_B, QueueingHint.QUEUE),
        ("affinity: zone gone", NEAR_DB, ZONE_A, BARE, QueueingHint.SKIP),
        ("affinity: zone as before", NEAR_DB, ZONE_A, ZONE_A, QueueingHint.SKIP),
        ("anti-affinity: any new node", APART_FROM_BAD, None, BARE, QueueingHint.QUEUE),
        ("anti-affinity: zone gone", APART_FROM_BAD, ZONE_A, BARE, QueueingHint.QUEUE),
        ("anti-affinity: zone changed", APART_FROM_BAD, ZONE_A, ZONE_B, QueueingHint.QUEUE),
        ("anti-affinity: zone added", APART_FROM_BAD, BARE, ZONE_A, QueueingHint.SKIP),
        ("kept away by others: no node helps", web().build(), None, ZONE_A, QueueingHint.SKIP),
    ],
)
def test_node_hints(name: str, pod: Pod, old: Node | None, new: Node, want: QueueingHint) -> None:
    action = ActionType.ADD if old is None else ActionType.UPDATE_NODE_LABEL
    assert hint(build(two_zones()), EventResource.NODE, action, pod, old, new) == want
