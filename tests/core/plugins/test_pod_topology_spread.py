import math
from typing import Any

import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.core import TopologySpreadConstraint
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SKIP, PluginError, Status
from scheduler_core.framework.status import SUCCESS as OK
from scheduler_core.plugins.pod_topology_spread.args import LIST_DEFAULTING, PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.constraints import HOSTNAME, ZONE
from scheduler_core.plugins.pod_topology_spread.filtering import REASON, REASON_LABEL
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint
from tests.core.plugins.stores import StoreHandle, replica_set, replication_controller, service

SKEWED, LACKING = Status.unschedulable(REASON), Status.unresolvable(REASON_LABEL)
WEB = {"app": "web"}
SOFT = "ScheduleAnyway"


def zones(*names: str) -> list[NodeBuilder]:
    """Nodes n0, n1, … in these zones; "" is a node without a zone."""
    return [make_node(f"n{i}").zone(zone) if zone else make_node(f"n{i}") for i, zone in enumerate(names)]


def running(*nodes: str, namespace: str = "default", **labels: str) -> list[PodBuilder]:
    """Pods r0, r1, … on these nodes, labelled app=web unless told otherwise."""
    labels = labels or WEB
    return [make_pod(f"r{i}", namespace).uid(f"r{i}").node(on).labels(**labels) for i, on in enumerate(nodes)]


def web(name: str = "p") -> PodBuilder:
    return make_pod(name).uid(f"uid-{name}").labels(**WEB)


def build(nodes: Nodes, *manifests: dict[str, Any], args: PodTopologySpreadArgs | None = None) -> PodTopologySpread:
    handle: Any = StoreHandle(nodes, manifests)
    return PodTopologySpread.create(args or PodTopologySpreadArgs(), handle)


def defaults(*constraints: TopologySpreadConstraint) -> PodTopologySpreadArgs:
    return PodTopologySpreadArgs(default_constraints=constraints, defaulting_type=LIST_DEFAULTING)


@pytest.mark.parametrize(
    ("name", "zone_names", "pods", "pod", "want"),
    [
        ("even", ["a", "b"], running("n0", "n1"), web().spread(ZONE, WEB), [OK, OK]),
        ("too far ahead", ["a", "b"], running("n0"), web().spread(ZONE, WEB), [SKEWED, OK]),
        ("wide skew", ["a", "b"], running("n0"), web().spread(ZONE, WEB, 2), [OK, OK]),
        ("a zone of two nodes", ["a", "a", "b"], running("n1"), web().spread(ZONE, WEB), [SKEWED, SKEWED, OK]),
        ("no label", ["a", ""], [], web().spread(ZONE, WEB), [OK, LACKING]),
        ("only others count", ["a", "b"], running("n0"), make_pod("p").spread(ZONE, WEB), [OK, OK]),
        ("other namespace", ["a", "b"], running("n0", namespace="x"), web().spread(ZONE, WEB), [OK, OK]),
        ("other labels", ["a", "b"], running("n0", app="db"), web().spread(ZONE, WEB), [OK, OK]),
        ("leaving", ["a", "b"], [running("n0")[0].terminating()], web().spread(ZONE, WEB), [OK, OK]),
        ("minDomains met", ["a", "b"], running("n0", "n1"), web().spread(ZONE, WEB, minDomains=2), [OK] * 2),
        ("minDomains missed", ["a", "b"], running("n0", "n1"), web().spread(ZONE, WEB, minDomains=3), [SKEWED] * 2),
        ("no selector", ["a", "b"], running("n0"), web().spread(ZONE, None), [OK, OK]),
        ("empty selector", ["a", "b"], running("n0", "n0"), web().spread(ZONE, {}), [OK, OK]),
        (
            "a node that lacks any key does not count",
            ["a", "b", ""],
            running("n0", "n1", "n2", "n2"),
            web().spread(ZONE, WEB).spread(HOSTNAME, WEB),
            [OK, OK, LACKING],
        ),
        (
            "the first constraint that fails decides",
            ["a", "b", ""],
            running("n0"),
            web().spread(HOSTNAME, WEB).spread(ZONE, WEB),
            [SKEWED, OK, LACKING],
        ),
        (
            "nodes the pod cannot use are left out",
            ["a", "b", "c"],
            running("n0", "n1"),
            web().spread(ZONE, WEB).node_affinity(ZONE, "In", "a", "b"),
            [OK, OK, OK],
        ),
        (
            "unless told to count them",
            ["a", "b", "c"],
            running("n0", "n1"),
            web().spread(ZONE, WEB, nodeAffinityPolicy="Ignore").node_affinity(ZONE, "In", "a", "b"),
            [SKEWED, SKEWED, OK],
        ),
    ],
)
def test_filter(name: str, zone_names: list[str], pods: list[PodBuilder], pod: PodBuilder, want: list[Status]) -> None:
    nodes = cluster(zones(*zone_names), pods)
    assert filtered(build(nodes), pod.build(), nodes) == want


