"""A queue whose clock tests set, with a node plugin, a volume plugin, a gate, and a log of the moves."""

from collections.abc import Sequence
from typing import Any

from kube_objects.pod import Pod
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, PermitPlugin, PermitResult, Plugin
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.plugins.scheduling_gates.plugin import SchedulingGates
from scheduler_core.queue.backoff import BackoffSettings
from scheduler_core.queue.hints import build_hint_map
from scheduler_core.queue.moves import QueueMove
from scheduler_core.queue.scheduling_queue import SchedulingQueue

PROFILE = "default-scheduler"
NODE_ADD = ClusterEvent(EventResource.NODE, ActionType.ADD)
NODE_LABEL = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_LABEL)
PV_ADD = ClusterEvent(EventResource.PERSISTENT_VOLUME, ActionType.ADD)
CSI_ADD = ClusterEvent(EventResource.CSI_NODE, ActionType.ADD)


class Picky(FilterPlugin, EnqueueExtensions):
    """A plugin that queues Pods for new Nodes named by their label `wants`, and for their own new labels."""

    name = "Picky"

    def filter(self, state: Any, pod: Pod, nodes: Any) -> Verdicts:
        return Verdicts.all_pass(len(nodes))

    def events_to_register(self) -> list[ClusterEventWithHint]:
        return [
            ClusterEventWithHint(
                ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT), self.hint
            ),
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_LABEL), self.own_update),
        ]

    @staticmethod
    def hint(pod: Pod, old: Any, new: Any) -> QueueingHint:
        return QueueingHint.QUEUE if pod.labels.get("wants") == new.name else QueueingHint.SKIP

    @staticmethod
    def own_update(pod: Pod, old: Any, new: Any) -> QueueingHint:
        return QueueingHint.QUEUE if new.uid == pod.uid else QueueingHint.SKIP


class Gang(PermitPlugin, EnqueueExtensions):
    """A plugin that queues Pods for every new volume; Pods that it rejects count as pending."""

    name = "Gang"

    def permit(self, state: Any, pod: Pod, node_name: str) -> PermitResult:
        return PermitResult()

    def events_to_register(self) -> list[ClusterEventWithHint]:
        return [ClusterEventWithHint(PV_ADD), ClusterEventWithHint(NODE_ADD)]


class Nosy(PermitPlugin):
    """A plugin that registers no events, so that every event queues its Pods."""

    name = "Nosy"

    def permit(self, state: Any, pod: Pod, node_name: str) -> PermitResult:
        return PermitResult()


DEFAULT_PLUGINS = (SchedulingGates(), Picky(), Gang())


class Rig:
    """A queue with its clock and log. `live` has the stored Pods by key."""

    def __init__(self, initial: int = 1, maximum: int = 10, plugins: Sequence[Plugin] = DEFAULT_PLUGINS) -> None:
        self.time = 0.0
        self.live: dict[str, Pod] = {}
        self.moves: list[QueueMove] = []
        self.plugins = plugins
        self.settings = BackoffSettings(initial, maximum)
        self.queue = self.new_queue()

    def new_queue(self) -> SchedulingQueue:
        return SchedulingQueue(
            now=lambda: self.time,
            sort_key=PrioritySort().sort_key,
            hint_maps={PROFILE: build_hint_map(self.plugins)},
            pre_enqueue={PROFILE: [SchedulingGates()]},
            find_pod=self.live.get,
            on_move=self.moves.append,
            backoff=self.settings,
        )

    def to(self, time: float) -> None:
        self.time = time
        self.queue.advance_to(time)

    def add(self, pod: Pod) -> None:
        self.live[pod.key] = pod
        self.queue.add(pod)

    def fail(self, pod: Pod, *plugins: str, pending: tuple[str, ...] = ()) -> QueuedPodInfo:
        """Add the Pod, pop it (the queue must have no Pod before it) and let its attempt fail at once."""
        self.add(pod)
        queued = self.pop(pod)
        self.back(queued, *plugins, pending=pending)
        return queued

    def pop(self, pod: Pod) -> QueuedPodInfo:
        queued = self.queue.pop()
        assert queued is not None
        assert queued.pod.key == pod.key
        return queued

    def back(self, queued: QueuedPodInfo, *plugins: str, pending: tuple[str, ...] = ()) -> None:
        queued.unschedulable_plugins, queued.pending_plugins = set(plugins), set(pending)
        self.queue.add_unschedulable(queued)

    def contents(self) -> dict[str, list[str]]:
        """Return the Pods' names in every sub-queue that isn't empty."""
        queue = self.queue
        waiting = queue.unschedulable()
        lanes = {
            "active": [queued.pod.name for queued in queue.active()],
            "backoff": [queued.pod.name for queued in queue.backoff()],
            "errorBackoff": [queued.pod.name for queued in queue.error_backoff()],
            "unschedulable": [queued.pod.name for queued in waiting if not queued.gated],
            "gated": [queued.pod.name for queued in waiting if queued.gated],
            "inFlight": [key.split("/")[1] for key in queue.in_flight()],
        }
        return {lane: names for lane, names in lanes.items() if names}

    def log(self) -> list[str]:
        """Return the moves since the last call in readable form: `web: active > inFlight (Pop)`."""
        lines = []
        for move in self.moves:
            source, target = (lane.value or "-" for lane in (move.source, move.target))
            said = f" {move.plugin}={move.hint.value}" if move.hint else ""
            during = f" during {move.during_attempt}" if move.during_attempt else ""
            lines.append(f"{move.pod_key.split('/')[1]}: {source} > {target} ({move.event}{said}{during})")
        self.moves.clear()
        return lines
