"""Queueing hints: the plugins that registered for an event, and their hints for a pod that they rejected.

Source: pkg/scheduler/scheduler.go buildQueueingHintMap, pkg/scheduler/framework/runtime/framework.go
fillEnqueueExtensions, pkg/scheduler/backend/queue/scheduling_queue.go isPodWorthRequeuing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from kube_objects.defects import PASSED_ON, raise_defect
from kube_objects.pod import Pod
from scheduler_core.framework.events import (
    ActionType,
    ClusterEvent,
    ClusterEventWithHint,
    EventResource,
    QueueingHint,
    QueueingHintFn,
)
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    ReservePlugin,
)
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import PluginError
from scheduler_core.queue.cluster_events import is_wildcard, matches

QueueingHintMap = Mapping[ClusterEvent, Sequence[tuple[str, QueueingHintFn]]]

# The plugin name that stands for extenders that rejected a pod.
EXTENDER_NAME = "Extender"
# Only plugins of these extension points register events.
_REJECTING = (PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, ReservePlugin, PermitPlugin)
_ALL_EVENTS = tuple(
    ClusterEventWithHint(ClusterEvent(resource, ActionType.ALL))
    for resource in (
        EventResource.POD,
        EventResource.NODE,
        EventResource.PERSISTENT_VOLUME,
        EventResource.PERSISTENT_VOLUME_CLAIM,
        EventResource.CSI_NODE,
        EventResource.CSI_DRIVER,
        EventResource.CSI_STORAGE_CAPACITY,
        EventResource.STORAGE_CLASS,
        EventResource.RESOURCE_CLAIM,
        EventResource.DEVICE_CLASS,
        EventResource.POD_GROUP,
    )
)
# Versions without hints retry every pod after these events: those of assigned pods, not of pods in the queue.
_MOVING_EVENTS = (ClusterEventWithHint(ClusterEvent(EventResource.ASSIGNED_POD, ActionType.ALL)), *_ALL_EVENTS[1:])
_NODE_TAINT = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_TAINT)


def always_queue(pod: Pod, old: Any, new: Any) -> QueueingHint:
    """Return Queue: the hint of an event that was registered without a hint function."""
    return QueueingHint.QUEUE


def build_hint_map(plugins: Iterable[Plugin], has_extenders: bool = False, with_hints: bool = True) -> QueueingHintMap:
    """Return the hint functions of one profile's plugins by event.

    Without `with_hints` every plugin waits for any event.
    """
    hints: dict[ClusterEvent, list[tuple[str, QueueingHintFn]]] = {}
    extensions: list[tuple[str, Sequence[ClusterEventWithHint]]] = []
    if has_extenders:
        extensions.append((EXTENDER_NAME, _ALL_EVENTS))
    for plugin in plugins:
        if isinstance(plugin, _REJECTING):
            events: Sequence[ClusterEventWithHint] = _ALL_EVENTS if with_hints else _MOVING_EVENTS
            if with_hints and isinstance(plugin, EnqueueExtensions):
                events = plugin.events_to_register()
            extensions.append((plugin.name, events))
    for name, events in extensions:
        node_actions = ActionType(0)
        for registered in events:
            hints.setdefault(registered.event, []).append((name, registered.hint or always_queue))
            if registered.event.resource == EventResource.NODE:
                node_actions |= registered.event.action
        # Upstream's workaround for node additions that its own pre-check used to swallow.
        if node_actions & ActionType.ADD and not node_actions & ActionType.UPDATE_NODE_TAINT:
            hints.setdefault(_NODE_TAINT, []).append((name, always_queue))
    return hints


class QueueingStrategy(IntEnum):
    """Upstream's queueingStrategy."""

    SKIP = 0
    AFTER_BACKOFF = 1
    IMMEDIATELY = 2


@dataclass(slots=True, frozen=True)
class RequeueDecision:
    """The strategy for a pod. `hints` are the answers behind it: the one that queued it, or all that said Skip."""

    requeue: QueueingStrategy
    hints: tuple[tuple[str, QueueingHint], ...] = ()