@pytest.mark.parametrize(
    ("name", "policy", "toleration", "want"),
    [
        ("taints are ignored by default", None, None, [SKEWED, OK]),
        ("a tainted zone is left out", "Honor", None, [OK, OK]),
        ("unless it is tolerated", "Honor", "dedicated", [SKEWED, OK]),
    ],
)
def test_taints_policy(name: str, policy: str | None, toleration: str | None, want: list[Status]) -> None:
    nodes = cluster([make_node("n0").zone("a"), make_node("n1").zone("b").taint("dedicated")], running("n0"))
    policies: dict[str, Any] = {"nodeTaintsPolicy": policy} if policy else {}
    pod = web().spread(ZONE, WEB, **policies)
    if toleration:
        pod.toleration(toleration, operator="Exists")
    assert filtered(build(nodes), pod.build(), nodes) == want


@pytest.mark.parametrize(
    ("name", "revision", "want"),
    [
        ("the same revision counts", "1", [SKEWED, OK]),
        ("another one does not", "2", [OK, OK]),
        ("a key that the pod lacks is ignored", None, [SKEWED, OK]),
    ],
)
def test_match_label_keys(name: str, revision: str | None, want: list[Status]) -> None:
    nodes = cluster(zones("a", "b"), running("n0", app="web", revision="1"))
    pod = web().spread(ZONE, WEB, matchLabelKeys=["revision"])
    if revision:
        pod.label("revision", revision)
    assert filtered(build(nodes), pod.build(), nodes) == want


def test_no_hard_constraint_skips() -> None:
    nodes = cluster(zones("a"))
    pod = web().spread(ZONE, WEB, when_unsatisfiable=SOFT).build()
    assert build(nodes).pre_filter(CycleState(), pod, nodes).status == SKIP


def test_filter_without_pre_filter_fails_as_upstream() -> None:
    nodes = cluster(zones("a"))
    with pytest.raises(PluginError, match=r'^reading "PreFilterPodTopologySpread" from cycleState: not found$'):
        build(nodes).filter(CycleState(), web().spread(ZONE, WEB).build(), nodes)


