from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource
from scheduler_core.queue.in_flight import InFlight
from tests.conformance.testing import make_pod

EVENTS = {name: ClusterEvent(EventResource.NODE, ActionType.ADD, name) for name in "abcdef"}


def _record(in_flight: InFlight, name: str) -> None:
    in_flight.record(EVENTS[name], None, None)


def _seen(in_flight: InFlight, uid: str) -> str:
    return "".join(kept.event.label for kept in in_flight.events_since(uid))


def test_every_pod_sees_what_came_after_it_and_nothing_is_kept_for_nobody() -> None:
    in_flight = InFlight()
    _record(in_flight, "a")  # nobody is in flight
    for name, event in (("p1", "b"), ("p2", "c"), ("p3", "d")):
        in_flight.start(make_pod(name).uid(name).build())
        _record(in_flight, event)
    assert [_seen(in_flight, uid) for uid in ("p1", "p2", "p3")] == ["bcd", "cd", "d"]
    assert in_flight.pod_keys() == ["default/p1", "default/p2", "default/p3"]
    assert in_flight.done("p2") == "default/p2"
    assert [_seen(in_flight, uid) for uid in ("p1", "p3")] == ["bcd", "d"]
    assert in_flight.done("p1") == "default/p1"
    _record(in_flight, "e")
    assert _seen(in_flight, "p3") == "de"
    assert [kept["label"] for kept in in_flight.dump(str)["events"]] == ["d", "e"]
    assert in_flight.done("p3") == "default/p3"
    assert in_flight.done("p3") is None
    assert in_flight.dump(str) == {"pods": [], "events": []}


def test_dump_and_load() -> None:
    in_flight = InFlight()
    in_flight.start(make_pod("p1").uid("p1").build())
    _record(in_flight, "a")
    in_flight.start(make_pod("p2").uid("p2").build())
    in_flight.record(EVENTS["b"], "old", "new")
    in_flight.done("p1")
    copy = InFlight()
    copy.load(in_flight.dump(str.upper), str.lower)
    assert [(kept.event, kept.old, kept.new) for kept in copy.events_since("p2")] == [(EVENTS["b"], "old", "new")]
    assert copy.dump(str.upper) == in_flight.dump(str.upper)


def test_a_checkpoint_of_when_there_were_twelve_kinds_of_action() -> None:
    kept = {"resource": "*", "label": "UnschedulableTimeout", "old": None, "new": None}
    flight = InFlight()
    flight.load(
        {"pods": [["a", 0, "default/a"]], "events": [kept | {"action": 4095}, kept | {"action": 8}]}, lambda x: x
    )
    assert [seen.event.action for seen in flight.events_since("a")] == [ActionType.ALL, ActionType.UPDATE_NODE_LABEL]
