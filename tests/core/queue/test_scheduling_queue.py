import math

import pytest

from kube_objects.pod import Pod
from tests.conformance.testing import make_node, make_pod
from tests.core.queue.queue_fixture import CSI_ADD, NODE_ADD, NODE_LABEL, PV_ADD, Rig


def pod(name: str, priority: int = 0, wants: str = "") -> Pod:
    builder = make_pod(name).uid(f"uid-{name}").spec(priority=priority)
    return (builder.label("wants", wants) if wants else builder).build()


def gated(name: str, *gates: str) -> Pod:
    return make_pod(name).uid(f"uid-{name}").spec(schedulingGates=[{"name": gate} for gate in gates]).build()


NODE = make_node("n1").build()


def test_higher_priority_first_then_the_one_that_waited_longer() -> None:
    rig = Rig()
    for time, (name, priority) in enumerate((("b", 0), ("a", 0), ("high", 10))):
        rig.to(time)
        rig.add(pod(name, priority))
    assert rig.contents() == {"active": ["high", "b", "a"]}
    assert rig.log() == [
        "b: - > active (UnschedulablePodAdd)",
        "a: - > active (UnschedulablePodAdd)",
        "high: - > active (UnschedulablePodAdd)",
    ]


def test_rejected_pod_waits_for_an_event_and_then_for_its_backoff() -> None:
    rig = Rig()
    web = pod("web", wants="n1")
    rig.fail(web, "Picky")
    rig.log()
    rig.queue.move_all(NODE_ADD, None, make_node("n2").build())
    rig.queue.move_all(NODE_LABEL, NODE, NODE)  # nobody registered for it
    assert rig.contents() == {"unschedulable": ["web"]}
    rig.queue.move_all(NODE_ADD, None, NODE)
    assert rig.contents() == {"backoff": ["web"]}
    rig.to(1.5)
    assert rig.contents() == {"backoff": ["web"]}
    rig.to(2.0)
    assert rig.contents() == {"active": ["web"]}
    assert rig.log() == [
        "web: unschedulable > unschedulable (NodeAdd Picky=QueueSkip)",
        "web: unschedulable > backoff (NodeAdd Picky=Queue)",
        "web: backoff > active (BackoffComplete)",
    ]


def test_backoff_that_is_over_is_not_waited_for() -> None:
    rig = Rig()
    rig.fail(pod("web", wants="n1"), "Picky")
    rig.to(2.0)
    rig.queue.move_all(NODE_ADD, None, NODE)
    assert rig.contents() == {"active": ["web"]}


def test_pending_pod_skips_its_backoff() -> None:
    rig = Rig()
    rig.fail(pod("member"), pending=("Gang",))
    rig.queue.move_all(PV_ADD, None, None)
    assert rig.contents() == {"active": ["member"]}


def test_an_empty_active_queue_pops_from_backoff_but_not_from_error_backoff() -> None:
    rig = Rig()
    rig.fail(pod("unlucky"))
    rig.fail(pod("rejected"), "Gang")
    rig.queue.move_all(PV_ADD, None, None)
    assert rig.contents() == {"backoff": ["rejected"], "errorBackoff": ["unlucky"]}
    rig.log()
    rig.pop(pod("rejected"))
    assert rig.log() == ["rejected: backoff > inFlight (PopFromBackoffQ)"]
    assert not rig.queue.can_pop
    assert rig.queue.pop() is None
    rig.to(2)
    assert rig.log() == ["unlucky: errorBackoff > active (BackoffComplete)"]


def test_errors_count_by_themselves_and_reset() -> None:
    rig = Rig()
    queued = rig.fail(pod("p"))
    for at, plugins, counts, expiry in (
        (2.0, (), (0, 2), 4),
        (5.5, (), (0, 3), 9),
        (10.0, ("Picky",), (1, 0), 11),
        (12.25, (), (1, 1), 13),
        (14.5, ("Picky",), (2, 0), 16),
    ):
        rig.to(at)
        rig.queue.activate([queued.pod])
        rig.back(rig.pop(queued.pod), *plugins)
        assert (queued.unschedulable_count, queued.consecutive_errors) == counts
        assert queued.backoff_expiry == expiry
    assert queued.attempts == 6


EVENTS_DURING_AN_ATTEMPT = [
    # name, event and new object, rejecting plugins, want
    ("no event", None, ("Picky",), "web: inFlight > unschedulable (ScheduleAttemptFailure)"),
    (
        "one that helps",
        (NODE_ADD, NODE),
        ("Picky",),
        "web: inFlight > backoff (ScheduleAttemptFailure Picky=Queue during NodeAdd)",
    ),
    (
        "one that does not",
        (NODE_ADD, make_node("n2").build()),
        ("Picky",),
        "web: inFlight > unschedulable (ScheduleAttemptFailure)",
    ),
    (
        "one for another plugin",
        (PV_ADD, None),
        ("Picky",),
        "web: inFlight > unschedulable (ScheduleAttemptFailure)",
    ),
    ("an error", None, (), "web: inFlight > errorBackoff (ScheduleAttemptFailure)"),
]