@pytest.mark.parametrize(
    ("name", "change", "other", "on", "want"),
    [
        ("added", 1, running("n1")[0], "n1", [OK, OK]),
        ("added, other namespace", 1, running("n1", namespace="x")[0], "n1", [SKEWED, OK]),
        ("added, other labels", 1, running("n1", app="db")[0], "n1", [SKEWED, OK]),
        ("removed", -1, running("n0")[0], "n0", [OK, OK]),
        ("removed, though leaving pods were not counted", -1, running("n0")[0].terminating(), "n0", [OK, OK]),
    ],
)
def test_add_and_remove_pod(name: str, change: int, other: PodBuilder, on: str, want: list[Status]) -> None:
    nodes = cluster(zones("a", "b"), running("n0"))
    plugin, state, pod = build(nodes), CycleState(), web().spread(ZONE, WEB).build()
    plugin.pre_filter(state, pod, nodes)
    changed, view = state.clone(), nodes.find(on)
    assert view is not None
    step = plugin.add_pod if change > 0 else plugin.remove_pod
    assert step(changed, pod, other.build(), view.what_if()).is_success
    verdicts = plugin.filter(changed, pod, nodes)
    assert [verdicts.status(i) for i in range(2)] == want
    untouched = plugin.filter(state, pod, nodes)
    assert [untouched.status(i) for i in range(2)] == [SKEWED, OK]


def test_an_empty_selector_counts_only_pods_that_are_added() -> None:
    nodes = cluster(zones("a", "b"), running("n0", "n0"))
    plugin, state, pod = build(nodes), CycleState(), web().spread(ZONE, {}).build()
    plugin.pre_filter(state, pod, nodes)
    assert plugin.add_pod(state, pod, web("other").build(), nodes[0]).is_success
    verdicts = plugin.filter(state, pod, nodes)
    assert [verdicts.status(i) for i in range(2)] == [SKEWED, OK]


def spread_scores(
    nodes: Nodes, pod: PodBuilder, *manifests: dict[str, Any], args: PodTopologySpreadArgs | None = None
) -> tuple[list[int], list[int]] | None:
    """(raw, normalised), or None if PreScore skips."""
    plugin, state, built = build(nodes, *manifests, args=args), CycleState(), pod.build()
    status = plugin.pre_score(state, built, nodes)
    if status.is_skip:
        return None
    raw = plugin.score(state, built, nodes)
    return raw.tolist(), plugin.normalize(state, built, nodes, raw).tolist()


@pytest.mark.parametrize(
    ("name", "zone_names", "pods", "pod", "want"),
    [
        # The weight of two zones is ln 4 = 1.386…, of three nodes ln 5 = 1.609….
        (
            "by zone",
            ["a", "a", "b"],
            running("n0", "n1", "n2"),
            web().spread(ZONE, WEB, 1, SOFT),
            ([3, 3, 1], [33, 33, 100]),
        ),
        ("maxSkew waters down", ["a", "b"], running("n0", "n0"), web().spread(ZONE, WEB, 5, SOFT), ([7, 4], [57, 100])),
        (
            "by node",
            ["a", "a", "a"],
            running("n0", "n0", "n1"),
            web().spread(HOSTNAME, WEB, 1, SOFT),
            ([3, 2, 0], [0, 33, 100]),
        ),
        ("nobody there", ["a", "b"], [], web().spread(ZONE, WEB, 1, SOFT), ([0, 0], [100, 100])),
        ("no zone, no score", ["a", ""], running("n0"), web().spread(ZONE, WEB, 1, SOFT), ([1, 0], [100, 0])),
        ("no zone anywhere", ["", ""], [], web().spread(ZONE, WEB, 1, SOFT), ([0, 0], [0, 0])),
        ("only hard ones", ["a", "b"], [], web().spread(ZONE, WEB), None),
    ],
)
def test_score(name: str, zone_names: list[str], pods: list[PodBuilder], pod: PodBuilder, want: Any) -> None:
    assert spread_scores(cluster(zones(*zone_names), pods), pod) == want


def test_scores_add_up_and_are_rounded_once() -> None:
    pod = web().spread(ZONE, WEB, 1, SOFT).spread(HOSTNAME, WEB, 1, SOFT)
    result = spread_scores(cluster(zones("a", "b"), running("n0", "n1", "n1")), pod)
    assert result is not None
    # Rounded one by one, the second node would score 3 + 3 as well, but the first 1 + 1 = 2.
    assert result[0] == [round(2 * math.log(4)), round(4 * math.log(4))] == [3, 6]