class Hints:
    """The hint functions of all profiles, keyed by schedulerName. Exceptions of hint functions go to `on_defect`."""

    def __init__(
        self, by_profile: Mapping[str, QueueingHintMap], on_defect: Callable[[Exception], None] = raise_defect
    ) -> None:
        self._by_profile = by_profile
        self._on_defect = on_defect
        self._answering: dict[ClusterEvent, dict[str, list[tuple[str, QueueingHintFn]]]] = {}
        self._interested: dict[ClusterEvent, Collection[str]] = {}
        self._gating_events: dict[str, list[ClusterEvent]] = {}
        for hint_map in by_profile.values():
            for event, functions in hint_map.items():
                for plugin, _ in functions:
                    self._gating_events.setdefault(plugin, []).append(event)

    def _for_event(self, event: ClusterEvent) -> dict[str, list[tuple[str, QueueingHintFn]]]:
        """Return profile → (plugin, hint function) of all that registered for `event`; computed once per event."""
        answering = self._answering.get(event)
        if answering is None:
            answering = self._answering[event] = {}
            for profile, hint_map in self._by_profile.items():
                functions = [
                    function
                    for registered, registrations in hint_map.items()
                    if matches(registered, event)
                    for function in registrations
                ]
                if functions:
                    answering[profile] = functions
        return answering

    def interested_plugins(self, event: ClusterEvent) -> Collection[str]:
        """Return the plugins of all profiles that registered for `event`."""
        plugins = self._interested.get(event)
        if plugins is None:
            answering = self._for_event(event).values()
            names = (plugin for functions in answering for plugin, _ in functions)
            plugins = self._interested[event] = tuple(dict.fromkeys(names))
        return plugins

    def plugins_to_ask(self, queued: QueuedPodInfo) -> Collection[str]:
        """Return the plugins whose hints decide about the pod; none if any event moves it."""
        return queued.rejectors if queued.pod.scheduler_name in self._by_profile else ()

    def may_ungate(self, queued: QueuedPodInfo, event: ClusterEvent) -> bool:
        """Return True if the plugin that gates the pod registered for `event` in any profile."""
        return any(matches(registered, event) for registered in self._gating_events.get(queued.gating_plugin, ()))

    def decide(self, queued: QueuedPodInfo, event: ClusterEvent, old: Any, new: Any) -> RequeueDecision:
        """Ask the plugins that rejected the pod whether `event` may help it. Source: isPodWorthRequeuing."""
        rejectors = queued.rejectors
        if not rejectors:
            return RequeueDecision(QueueingStrategy.AFTER_BACKOFF)
        if is_wildcard(event):
            # A wildcard event with a pod as its new object is for that pod alone.
            for_other = new is not None and not (isinstance(new, Pod) and new.uid == queued.pod.uid)
            return RequeueDecision(QueueingStrategy.SKIP if for_other else QueueingStrategy.AFTER_BACKOFF)
        if queued.pod.scheduler_name not in self._by_profile:
            return RequeueDecision(QueueingStrategy.AFTER_BACKOFF)
        return self._ask(queued, self._for_event(event).get(queued.pod.scheduler_name, ()), old, new)

    def _ask(
        self, queued: QueuedPodInfo, functions: Iterable[tuple[str, QueueingHintFn]], old: Any, new: Any
    ) -> RequeueDecision:
        """Combine the plugins' hints: Queue of a pending plugin beats Queue of a rejecting plugin, which beats Skip."""
        rejectors = queued.rejectors
        decision: RequeueDecision | None = None
        skips: list[tuple[str, QueueingHint]] = []
        for plugin, function in functions:
            if plugin not in rejectors:
                continue
            try:
                hint = function(queued.pod, old, new)
            except PASSED_ON:
                raise
            except Exception as error:
                hint = QueueingHint.QUEUE  # a pod must not get stuck because of a failing hint
                if not isinstance(error, PluginError):
                    self._on_defect(error)
            if hint == QueueingHint.SKIP:
                skips.append((plugin, hint))
                continue
            if plugin in queued.pending_plugins:
                return RequeueDecision(QueueingStrategy.IMMEDIATELY, ((plugin, hint),))
            decision = decision or RequeueDecision(QueueingStrategy.AFTER_BACKOFF, ((plugin, hint),))
            if not queued.pending_plugins:
                return decision
        return decision or RequeueDecision(QueueingStrategy.SKIP, tuple(skips))
