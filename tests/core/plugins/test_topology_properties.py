"""What add_pod and remove_pod leave behind is what PreFilter would find in the changed cluster."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import FilterPlugin
from scheduler_core.framework.status import Status
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster
from tests.core.plugins.test_inter_pod_affinity import build as inter_pod_affinity
from tests.core.plugins.test_pod_topology_spread import build as pod_topology_spread

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
KEYS = st.sampled_from([ZONE, HOST])
APPS = st.sampled_from(["web", "db"])
ZONES = st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=5)


@st.composite
def running_pods(draw: st.DrawFn) -> PodBuilder:
    """Not placed yet, and with a name to be given."""
    pod = make_pod("other").label("app", draw(APPS))
    if draw(st.booleans()):
        pod.anti_affinity(draw(KEYS), {"app": draw(APPS)})
    return pod


@st.composite
def pending_pods(draw: st.DrawFn) -> Pod:
    pod = make_pod("pending").uid("pending").label("app", draw(APPS))
    for key in draw(st.lists(KEYS, unique=True, max_size=2)):
        pod.spread(key, {"app": draw(APPS)}, draw(st.integers(1, 2)), minDomains=draw(st.integers(1, 3)))
    if draw(st.booleans()):
        pod.affinity(draw(KEYS), {"app": draw(APPS)})
    for _ in range(draw(st.integers(0, 2))):
        pod.anti_affinity(draw(KEYS), {"app": draw(APPS)})
    if draw(st.booleans()):
        pod.node_affinity(ZONE, "In", "a", "b")
    return pod.build()


Placed = list[tuple[int, PodBuilder]]


def build_cluster(zones: list[str], pods: Placed) -> Nodes:
    nodes: list[NodeBuilder] = [make_node(f"n{i}").zone(z) if z else make_node(f"n{i}") for i, z in enumerate(zones)]
    return cluster(nodes, [pod.node(f"n{on % len(zones)}") for on, pod in pods])


def verdicts(plugin: FilterPlugin, state: CycleState, pod: Pod, nodes: Nodes) -> list[Status]:
    answer = plugin.filter(state, pod, nodes)
    return [answer.status(i) for i in range(len(nodes))]


@settings(max_examples=150, deadline=None)
@given(
    zones=ZONES,
    placed=st.lists(st.tuples(st.integers(0, 4), running_pods()), max_size=8),
    arriving=st.lists(running_pods(), max_size=3),
    leaving=st.sets(st.integers(0, 7)),
    pod=pending_pods(),
)
def test_changes_on_one_node(
    zones: list[str], placed: Placed, arriving: list[PodBuilder], leaving: set[int], pod: Pod
) -> None:
    for i, (_, running) in enumerate(placed):
        running.uid(f"placed-{i}")
    for i, more in enumerate(arriving):
        more.uid(f"arriving-{i}")
    before = build_cluster(zones, placed)
    gone = {i for i, (on, _) in enumerate(placed) if i in leaving and on % len(zones) == 0}
    stayed = [item for i, item in enumerate(placed) if i not in gone]
    after = build_cluster(zones, [*stayed, *((0, more) for more in arriving)])
    plugins: list[Any] = [pod_topology_spread(before), inter_pod_affinity(before)]
    for plugin in plugins:
        changed, fresh = changed_and_fresh(plugin, pod, before, after, [placed[i][1] for i in sorted(gone)], arriving)
        if changed is not None and fresh is not None:
            assert verdicts(plugin, changed, pod, before) == verdicts(plugin, fresh, pod, after)
        elif changed is not None:
            assert all(status.is_success for status in verdicts(plugin, changed, pod, before))


def changed_and_fresh(
    plugin: Any, pod: Pod, before: Nodes, after: Nodes, gone: list[PodBuilder], new: list[PodBuilder]
) -> tuple[CycleState | None, CycleState | None]:
    """The state after the changes, and that of a PreFilter in the changed cluster; None where PreFilter skips."""
    states = []
    for nodes in (before, after):
        state = CycleState()
        states.append(None if plugin.pre_filter(state, pod, nodes).status.is_skip else state)
    changed, fresh = states
    if changed is not None:
        verdicts(plugin, changed, pod, before)  # what an earlier look kept must not be seen later
        changed = changed.clone()
        view = before[0].what_if()
        for left in gone:
            view.table.remove_pod(view.table.pods[0][left.build().uid], view.name)
            assert plugin.remove_pod(changed, pod, left.build(), view).is_success
        for more in new:
            view.table.add_pod(more.build(), view.name)
            assert plugin.add_pod(changed, pod, more.build(), view).is_success
    return changed, fresh