@pytest.mark.parametrize(
    ("name", "manifests", "owner", "args", "want"),
    [
        ("nothing selects the pod", [], None, None, None),
        ("a service of another app", [service("db", app="db")], None, None, None),
        ("a service without selector", [service("any")], None, None, None),
        ("a service", [service("web", app="web")], None, None, [12, 6]),
        ("a replica set", [replica_set("rs", app="web")], ("ReplicaSet", "apps/v1"), None, [12, 6]),
        ("a stateful set", [replica_set("rs", "StatefulSet", app="web")], ("StatefulSet", "apps/v1"), None, [12, 6]),
        ("a controller", [replication_controller("rs", app="web")], ("ReplicationController", "v1"), None, [12, 6]),
        ("an owner that is gone", [], ("ReplicaSet", "apps/v1"), None, None),
        ("an owner of another group", [replica_set("rs", app="web")], ("ReplicaSet", "example.com/v1"), None, None),
        (
            "service and owner",
            [service("web", app="web"), replica_set("rs", tier="front")],
            ("ReplicaSet", "apps/v1"),
            None,
            [6, 6],
        ),
        ("no defaults", [service("web", app="web")], None, defaults(), None),
        ("own defaults", [service("web", app="web")], None, defaults(TopologySpreadConstraint(1, ZONE, SOFT)), [3, 0]),
        (
            "own hard defaults only",
            [service("web", app="web")],
            None,
            defaults(TopologySpreadConstraint(1, ZONE, "DoNotSchedule")),
            None,
        ),
    ],
)
def test_default_constraints(
    name: str,
    manifests: list[dict[str, Any]],
    owner: tuple[str, str] | None,
    args: PodTopologySpreadArgs | None,
    want: list[int] | None,
) -> None:
    pod = web()
    if owner:
        pod.owner(owner[0], "rs", "owner-uid", api_version=owner[1])
    # Two pods on the first node: 2 ln 4 + 2 by hostname, 2 ln 4 + 4 by zone, together 11.5; 2 + 4 on the other.
    result = spread_scores(cluster(zones("a", "b"), running("n0", "n0")), pod, *manifests, args=args)
    assert (None if result is None else result[0]) == want


def test_system_defaults_do_not_need_every_key() -> None:
    nodes = cluster(zones("a", ""), running("n0"))
    # ln 4 + 2 by hostname; by zone the node without one is a domain of its own in the count of domains, but scores 0.
    assert spread_scores(nodes, web(), service("web", app="web")) == ([round(2 * math.log(4) + 6), 2], [22, 100])


def test_system_defaults_take_no_zone_for_an_empty_one() -> None:
    nodes = cluster([make_node("n0").zone("a"), make_node("n1").label(ZONE, ""), make_node("n2")], running("n2"))
    result = spread_scores(nodes, web(), service("web", app="web"))
    # Two zones, three nodes: 2 + 4, then 2 + ln 4 + 4 for the pod of the node without a zone, then ln 5 + 2.
    assert result is not None
    assert result[0] == [6, 7, 4]


def test_list_defaults_reject_nodes() -> None:
    nodes = cluster(zones("a", "b"), running("n0"))
    args = defaults(TopologySpreadConstraint(1, ZONE, "DoNotSchedule"))
    assert filtered(build(nodes, service("web", app="web"), args=args), web().build(), nodes) == [SKEWED, OK]
    assert build(nodes, args=args).pre_filter(CycleState(), web().build(), nodes).status == SKIP


def test_score_without_pre_score_fails_as_upstream() -> None:
    nodes = cluster(zones("a", "b"))
    with pytest.raises(PluginError, match=r'^error reading "PreScorePodTopologySpread" from cycleState: not found$'):
        build(nodes).score(CycleState(), web().build(), nodes)


REJECTED = web("rejected").spread(ZONE, WEB, nodeTaintsPolicy="Honor")
ON_NODE = web("other").node("n1").build()


