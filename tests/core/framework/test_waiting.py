"""A pod that waits at Permit: who lets it go on, who refuses it, and when patience ends."""

import pytest

from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.waiting import WaitingPod, go_duration
from tests.conformance.testing import make_pod


def waiting() -> WaitingPod:
    return WaitingPod(make_pod("p").build(), {"B": (10.0, 10.0), "A": (5.0, 5.0)})


def test_the_last_plugin_to_allow_lets_it_go_on() -> None:
    found = waiting()
    assert found.pending_plugins == ["A", "B"] and found.next_deadline == 5.0
    found.allow("A")
    assert found.decision is None and found.next_deadline == 10.0
    found.allow("B")
    assert found.decision == SUCCESS


def test_what_was_decided_stays_decided() -> None:
    found = waiting()
    found.reject("A", "no")
    found.reject("B", "later")
    found.allow("A")
    found.allow("B")
    assert found.decision == Status(Code.UNSCHEDULABLE, ("no",), "A")


def test_patience_ends_at_the_earliest_deadline() -> None:
    found = waiting()
    found.expire(4.9)
    assert found.decision is None
    found.expire(12.0)
    text = "rejected due to timeout after waiting 5s at plugin A"
    assert found.decision == Status(Code.UNSCHEDULABLE, (text,), "A")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (2e-9, "2ns"), (0.0015, "1.5ms"), (0.5, "500ms"), (1.5, "1.5s"), (90, "1m30s"), (7200, "2h0m0s")],
)
def test_durations_are_gos(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text
