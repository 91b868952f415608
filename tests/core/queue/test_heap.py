from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.heap import PodHeap
from tests.conformance.testing import make_pod

NAMES = [f"p{i}" for i in range(6)]
PODS = {name: make_pod(name).build() for name in NAMES}


def _queued(name: str, key: int) -> QueuedPodInfo:
    return QueuedPodInfo(PODS[name], float(key))


@given(st.lists(st.tuples(st.sampled_from(["put", "remove", "pop"]), st.sampled_from(NAMES), st.integers(0, 3))))
def test_behaves_like_a_sorted_list(operations: list[tuple[str, str, int]]) -> None:
    """Smallest key first, equals in order of arrival, where a pod that is put again keeps its arrival."""
    heap = PodHeap(lambda queued: (queued.timestamp,))
    model: dict[str, tuple[int, int]] = {}  # name → (key, arrival)
    for arrival, (operation, name, key) in enumerate(operations):
        if operation == "put":
            heap.put(_queued(name, key))
            model[name] = (key, model[name][1] if name in model else arrival)
        elif operation == "remove":
            removed = heap.remove(f"default/{name}")
            assert (removed is not None) == (model.pop(name, None) is not None)
        else:
            popped = heap.pop()
            first = min(model, key=model.__getitem__, default=None)
            assert (popped.pod.name if popped else None) == first
            model.pop(first or "", None)
        assert [queued.pod.name for queued in heap.in_order()] == sorted(model, key=model.__getitem__)
        assert [queued.pod.name for queued in heap.by_arrival()] == sorted(model, key=lambda name: model[name][1])
        assert len(heap) == len(model)


def test_dead_entries_do_not_pile_up() -> None:
    heap = PodHeap(lambda queued: (queued.timestamp,))
    for key in range(10_000):
        heap.put(_queued("p0", key))
    assert len(heap._heap) < 200