@pytest.mark.parametrize(
    ("name", "action", "old", "new", "want"),
    [
        ("matching pod added", ActionType.ADD, None, ON_NODE, QueueingHint.QUEUE),
        ("matching pod deleted", ActionType.DELETE, ON_NODE, None, QueueingHint.QUEUE),
        ("pod still pending", ActionType.ADD, None, web("other").build(), QueueingHint.SKIP),
        (
            "other namespace",
            ActionType.ADD,
            None,
            make_pod("o", "x").labels(**WEB).node("n1").build(),
            QueueingHint.SKIP,
        ),
        ("other labels", ActionType.ADD, None, make_pod("o").label("app", "db").node("n1").build(), QueueingHint.SKIP),
        (
            "began to match",
            ActionType.UPDATE_POD_LABEL,
            make_pod("other").node("n1").build(),
            ON_NODE,
            QueueingHint.QUEUE,
        ),
        (
            "label that nobody asks for",
            ActionType.UPDATE_POD_LABEL,
            ON_NODE,
            web("other").label("x", "y").node("n1").build(),
            QueueingHint.SKIP,
        ),
        (
            "tolerates more",
            ActionType.UPDATE_POD_TOLERATION,
            REJECTED.build(),
            web("rejected").toleration("a").build(),
            QueueingHint.QUEUE,
        ),
        (
            "another pod tolerates more",
            ActionType.UPDATE_POD_TOLERATION,
            ON_NODE,
            web("other").node("n1").toleration("a").build(),
            QueueingHint.SKIP,
        ),
    ],
)
def test_pod_hints(name: str, action: ActionType, old: Pod | None, new: Pod | None, want: QueueingHint) -> None:
    assert hint(build(cluster(zones("a"))), EventResource.POD, action, REJECTED.build(), old, new) == want


@pytest.mark.parametrize(
    ("name", "action", "old", "new", "want"),
    [
        ("node with the key added", ActionType.ADD, None, make_node("n").zone("a").build(), QueueingHint.QUEUE),
        ("node without it added", ActionType.ADD, None, make_node("n").build(), QueueingHint.SKIP),
        ("node with the key deleted", ActionType.DELETE, make_node("n").zone("a").build(), None, QueueingHint.QUEUE),
        ("node without it deleted", ActionType.DELETE, make_node("n").build(), None, QueueingHint.SKIP),
        (
            "key added",
            ActionType.UPDATE_NODE_LABEL,
            make_node("n").build(),
            make_node("n").zone("a").build(),
            QueueingHint.QUEUE,
        ),
        (
            "key gone",
            ActionType.UPDATE_NODE_LABEL,
            make_node("n").zone("a").build(),
            make_node("n").build(),
            QueueingHint.QUEUE,
        ),
        (
            "other zone",
            ActionType.UPDATE_NODE_LABEL,
            make_node("n").zone("a").build(),
            make_node("n").zone("b").build(),
            QueueingHint.QUEUE,
        ),
        (
            "other label",
            ActionType.UPDATE_NODE_LABEL,
            make_node("n").zone("a").build(),
            make_node("n").zone("a").label("x", "y").build(),
            QueueingHint.SKIP,
        ),
        (
            "other taints",
            ActionType.UPDATE_NODE_TAINT,
            make_node("n").zone("a").taint("x").build(),
            make_node("n").zone("a").build(),
            QueueingHint.QUEUE,
        ),
        (
            "other taints without the key",
            ActionType.UPDATE_NODE_TAINT,
            make_node("n").taint("x").build(),
            make_node("n").build(),
            QueueingHint.SKIP,
        ),
    ],
)
def test_node_hints(name: str, action: ActionType, old: Node | None, new: Node | None, want: QueueingHint) -> None:
    assert hint(build(cluster(zones("a"))), EventResource.NODE, action, REJECTED.build(), old, new) == want
