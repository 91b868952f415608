"""Trying all nodes in step finds the victims that trying one node after the other finds, and changes nothing."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.extender import Victims
from scheduler_core.framework.filtering import run_pre_filter
from scheduler_core.framework.status import Status
from scheduler_core.preemption.victims import NO_VICTIMS, DryRunRules, select_victims
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.cache.table_dump import picture
from tests.core.preemption.preemption_cluster import Cluster, budget

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APPS = st.sampled_from(["web", "db"])
KEYS = st.sampled_from([ZONE, HOST])
Answer = tuple[list[str], int] | Status


@st.composite
def pods(draw: st.DrawFn, name: str) -> PodBuilder:
    """Not placed yet."""
    pod = make_pod(name).uid(name).label("app", draw(APPS)).cpu(draw(st.sampled_from(["1", "2"])))
    if draw(st.booleans()):
        pod.anti_affinity(draw(KEYS), {"app": draw(APPS)})
    if draw(st.integers(0, 3)) == 0:
        pod.host_port(8080)
    return pod


@st.composite
def preemptors(draw: st.DrawFn) -> PodBuilder:
    pod = draw(pods("preemptor")).priority(5)
    if draw(st.booleans()):
        pod.spread(draw(KEYS), {"app": draw(APPS)}, draw(st.integers(1, 2)))
    if draw(st.booleans()):
        pod.affinity(draw(KEYS), {"app": draw(APPS)})
    return pod


@st.composite
def running(draw: st.DrawFn, name: str) -> PodBuilder:
    pod = draw(pods(name)).priority(draw(st.integers(0, 6))).node(f"n{draw(st.integers(0, 3))}")
    return pod.started(f"2025-01-01T00:00:{draw(st.integers(0, 59)):02}Z")


def answers(cluster: Cluster, state: CycleState, preemptor: PodBuilder, nodes: Nodes) -> list[Answer]:
    framework = cluster.scheduler.frameworks["default-scheduler"]
    budgets: Sequence[PodDisruptionBudget] = cluster.store.list("PodDisruptionBudget")
    found = select_victims(framework.handle.filters, state, preemptor.build(), nodes, budgets, DryRunRules())
    return [
        ([pod.name for pod in answer.pods], answer.pdb_violations) if isinstance(answer, Victims) else answer
        for answer in found
    ]


@settings(max_examples=75, deadline=None)
@given(data=st.data(), zones=st.lists(st.sampled_from("ab"), min_size=4, max_size=4), preemptor=preemptors())
def test_all_at_once_is_one_after_the_other(data: st.DataObject, zones: list[str], preemptor: PodBuilder) -> None:
    nodes: list[NodeBuilder] = [make_node(f"n{i}").zone(zone).cpu("4") for i, zone in enumerate(zones)]
    placed = [data.draw(running(f"p{i}")) for i in range(data.draw(st.integers(0, 12)))]
    budgets = [budget("b", data.draw(st.integers(0, 2)), app="web")] if data.draw(st.booleans()) else []
    cluster = Cluster(nodes, placed, budgets)
    for i in range(data.draw(st.integers(0, 2))):
        ahead = data.draw(pods(f"ahead-{i}")).priority(data.draw(st.integers(4, 6)))
        cluster.add(ahead.nominated(f"n{data.draw(st.integers(0, 3))}").build())
    everything, before = Nodes(cluster.cache.table), picture(cluster.cache.table)
    state = CycleState()
    framework = cluster.scheduler.frameworks["default-scheduler"]
    run_pre_filter(framework, state, preemptor.build(), everything, None)

    together = answers(cluster, state, preemptor, everything)

    assert together == [answer for node in everything for answer in answers(cluster, state, preemptor, node.as_nodes)]
    assert picture(cluster.cache.table) == before
    lower = everything.lowest_priority < 5
    assert [answer == NO_VICTIMS for answer in together] == (~lower).tolist()


def test_it_is_no_use_where_nobody_is_less_important() -> None:
    cluster = Cluster([make_node("n").cpu("1")], [make_pod("p").node("n").cpu("1").priority(5)])
    cluster.schedule(make_pod("high").cpu("1").priority(5))
    assert cluster.evicted == []
