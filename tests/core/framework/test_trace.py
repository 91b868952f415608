"""Steps: what is told, what is left out, and what attempts share."""

from itertools import pairwise

from scheduler_core.framework import trace as traces
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trace import Trace, plain_step

FILTER = ExtensionPoint.FILTER


def test_what_is_none_is_left_out_and_nothing_else() -> None:
    trace = Trace()
    trace.add(FILTER, "P", in_=0, out=0)
    trace.add(FILTER, "P", in_=1)
    trace.add(FILTER, "P")
    trace.add("SelectHost", data={})
    trace.add(FILTER, "P", Status.unschedulable("too small"), in_=3, out=0, data={"rejected": []})
    trace.add_call(FILTER, "http://e", SUCCESS, in_=2, data=None)
    assert trace.steps == [
        {"point": "Filter", "plugin": "P", "code": "Success", "in": 0, "out": 0},
        {"point": "Filter", "plugin": "P", "code": "Success", "in": 1},
        {"point": "Filter", "plugin": "P", "code": "Success"},
        {"point": "SelectHost", "code": "Success", "data": {}},
        {
            "point": "Filter",
            "plugin": "P",
            "code": "Unschedulable",
            "reasons": ["too small"],
            "in": 3,
            "out": 0,
            "data": {"rejected": []},
        },
        {"point": "Filter", "extender": "http://e", "code": "Success", "in": 2},
    ]
    assert all(type(step["point"]) is str for step in trace.steps)


def test_attempts_share_the_steps_that_say_no_more_than_how_it_ended() -> None:
    first, second = Trace(), Trace()
    for trace in (first, second):
        trace.add(FILTER, "P", Status(Code.SKIP))
        trace.add(FILTER, "P", data={"n": 1})
        trace.add(FILTER, "P", Status.unschedulable("no"))
    same = [one is other for one, other in zip(first.steps, second.steps, strict=True)]
    assert first.steps == second.steps
    assert same == [True, False, False]


def test_steps_that_are_told_at_once_are_those_that_are_told_one_by_one() -> None:
    ticks = iter([0.0, 1.0, 2.0, 3.0])
    trace = Trace(lambda: next(ticks))
    one = [plain_step(FILTER, name, Code.SUCCESS, 2, 2) for name in "AB"]
    watch = trace.stopwatch()
    assert watch is not None
    watch.note("B", since=0.5)
    trace.add_point(one, watch)
    trace.add_point([], watch)
    assert trace.steps == one and trace.timings == [("Filter", "Success", 0.0), ("Filter", "Success", 2.0)]


def test_no_more_than_so_many_are_kept() -> None:
    trace = Trace()
    for n in range(traces.MAX_CACHED_STEPS + 10):
        trace.add(FILTER, "P", in_=n, out=n)
        assert traces.plain_step.cache_info().currsize <= traces.MAX_CACHED_STEPS
    assert all(later["in"] == step["in"] + 1 for step, later in pairwise(trace.steps))
