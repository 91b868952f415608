"""Player: a replay of one recorded sequence, step by step, in virtual time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Controller
from kube_controllers.hashing import UPSTREAM
from kube_controllers.pods import is_ready, node_of, phase
from kube_objects.manifests import (
    Manifest,
    is_deleted,
    key,
    meta,
    name,
    namespace,
    spec,
    uid,
    with_meta,
)
from scheduler_core.emulations import V1_36_3
from simulator.simulation.controller_runtime import ControllerRuntime
from simulator.simulation.journal import Record
from simulator.simulation.simulation import Simulation
from tests.conformance.controllers import kubelet
from tests.conformance.controllers.drawn_names import Names
from tests.conformance.controllers.events import Event, EventLog
from tests.conformance.controllers.initial_objects import first_objects, missing
from tests.conformance.controllers.interleaving import Overtaken, SideBySide, Unhurried
from tests.conformance.controllers.state import state_of

# Everything that a controller manager runs; the recorded kubelet and nodes do nothing by themselves.
RECORDED = (
    "deployment",
    "replicaset",
    "replicationcontroller",
    "statefulset",
    "daemonset",
    "job",
    "cronjob",
    "horizontal-pod-autoscaler",
    "disruption",
    "taint-eviction",
    "garbage-collector",
    "ttl-after-finished",
    "pod-gc",
    "namespace",
    "persistent-volume",
    "resource-claim",
    "endpointslice",
)
QUIET, QUIET_FOR_JOBS = 1.0, 2.4
_LOOKED_EVERY = 0.05  # seconds: what happens just when it was quiet for long enough is still seen
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_WATCHING = ("disruption",)
_OWNERS = ("ReplicaSet", "ReplicationController", "DaemonSet", "Job")


class Player:
    """A cluster in the initial state of recordings, with nothing but its Nodes."""

    def __init__(self, nodes: Sequence[str | Manifest], quiet: float) -> None:
        self.simulation = Simulation.create(seed=0, emulation=V1_36_3, record_steps=False)
        self.simulation.cluster.switch_controllers(RECORDED, 0, UPSTREAM)
        found = self.simulation.cluster.controllers
        assert found is not None
        self.life: ControllerRuntime = found
        self.life.manager.work = SideBySide()
        theirs: Sequence[Controller] = (Unhurried(), Overtaken())
        self.life.manager.controllers = {**self.life.manager.controllers, **{one.name: one for one in theirs}}
        self.quiet = quiet
        self.log = EventLog()
        self.names = Names()
        self.written: dict[tuple[str, str], int] = {}  # when it was last written, by kind and key
        self.last_change = 0.0
        self.writes = 0
        self.acted = False  # whether an actor did more than count
        self.with_nodes = False
        self.ends_pods = True  # but while a command writes its next object, which is sooner
        for one in first_objects():
            self.create(one)
        for node in nodes:
            self.create(a_node(node) if isinstance(node, str) else node)
        self.rest()
        self.known = self._pods()
        self.log.take()

    # Time

    @property
    def now(self) -> float:
        return self.simulation.now

    def rest(self, quiet: float | None = None) -> None:
        """Advance until nothing has changed for `quiet` seconds."""
        quiet = (self.quiet if quiet is None else quiet) + _LOOKED_EVERY
        self.last_change = self.now
        self.turn()
        while True:
            end = self.last_change + quiet
            at = self._next_time(end)
            if at > end:
                self._advance(max(end, self.now))
                return
            self._advance(max(at, self.now))
            self.turn()

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        self.turn()
        while (at := self._next_time(end)) <= end:
            self._advance(max(at, self.now))
            self.turn()
        self._advance(end)

    def _next_time(self, until: float) -> float:
        return min(self.life.next_time(until), float(self.simulation.cluster.queue.next_time(until)))

    def _advance(self, until: float) -> None:
        self._read(self.simulation.advance(until))

    def turn(self, is_new: bool = False) -> None:
        """Run everything that is due: controllers, kubelets, the scheduler.

        `is_new`: a Pod was just created, to which controllers and the scheduler react equally fast.
        """
        if not is_new:
            self._try_waiting()
        while True:
            self._read(self.simulation.settle())
            if self.simulation.cluster.queue.can_pop:
                self._read(self.simulation.attempt())
            elif not self._end_deleted() and not self._untaint() and not self._add_missing():
                return

    def glance(self) -> None:
        """Run what is due between two writes that follow each other at once.

        Objects that controllers create wait for the next `turn`.
        """
        self._try_waiting()
        self._read(self.simulation.settle())

    def _try_waiting(self) -> None:
        """Let the scheduler try a Pod that a write helps, before a controller reacts to the write."""
        while self.simulation.cluster.queue.can_pop:
            self.simulation.attempting = True  # at once: the time of an attempt is that of controllers as well
            self._read(self.simulation.attempt())

    def _read(self, records: Iterator[Record]) -> None:
        for record in records:
            for event in record.data.get("events", ()):
                self._tell(event)
            for _, kind, at, manifest in record.manifests:
                if kind == "Namespace" and manifest is None:
                    self.log.forget(at)
            if record.manifests or record.data.get("events"):
                self.last_change = self.now
            self.acted = self.acted or (record.data.get("actor") not in _WATCHING and "reason" in record.data)
            for _, kind, at, _ in record.manifests:
                self.writes += 1
                self.written[kind, at] = self.writes

    def _tell(self, event: Mapping[str, Any]) -> None:
        found = self.life.manager.objects.get(event["kind"], event["object"])
        version = self.written.get((event["kind"], event["object"]), 0) if event["kind"] == "Pod" else 0
        inside = self.life.manager.objects.get("Namespace", event["object"].rpartition("/")[0])
        about = {**event, "uid": "" if found is None else uid(found), "version": version}
        self.log.add(about, self.now, inside is not None and is_deleted(inside))

    def _end_deleted(self) -> bool:
        """Remove terminating Pods one by one, as the recorder's kubelet does; schedulers were faster."""
        if not self.ends_pods:
            return False
        for pod in self.life.manager.objects.of_kind("Pod"):
            if is_deleted(pod) and meta(pod).get("deletionGracePeriodSeconds"):
                api = self.api()
                api.delete(pod, grace=0)
                self.write(api)
                return True
        return False

    def _untaint(self) -> bool:
        """Remove the taint of new Nodes, as the recorder did."""
        for node in self.life.manager.objects.of_kind("Node"):
            taints = spec(node).get("taints") or ()
            if NOT_READY in taints and not self.simulation.cluster.queue.can_pop:
                api = self.api()
                left = [one for one in taints if one != NOT_READY]
                api.update({**node, "spec": {**spec(node), "taints": left}})
                self.write(api)
                return True
        return False

    def _add_missing(self) -> bool:
        """Create the service account and the CA certificate of each namespace."""
        found = missing(self.life.manager.view(self.life.now))
        if found is None:
            return False
        api = self.api()
        api.create(found)
        self.write(api)
        return True

    # Writing

    def api(self) -> Api:
        return self.life.api()

    def write(self, api: Api) -> None:
        self.life.carry_out(api.changes)
        self._read(iter([self.simulation.record("objects")]))

    def create(self, given: Manifest) -> Manifest:
        """Create an object. Raises Refused."""
        api = self.api()
        if namespace(given) and api.get("Namespace", namespace(given)) is None:
            raise WriteRefused(f'namespaces "{namespace(given)}" not found', "NotFound")
        if given.get("kind") == "Node":
            taints = [*(spec(given).get("taints") or ()), NOT_READY]
            given = {**given, "spec": {**spec(given), "taints": taints}}
        made = api.create(given)
        self.write(api)
        self.turn(is_new=made["kind"] == "Pod")
        return made

    def kubelet(self, how: str, count: int | None, named: str | None, code: int) -> int:
        """Apply a step of the kubelet; return the number of changed Pods."""
        pods = [pod for pod in self.life.manager.objects.of_kind("Pod") if kubelet.may_change(pod, how, named)]
        self.acted = False
        pods.sort(key=lambda pod: self.written.get(("Pod", key(pod)), 0))
        for one in pods[:count]:
            pod = self.life.manager.objects.get("Pod", key(one))
            if pod is None:
                continue
            api = self.api()
            api.update_status(pod, kubelet.changed(pod, how, code, self.life.now)["status"])
            self.write(api)
            if not self.acted:
                # A controller that has something to do is at work on it while the other pods follow.
                self.turn()
        return len(pods[:count])

    # Looking

    def _pods(self) -> dict[str, list[Any]]:
        """Return name, phase, readiness and Node by uid."""
        return {
            uid(pod): [name(pod), phase(pod), is_ready(pod), node_of(pod) or None]
            for pod in self.life.manager.objects.of_kind("Pod")
        }

    def look(self) -> dict[str, Any]:
        """Return the state that a recording stores after a step, with its names for random values."""
        view = self.life.manager.view(self.life.now)
        self.names.know_owners(name(one) for kind in _OWNERS for one in view.of_kind(kind))
        state = state_of(view, self.with_nodes)
        pods, before = self._pods(), self.known
        self.known = pods
        width = 4 if self.with_nodes else 3
        return {
            "podsCreated": sorted(self.names.plain(pods[one][0]) for one in pods.keys() - before.keys()),
            "podsGone": self.names.plain_in(_sorted([before[one][:width] for one in before.keys() - pods.keys()])),
            "events": self.log.take(),
            "state": self.names.plain_in(state),
        }

    def events_of(self, found: Sequence[Event]) -> list[dict[str, Any]]:
        """Return Events in the form of a recording: equal ones once, with their number."""
        counted: dict[tuple[Any, ...], int] = {}
        for event in found:
            if event.reason == "Scheduled" and not self.with_nodes:
                continue
            plain = self.names.plain
            line = (plain(event.object), event.type, event.reason, plain(event.message), event.by, event.count)
            counted[line] = counted.get(line, 0) + 1
        fields = ("object", "type", "reason", "message", "from", "count")
        return [{**dict(zip(fields, line, strict=True)), "times": times} for line, times in sorted(counted.items())]


def _sorted(found: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return sorted(found, key=str)


def a_node(named: str) -> dict[str, Any]:
    """Return the Node that a recording means by a name alone."""
    capacity = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": named, "labels": {"kubernetes.io/hostname": named}},
        "spec": {},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }


def quiet_of(texts: Sequence[str]) -> float:
    """Return how long a recorder waited: longer with Jobs, whose controller batches changes for a second."""
    has_jobs = any("kind: Job" in text or "kind: CronJob" in text for text in texts)
    return QUIET_FOR_JOBS if has_jobs else QUIET


def in_namespace(obj: Manifest, namespaced: bool, inside: str) -> Manifest:
    """Return the object in the command's namespace, unless it names another."""
    return obj if not namespaced or namespace(obj) else with_meta(obj, namespace=inside)
