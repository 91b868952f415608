from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.unschedulable_pods import UnschedulablePods
from tests.conformance.testing import make_pod

NAMES = ("a", "b", "c", "d")
PODS = {name: make_pod(name).build() for name in NAMES}
plugin_sets = st.frozensets(st.sampled_from(["P", "Q", "R"]))


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.none() | plugin_sets)), plugin_sets)
def test_finds_what_a_search_through_all_pods_finds(
    operations: list[tuple[str, frozenset[str] | None]], asked: frozenset[str]
) -> None:
    """None removes the pod, plugins put it there; a pod that is put again keeps its place."""
    pods = UnschedulablePods(lambda queued: queued.rejectors)
    model: dict[str, frozenset[str]] = {}
    for name, plugins in operations:
        if plugins is None:
            assert (pods.remove(f"default/{name}") is not None) == (model.pop(name, None) is not None)
        else:
            pods.put(QueuedPodInfo(PODS[name], 0.0, unschedulable_plugins=set(plugins)))
            model[name] = plugins
    assert [queued.pod.name for queued in pods.all()] == list(model)
    wanted = [name for name, plugins in model.items() if not plugins or plugins & asked]
    assert [queued.pod.name for queued in pods.pods_to_ask(asked)] == wanted
    assert len(pods) == len(model)
