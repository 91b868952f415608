"""Whatever happens, every pod is in exactly one place, the reported moves say which, and checkpoints lose nothing."""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.moves import SubQueue
from tests.conformance.testing import make_node, make_pod
from tests.core.queue.queue_fixture import CSI_ADD, NODE_ADD, PV_ADD, Rig

NAMES = ("a", "b", "c", "d", "e")
names = st.sampled_from(NAMES)
plugin_sets = st.sets(st.sampled_from(["Picky", "Gang"]))
EVENTS = {"node": (NODE_ADD, make_node("n1").build()), "volume": (PV_ADD, None), "csi": (CSI_ADD, None)}


@st.composite
def pods(draw: st.DrawFn, name: str) -> Pod:
    builder = make_pod(name).uid(name).spec(priority=draw(st.integers(0, 2)))
    if draw(st.booleans()):
        builder.label("wants", draw(st.sampled_from(["n1", "n2"])))
    if draw(st.booleans()):
        builder.status(nominatedNodeName=draw(st.sampled_from(["n1", "n2"])))
    gates = draw(st.sampled_from([[], [], ["g1"], ["g1", "g2"]]))
    if gates:
        builder.spec(schedulingGates=[{"name": gate} for gate in gates])
    return builder.build()


def encode(obj: Any) -> Any:
    return obj.manifest


class Machine(RuleBasedStateMachine):
    @initialize(initial=st.integers(1, 3), maximum=st.sampled_from([0, 4, 20]))
    def start(self, initial: int, maximum: int) -> None:
        self.rig = Rig(initial, maximum)
        self.flying: dict[str, QueuedPodInfo] = {}  # attempts by name
        self.told: dict[str, SubQueue] = {}  # where the moves say that a pod is

    @rule(name=names, data=st.data())
    def add_or_update(self, name: str, data: st.DataObject) -> None:
        pod = data.draw(pods(name))
        old = self.rig.live.get(pod.key)
        self.rig.live[pod.key] = pod
        if old is not None:
            self.rig.queue.update(old, pod)
        elif name not in self.flying:
            self.rig.queue.add(pod)
        else:
            del self.rig.live[pod.key]

    @precondition(lambda self: self.rig.live)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self.rig.queue.delete(self.rig.live.pop(data.draw(st.sampled_from(sorted(self.rig.live)))))

    @rule()
    def pop(self) -> None:
        ready = self.rig.queue.active() or self.rig.queue.backoff()
        queued = self.rig.queue.pop()
        assert (queued and queued.pod.key) == (ready[0].pod.key if ready else None)
        if queued is not None:
            assert not queued.rejectors
            self.flying[queued.pod.name] = queued

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), plugins=plugin_sets, pending=plugin_sets)
    def attempt_ends(self, data: st.DataObject, plugins: set[str], pending: set[str]) -> None:
        """It fails, unless the pod is gone, in which case it is not put back."""
        name = data.draw(st.sampled_from(sorted(self.flying)))
        queued = self.flying.pop(name)
        live = self.rig.live.get(queued.pod.key)
        if live is None:
            self.rig.queue.done(queued.pod.uid)
            return
        queued.pod = live
        self.rig.back(queued, *sorted(plugins - pending), pending=tuple(sorted(pending)))

    @precondition(lambda self: self.flying)
    @rule(data=st.data())
    def pod_is_bound(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.flying)))
        queued = self.flying.pop(name)
        self.rig.queue.done(queued.pod.uid)
        live = self.rig.live.pop(queued.pod.key, None)
        if live is not None:
            self.rig.queue.delete(live)

    @rule(chosen=st.sets(names))
    def activate(self, chosen: set[str]) -> None:
        self.rig.queue.activate([pod for pod in self.rig.live.values() if pod.name in chosen])

    @rule(kind=st.sampled_from(sorted(EVENTS)), at_most=st.sampled_from([None, 1]))
    def event(self, kind: str, at_most: int | None) -> None:
        event, new = EVENTS[kind]
        pre_check = None if at_most is None else lambda pod: pod.priority <= at_most
        self.rig.queue.move_all(event, None, new, pre_check)

    @rule(seconds=st.sampled_from([0.001, 0.999, 1.0, 7.25, 310.0]))
    def time_passes(self, seconds: float) -> None:
        due = self.rig.queue.next_time()
        before = len(self.rig.moves)
        self.rig.to(self.rig.time + seconds)
        moved = [move.at for move in self.rig.moves[before:]]
        assert all(self.rig.time - seconds < at <= self.rig.time and at == int(at) for at in moved)
        falls_due = due <= self.rig.time
        # With pods in flight, an overdue gated pod makes an event for them and need not move itself.
        assert bool(moved) == falls_due or (falls_due and self.flying)

    @rule()
    def reload(self) -> None:
        """Go on with what a checkpoint brings back."""
        dumped = self.rig.queue.dump(encode)
        copy = self.rig.new_queue()
        copy.load(json.loads(json.dumps(dumped)), {pod.uid: pod for pod in self.rig.live.values()}, parse_object)
        assert copy.dump(encode) == dumped
        self.rig.queue = copy

    @invariant()
    def every_pod_is_in_one_place_and_the_moves_say_which(self) -> None:
        queue = self.rig.queue
        lanes = {
            SubQueue.ACTIVE: queue.active(),
            SubQueue.BACKOFF: queue.backoff(),
            SubQueue.ERROR_BACKOFF: queue.error_backoff(),
            SubQueue.UNSCHEDULABLE: [queued for queued in queue.unschedulable() if not queued.gated],
            SubQueue.GATED: [queued for queued in queue.unschedulable() if queued.gated],
        }
        places = [(queued.pod.key, lane) for lane, pods in lanes.items() for queued in pods]
        places += [(key, SubQueue.IN_FLIGHT) for key in queue.in_flight()]
        for move in self.rig.moves:
            assert move.source == self.told.get(move.pod_key, SubQueue.OUTSIDE)
            self.told[move.pod_key] = move.target
        self.rig.moves.clear()
        assert dict(places) == {key: lane for key, lane in self.told.items() if lane is not SubQueue.OUTSIDE}
        assert len(places) == len(dict(places))
        expected = self.rig.live.keys() | {f"default/{name}" for name in self.flying}
        assert dict(places).keys() == expected

    @invariant()
    def queued_pods_are_the_live_ones(self) -> None:
        for key, pod in self.rig.live.items():
            queued = self.rig.queue.find(key)
            assert queued is None or queued.pod is pod

    @invariant()
    def gates_hold(self) -> None:
        for queued in (*self.rig.queue.active(), *self.rig.queue.backoff(), *self.rig.queue.error_backoff()):
            assert not queued.gated

    @invariant()
    def nominations_are_of_live_pods(self) -> None:
        nominated = [
            pod.uid for node in self.rig.queue.nominated_nodes() for pod in self.rig.queue.nominated_pods(node)
        ]
        assert len(nominated) == len(set(nominated))
        assert set(nominated) <= {pod.uid for pod in self.rig.live.values()}


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestQueue = Machine.TestCase
