import pytest

from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.backoff import BackoffQueue, BackoffSettings, backing_off
from tests.conformance.testing import make_pod

EXPIRIES = [
    # name                          initial max  unschedulable errors timestamp want
    ("never failed", 1, 10, 0, 0, 5.5, None),
    ("first failure, truncated", 1, 10, 1, 0, 5.999, 6),
    ("second failure doubles", 1, 10, 2, 0, 5.0, 7),
    ("fourth failure", 1, 10, 4, 0, 0.5, 8),
    ("fifth failure hits the maximum", 1, 10, 5, 0, 0.5, 10),
    ("maximum that is no power", 3, 20, 3, 0, 0.0, 12),
    ("beyond any shift", 1, 10, 500, 0, 0.0, 10),
    ("errors count instead", 1, 10, 4, 1, 0.0, 1),
    ("initial above maximum", 10, 5, 1, 0, 0.0, 5),
    ("switched off", 1, 0, 3, 0, 0.0, None),
]


@pytest.mark.parametrize(("name", "initial", "maximum", "count", "errors", "timestamp", "want"), EXPIRIES)
def test_expiry(
    name: str, initial: int, maximum: int, count: int, errors: int, timestamp: float, want: int | None
) -> None:
    queued = QueuedPodInfo(make_pod("p").build(), timestamp, unschedulable_count=count, consecutive_errors=errors)
    assert BackoffSettings(initial, maximum).expiry(queued) == want


@pytest.mark.parametrize(
    ("expiry", "now", "want"),
    [(None, 0.0, False), (3, 2.999, True), (3, 3.0, True), (3, 3.999, True), (3, 4.0, False)],
)
def test_backs_off_through_the_second_of_its_expiry(expiry: int | None, now: float, want: bool) -> None:
    assert backing_off(QueuedPodInfo(make_pod("p").build(), 0.0, backoff_expiry=expiry), now) is want


def _queued(name: str, expiry: int, priority: int, plugins: set[str]) -> QueuedPodInfo:
    pod = make_pod(name).spec(priority=priority).build()
    return QueuedPodInfo(pod, 0.0, backoff_expiry=expiry, unschedulable_plugins=plugins)


def test_a_second_is_ordered_like_the_active_queue_and_errors_wait_apart() -> None:
    queue = BackoffQueue(lambda queued: (-queued.pod.priority,))
    for queued in (
        _queued("late", 3, 100, {"Fit"}),
        _queued("low", 2, 0, {"Fit"}),
        _queued("high", 2, 10, {"Fit"}),
        _queued("error", 1, 0, set()),
    ):
        queue.heap_for(queued).put(queued)
    assert [queued.pod.name for queued in queue.rejected.in_order()] == ["high", "low", "late"]
    assert [queued.pod.name for queued in queue.failed.in_order()] == ["error"]
    assert queue.next_completion() == 2
    assert [queued.pod.name for queued in queue.pop_completed(2.0)] == ["error"]
    assert [queued.pod.name for queued in queue.pop_completed(3.0)] == ["high", "low"]
    assert queue.next_completion() == 4
    assert "default/late" in queue
    assert len(queue) == 1