@pytest.mark.parametrize(("name", "happened", "plugins", "want"), EVENTS_DURING_AN_ATTEMPT)
def test_events_during_an_attempt(name: str, happened: tuple | None, plugins: tuple[str, ...], want: str) -> None:
    rig = Rig()
    rig.add(pod("web", wants="n1"))
    rig.queue.move_all(NODE_ADD, None, NODE)  # before the attempt: does not count
    queued = rig.pop(pod("web"))
    if happened:
        rig.queue.move_all(happened[0], None, happened[1])
    rig.log()
    rig.back(queued, *plugins)
    assert rig.log() == [want]
    assert rig.queue.in_flight() == []


def test_pending_plugins_look_for_the_event_that_lets_them_go_at_once() -> None:
    rig = Rig()
    rig.add(pod("web", wants="n1"))
    queued = rig.pop(pod("web"))
    rig.queue.move_all(NODE_ADD, None, NODE)  # Picky says Queue, Gang says Queue and is pending
    rig.log()
    rig.back(queued, "Picky", pending=("Gang",))
    assert rig.log() == ["web: inFlight > active (ScheduleAttemptFailure Gang=Queue during NodeAdd)"]


def test_activation_waits_for_a_pod_in_flight() -> None:
    rig = Rig()
    web, other = pod("web"), pod("other")
    rig.add(web)
    rig.add(other)
    queued = rig.pop(web)
    rig.queue.activate([web])
    rig.log()
    rig.back(queued, "Picky")
    assert rig.log() == ["web: inFlight > backoff (ScheduleAttemptFailure during ForceActivate)"]
    rig.queue.activate([web, pod("unknown")])
    assert rig.log() == ["web: backoff > active (ForceActivate)"]


def test_update_in_flight_counts_when_the_pod_comes_back() -> None:
    rig = Rig()
    rig.add(pod("web"))
    queued = rig.pop(pod("web"))
    newer = pod("web", wants="n1")
    rig.queue.update(pod("web"), newer)
    rig.log()
    queued.pod = newer
    rig.back(queued, "Picky")
    assert rig.log() == [
        "web: inFlight > backoff (ScheduleAttemptFailure Picky=Queue during UnschedulablePodUpdatePodLabel)"
    ]


def test_update_of_an_unschedulable_pod_asks_the_hints() -> None:
    rig = Rig()
    rig.fail(pod("web"), "Picky")
    rig.log()
    annotated = make_pod("web").uid("uid-web").annotation("a", "b").build()
    rig.queue.update(pod("web"), annotated)
    assert rig.log() == []
    assert rig.contents() == {"unschedulable": ["web"]}
    rig.queue.update(annotated, pod("web", wants="n1"))
    assert rig.log() == ["web: unschedulable > backoff (UnschedulablePodUpdatePodLabel Picky=Queue)"]


def test_update_where_it_is_does_not_move() -> None:
    rig = Rig()
    for name in ("a", "b"):
        rig.add(pod(name))
    rig.log()
    rig.queue.update(pod("b"), pod("b", priority=5))
    assert rig.contents() == {"active": ["b", "a"]}
    assert rig.log() == []


def test_update_of_an_unknown_pod_adds_it() -> None:
    rig = Rig()
    rig.queue.update(pod("a"), pod("a"))
    assert rig.log() == ["a: - > active (UnschedulablePodUpdate)"]


def test_gated_pod_waits_for_its_last_gate() -> None:
    rig = Rig()
    rig.add(gated("p", "g1", "g2"))
    assert rig.contents() == {"gated": ["p"]}
    rig.queue.update(gated("p", "g1", "g2"), gated("p", "g1"))
    rig.queue.move_all(NODE_ADD, None, NODE)
    rig.queue.activate([gated("p", "g1")])
    rig.to(3600)
    assert rig.contents() == {"gated": ["p"]}
    rig.queue.update(gated("p", "g1"), pod("p"))
    assert rig.log() == [
        "p: - > gated (UnschedulablePodAdd)",
        "p: gated > gated (ForceActivate)",
        "p: gated > active (UnschedulablePodUpdatePodSchedulingGatesEliminated SchedulingGates=Queue)",
    ]
    queued = rig.pop(pod("p"))
    assert (queued.attempts, queued.initial_attempt, queued.gating_plugin) == (1, 3600, "")
    assert queued.rejectors == set()


