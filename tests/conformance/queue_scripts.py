"""Run a queue script (FORMAT section 3): the content of every sub-queue after every operation."""

from collections.abc import Callable, Mapping
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object, parse_pod
from kube_objects.pod import Pod
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.backoff import BackoffSettings
from scheduler_core.queue.cluster_events import ASSIGNED_POD_ADD
from scheduler_core.queue.event_handlers import EventHandlers
from scheduler_core.queue.hints import build_hint_map
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from simulator.upgrade.vector_cluster import VectorCluster, load_config

Op = Mapping[str, Any]
Fields = dict[str, Any]

_ACTIONS = {"add": ActionType.ADD, "update": ActionType.UPDATE, "delete": ActionType.DELETE}
# Events that go through the handlers, to the cache too; all others are given to the queue as they are.
_CACHED = {"Node": "Node", "AssignedPod": "Pod"}


class OpError(Exception):
    """Raised if the operation does not apply, and did nothing."""


def run(scenario: Mapping[str, Any], emulation: Emulation) -> Fields:
    """Return the queue's content after each operation, in the form of `expected`."""
    script = Script(scenario, emulation)
    return {"name": scenario["name"], "states": [script.step(op) for op in scenario["ops"]]}


class Script:
    """One queue, driven by operations on a clock of whole milliseconds."""

    def __init__(self, scenario: Mapping[str, Any], emulation: Emulation) -> None:
        config = load_config(scenario["config"], emulation)
        cluster = VectorCluster(scenario["objects"], config, emulation)
        frameworks = cluster.scheduler.frameworks
        self._store = cluster.store
        self._cache = cluster.cache
        self._milliseconds = 0
        self._popped: dict[str, QueuedPodInfo] = {}
        self._pops: list[str] = []  # keys in the order of the pops
        self._queue = SchedulingQueue(
            now=self._now,
            sort_key=frameworks[config.profiles[0].scheduler_name].queue_sort[0].sort_key,
            hint_maps={name: build_hint_map(framework.plugins.values()) for name, framework in frameworks.items()},
            pre_enqueue={name: framework.pre_enqueue for name, framework in frameworks.items()},
            find_pod=self._find_pod,
            on_move=lambda move: None,
            backoff=BackoffSettings(config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds),
        )
        traits = emulation.traits
        self._handlers = EventHandlers(cluster.cache, self._queue, frameworks.keys(), lambda uid: False, traits)
        self._ops: Mapping[str, Callable[[Op], Fields]] = {
            "add": self._update,
            "update": self._update,
            "delete": self._delete,
            "pop": self._pop,
            "unschedulable": self._fail,
            "error": self._fail,
            "bind": self._bind,
            "activate": self._activate,
            "advance": self._advance,
            "event": self._event,
        }

    def step(self, op: Op) -> Fields:
        self._pass_time(1)
        results: Fields = {}
        try:
            if str(op.get("pod")).startswith("@"):
                op = dict(op, pod=self._resolve(op["pod"]))
                results["target"] = op["pod"]
            results |= self._ops[op["op"]](op)
        except OpError as error:
            results["error"] = str(error)
        return {"now": self._now()} | results | self._state()

    def _now(self) -> float:
        return self._milliseconds / 1000

    def _pass_time(self, milliseconds: int) -> None:
        self._milliseconds += milliseconds
        self._queue.advance_to(self._now())

    def _find_pod(self, key: str) -> Pod | None:
        found = self._store.get("Pod", key)
        return found if isinstance(found, Pod) else None

    def _known_pod(self, key: str) -> Pod:
        pod = self._find_pod(key)
        if pod is None:
            raise OpError("unknown pod")
        return pod

    def _resolve(self, name: str) -> str:
        """Return the key of `@oldest` or `@newest`.

        As in the recording program, a pod that is popped again before the name is resolved keeps its position, unless
        it was deleted meanwhile.
        """
        in_flight = self._queue.in_flight()
        self._pops = [key for key in self._pops if key in in_flight]
        if not self._pops:
            raise OpError("pod is not in flight")
        return self._pops[0 if name == "@oldest" else -1]

    def _in_flight(self, key: str) -> QueuedPodInfo:
        if key not in self._queue.in_flight():
            raise OpError("pod is not in flight")
        return self._popped[key]

    # Operations

    def _update(self, op: Op) -> Fields:
        pod = parse_pod(op["pod"])
        old = None if op["op"] == "add" else self._known_pod(pod.key)
        self._store.put(pod)
        self._handlers.handle(old, pod)
        return {}

    def _delete(self, op: Op) -> Fields:
        pod = self._known_pod(op["pod"])
        self._store.remove("Pod", pod.key)
        self._handlers.handle(pod, None)
        if pod.key not in self._queue.in_flight():
            self._pops = [key for key in self._pops if key != pod.key]
        return {}

    def _pop(self, op: Op) -> Fields:
        queued = self._queue.pop()
        if queued is None:
            return {"popped": ""}
        self._popped[queued.pod.key] = queued
        self._pops.append(queued.pod.key)
        return {"popped": queued.pod.key}

    def _fail(self, op: Op) -> Fields:
        queued = self._in_flight(op["pod"])
        queued.unschedulable_plugins = set(op.get("plugins", ()))
        queued.pod = self._find_pod(queued.pod.key) or queued.pod
        self._queue.add_unschedulable(queued)
        return {}

    def _bind(self, op: Op) -> Fields:
        pod = self._find_pod(self._in_flight(op["pod"]).pod.key)
        if pod is None:
            raise OpError("pod is not in flight")
        self._queue.done(pod.uid)
        # The script goes on with the version without a node, and may even bind that one again.
        if pod.uid in self._cache:
            self._queue.move_all(ASSIGNED_POD_ADD, None, pod.with_node(op["node"]))
        else:
            self._handlers.handle(None, pod.with_node(op["node"]))
        return {}

    def _activate(self, op: Op) -> Fields:
        self._queue.activate([pod for key in op["pods"] if (pod := self._find_pod(key))])
        return {}

    def _advance(self, op: Op) -> Fields:
        self._pass_time(round(op["seconds"] * 1000))
        return {}

    def _event(self, op: Op) -> Fields:
        old, new = (None if op.get(side) is None else parse_object(op[side]) for side in ("old", "new"))
        kind = _CACHED.get(op["resource"])
        if kind is None:
            self._queue.move_all(ClusterEvent(EventResource(op["resource"]), _ACTIONS[op["action"]]), old, new)
            return {}
        self._handlers.handle(self._replace(kind, old, new), new)
        return {}

    def _replace(self, kind: str, old: KubeObject | None, new: KubeObject | None) -> KubeObject | None:
        """Store `new` in place of the last seen version, which is returned."""
        obj = new or old
        assert obj is not None
        return self._store.put(new) if new else self._store.remove(kind, obj.key)

    # State

    def _state(self) -> Fields:
        unschedulable = sorted(self._queue.unschedulable(), key=lambda queued: queued.pod.key)
        errors = sorted(self._queue.error_backoff(), key=lambda queued: (queued.backoff_expiry, queued.pod.key))
        return {
            "activeQ": [queued.pod.key for queued in self._queue.active()],
            "backoffQ": [_queued(queued) for queued in self._queue.backoff()],
            "errorBackoffQ": [_queued(queued) for queued in errors],
            "unschedulable": [_queued(queued) for queued in unschedulable],
            "inFlight": sorted(self._queue.in_flight()),
        }


def _queued(queued: QueuedPodInfo) -> Fields:
    fields: Fields = {
        "pod": queued.pod.key,
        "attempts": queued.attempts,
        "unschedulableCount": queued.unschedulable_count,
        "consecutiveErrors": queued.consecutive_errors,
        "backoffExpiry": queued.backoff_expiry,
    }
    lists = {
        "gatingPlugin": queued.gating_plugin,
        "plugins": sorted(queued.unschedulable_plugins),
        "pending": sorted(queued.pending_plugins),
    }
    return fields | {name: value for name, value in lists.items() if value}
