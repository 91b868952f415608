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
from scheduler_core.framework.events import Action, ClusterEvent, EventWithHint, Hint, HintFunction, Resource
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PermitPlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    ReservePlugin,
)
from scheduler_core.framework.queued_pod import QueuedPod
from scheduler_core.framework.status import PluginError
from scheduler_core.queue.cluster_events import is_wildcard, matches

HintMap = Mapping[ClusterEvent, Sequence[tuple[str, HintFunction]]]

# The plugin name that stands for extenders that rejected a pod.
EXTENDER_NAME = "Extender"
# Only plugins of these extension points register events.
_REJECTING = (PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, ReservePlugin, PermitPlugin)
_ALL_EVENTS = tuple(
    EventWithHint(ClusterEvent(resource, Action.ALL))
    for resource in (
        Resource.POD,
        Resource.NODE,
        Resource.PERSISTENT_VOLUME,
        Resource.PERSISTENT_VOLUME_CLAIM,
        Resource.CSI_NODE,
        Resource.CSI_DRIVER,
        Resource.CSI_STORAGE_CAPACITY,
        Resource.STORAGE_CLASS,
        Resource.RESOURCE_CLAIM,
        Resource.DEVICE_CLASS,
        Resource.POD_GROUP,
    )
)
# Versions without hints retry every pod after these events: those of assigned pods, not of pods in the queue.
_MOVING_EVENTS = (EventWithHint(ClusterEvent(Resource.ASSIGNED_POD, Action.ALL)), *_ALL_EVENTS[1:])
_NODE_TAINT = ClusterEvent(Resource.NODE, Action.UPDATE_NODE_TAINT)


def always_queue(pod: Pod, old: Any, new: Any) -> Hint:
    """Return Queue: the hint of an event that was registered without a hint function."""
    return Hint.QUEUE


def build_hint_map(plugins: Iterable[Plugin], has_extenders: bool = False, with_hints: bool = True) -> HintMap:
    """Return the hint functions of one profile's plugins by event.

    Without `with_hints` every plugin waits for any event.
    """
    hints: dict[ClusterEvent, list[tuple[str, HintFunction]]] = {}
    extensions: list[tuple[str, Sequence[EventWithHint]]] = []
    if has_extenders:
        extensions.append((EXTENDER_NAME, _ALL_EVENTS))
    for plugin in plugins:
        if isinstance(plugin, _REJECTING):
            events: Sequence[EventWithHint] = _ALL_EVENTS if with_hints else _MOVING_EVENTS
            if with_hints and isinstance(plugin, EnqueueExtensions):
                events = plugin.events_to_register()
            extensions.append((plugin.name, events))
    for name, events in extensions:
        node_actions = Action(0)
        for registered in events:
            hints.setdefault(registered.event, []).append((name, registered.hint or always_queue))
            if registered.event.resource == Resource.NODE:
                node_actions |= registered.event.action
        # Upstream's workaround for node additions that its own pre-check used to swallow.
        if node_actions & Action.ADD and not node_actions & Action.UPDATE_NODE_TAINT:
            hints.setdefault(_NODE_TAINT, []).append((name, always_queue))
    return hints


class Requeue(IntEnum):
    """Upstream's queueingStrategy."""

    SKIP = 0
    AFTER_BACKOFF = 1
    IMMEDIATELY = 2


@dataclass(slots=True, frozen=True)
class Decision:
    """The strategy for a pod. `hints` are the answers behind it: the one that queued it, or all that said Skip."""

    requeue: Requeue
    hints: tuple[tuple[str, Hint], ...] = ()


class Hints:
    """The hint functions of all profiles, keyed by schedulerName. Exceptions of hint functions go to `on_defect`."""

    def __init__(
        self, by_profile: Mapping[str, HintMap], on_defect: Callable[[Exception], None] = raise_defect
    ) -> None:
        self._by_profile = by_profile
        self._on_defect = on_defect
        self._answering: dict[ClusterEvent, dict[str, list[tuple[str, HintFunction]]]] = {}
        self._interested: dict[ClusterEvent, Collection[str]] = {}
        self._gating_events: dict[str, list[ClusterEvent]] = {}
        for hint_map in by_profile.values():
            for event, functions in hint_map.items():
                for plugin, _ in functions:
                    self._gating_events.setdefault(plugin, []).append(event)

    def _for_event(self, event: ClusterEvent) -> dict[str, list[tuple[str, HintFunction]]]:
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

    def plugins_to_ask(self, queued: QueuedPod) -> Collection[str]:
        """Return the plugins whose hints decide about the pod; none if any event moves it."""
        return queued.rejectors if queued.pod.scheduler_name in self._by_profile else ()

    def may_ungate(self, queued: QueuedPod, event: ClusterEvent) -> bool:
        """Return True if the plugin that gates the pod registered for `event` in any profile."""
        return any(matches(registered, event) for registered in self._gating_events.get(queued.gating_plugin, ()))

    def decide(self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> Decision:
        """Ask the plugins that rejected the pod whether `event` may help it. Source: isPodWorthRequeuing."""
        rejectors = queued.rejectors
        if not rejectors:
            return Decision(Requeue.AFTER_BACKOFF)
        if is_wildcard(event):
            # A wildcard event with a pod as its new object is for that pod alone.
            for_other = new is not None and not (isinstance(new, Pod) and new.uid == queued.pod.uid)
            return Decision(Requeue.SKIP if for_other else Requeue.AFTER_BACKOFF)
        if queued.pod.scheduler_name not in self._by_profile:
            return Decision(Requeue.AFTER_BACKOFF)
        return self._ask(queued, self._for_event(event).get(queued.pod.scheduler_name, ()), old, new)

    def _ask(self, queued: QueuedPod, functions: Iterable[tuple[str, HintFunction]], old: Any, new: Any) -> Decision:
        """Combine the plugins' hints: Queue of a pending plugin beats Queue of a rejecting plugin, which beats Skip."""
        rejectors = queued.rejectors
        decision: Decision | None = None
        skips: list[tuple[str, Hint]] = []
        for plugin, function in functions:
            if plugin not in rejectors:
                continue
            try:
                hint = function(queued.pod, old, new)
            except PASSED_ON:
                raise
            except Exception as error:
                hint = Hint.QUEUE  # a pod must not get stuck because of a failing hint
                if not isinstance(error, PluginError):
                    self._on_defect(error)
            if hint == Hint.SKIP:
                skips.append((plugin, hint))
                continue
            if plugin in queued.pending_plugins:
                return Decision(Requeue.IMMEDIATELY, ((plugin, hint),))
            decision = decision or Decision(Requeue.AFTER_BACKOFF, ((plugin, hint),))
            if not queued.pending_plugins:
                return decision
        return decision or Decision(Requeue.SKIP, tuple(skips))
