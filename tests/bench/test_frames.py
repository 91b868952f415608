"""The frames of a scrub, read from a trace."""

from typing import Any

from tests.bench.frames import MARK, TASK, frames


def _event(name: str, at: int, cpu: int = 0, thread: int = 1) -> dict[str, Any]:
    return {"name": name, "pid": 7, "tid": thread, "ts": at, "dur": 9000, "tdur": cpu}


def test_all_tasks_until_the_next_frame_count_and_only_those_of_the_page() -> None:
    events = [
        _event(TASK, 0, 400),
        _event(TASK, 1000, 5000),
        _event(MARK, 1500),
        _event(TASK, 7000, 2500),  # an effect, after the frame was drawn
        _event(TASK, 8000, 90_000, thread=2),
        _event(TASK, 17_000, 1000),
        _event(MARK, 17_100),
        _event(TASK, 33_000, 700),
        _event(MARK, 33_100),
    ]
    assert frames(events) == [7.5, 1.0]