def test_pods_that_wait_too_long_are_tried_again() -> None:
    rig = Rig()
    rig.to(0.5)
    rig.fail(pod("early"), "Picky")
    rig.to(30.0)
    rig.fail(pod("late"), "Picky")
    rig.log()
    assert rig.queue.next_time() == 330
    rig.to(329.999)
    assert rig.log() == []
    rig.to(330.0)  # "late" waits exactly 300 s now, which is not longer
    assert rig.log() == ["early: unschedulable > active (UnschedulableTimeout)"]
    rig.to(1000.0)
    assert [(move.pod_key, move.at) for move in rig.moves] == [("default/late", 360)]
    assert rig.queue.next_time() == math.inf


def test_time_passes_in_one_leap_or_in_many_steps() -> None:
    """A leap does every flush at its own second."""
    logs = []
    for step in (400.0, 1.0, 0.25):
        rig = Rig(initial=2, maximum=8)
        rig.fail(pod("unlucky"))
        rig.fail(pod("rejected"), "Picky")
        while rig.time < 400:
            rig.to(rig.time + step)
        logs.append([(move.at, move.pod_key, move.event) for move in rig.moves])
    assert logs[0] == logs[1] == logs[2]
    assert [entry[0] for entry in logs[0][-2:]] == [3, 330]


def test_without_backoff_a_pod_that_failed_is_ready_at_once() -> None:
    rig = Rig(maximum=0)
    rig.fail(pod("unlucky"))
    assert rig.contents() == {"active": ["unlucky"]}


def test_pre_check_leaves_pods_out() -> None:
    rig = Rig()
    for name, priority in (("low", 0), ("high", 10)):
        rig.fail(pod(name, priority), "Gang")
    rig.queue.move_all(PV_ADD, None, None, lambda pod: pod.priority <= 5)
    assert rig.contents() == {"backoff": ["low"], "unschedulable": ["high"]}


def test_delete_from_every_lane() -> None:
    rig = Rig()
    rig.fail(pod("unlucky"))
    rig.fail(pod("waiting"), "Picky")
    rig.fail(pod("backing"), "Gang")
    rig.queue.move_all(PV_ADD, None, None)
    rig.add(gated("gated", "g"))
    rig.add(pod("ready"))
    assert len(rig.contents()) == 5
    rig.log()
    for name in ("unlucky", "waiting", "backing", "gated", "ready"):
        rig.queue.delete(pod(name))
    assert rig.contents() == {}
    assert rig.log() == [
        "unlucky: errorBackoff > - (UnschedulablePodDelete)",
        "waiting: unschedulable > - (UnschedulablePodDelete)",
        "backing: backoff > - (UnschedulablePodDelete)",
        "gated: gated > - (UnschedulablePodDelete)",
        "ready: active > - (UnschedulablePodDelete)",
    ]


def test_a_pod_made_again_under_its_name_keeps_the_queue() -> None:
    rig = Rig()
    rig.add(pod("web"))
    queued = rig.pop(pod("web"))
    rig.queue.delete(pod("web"))
    rig.add(make_pod("web").uid("another").build())
    queued.unschedulable_plugins = {"Picky"}
    assert rig.queue.add_unschedulable(queued) is False
    assert rig.contents() == {"active": ["web"]}


def test_uninteresting_events_are_not_kept_for_pods_in_flight() -> None:
    rig = Rig()
    rig.add(pod("web"))
    rig.pop(pod("web"))
    rig.queue.move_all(CSI_ADD, None, None)
    assert rig.queue.dump(str)["inFlight"]["events"] == []


def test_nominated_pods_are_the_queued_versions() -> None:
    rig = Rig()
    big = make_pod("big").uid("uid-big").cpu("2").status(nominatedNodeName="n1").build()
    rig.add(big)
    assert rig.queue.nominated_nodes() == {"n1"}
    assert rig.queue.nominated_pods("n1") == [big]
    rig.pop(big)
    (bare,) = rig.queue.nominated_pods("n1")
    assert (bare.key, bare.uid, bare.requests) == (big.key, big.uid, {})
    rig.queue.delete(big)
    assert rig.queue.nominated_pods("n1") == []


def test_gated_pods_are_nominated_when_they_are_let_in() -> None:
    rig = Rig()
    waiting = make_pod("p").uid("uid-p").spec(schedulingGates=[{"name": "g"}]).status(nominatedNodeName="n1").build()
    rig.add(waiting)
    assert not rig.queue.nominated_nodes()
    free = make_pod("p").uid("uid-p").status(nominatedNodeName="n1").build()
    rig.live[free.key] = free
    rig.queue.update(waiting, free)
    assert rig.queue.nominated_nodes() == {"n1"}
