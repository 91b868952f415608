"""InFlight: the pods that are being scheduled, and the events during their attempts.

Source: pkg/scheduler/backend/queue/active_queue.go inFlightPods, inFlightEvents.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kube_objects.pod import Pod
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource

_OLD_ALL, _OLD_UPDATE = 0b1111_1111_1111, 0b1111_1111_1100


@dataclass(slots=True, frozen=True)
class InFlightEvent:
    event: ClusterEvent
    old: Any
    new: Any


class InFlight:
    """The pods in flight, and each event since the oldest of them was popped."""

    def __init__(self) -> None:
        self._pods: dict[str, tuple[int, str]] = {}  # uid → (events seen before it was popped, pod key), oldest first
        self._events: deque[InFlightEvent] = deque()
        self._dropped = 0  # events before the first of `_events`

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def __len__(self) -> int:
        return len(self._pods)

    def pod_keys(self) -> list[str]:
        """Return `namespace/name` of the pods, in the order in which they were popped."""
        return [key for _, key in self._pods.values()]

    def start(self, pod: Pod) -> None:
        self._pods[pod.uid] = (self._dropped + len(self._events), pod.key)

    def record(self, event: ClusterEvent, old: Any, new: Any) -> None:
        if self._pods:
            self._events.append(InFlightEvent(event, old, new))

    def events_since(self, uid: str) -> Iterator[InFlightEvent]:
        """Return the events since the pod was popped, in order."""
        return islice(self._events, self._pods[uid][0] - self._dropped, None)

    def done(self, uid: str) -> str | None:
        """Remove the pod and the events that only it needed; return its key, or None if it isn't in flight."""
        entry = self._pods.pop(uid, None)
        if entry is None:
            return None
        end = self._dropped + len(self._events)
        needed = next(iter(self._pods.values()))[0] if self._pods else end
        for _ in range(needed - self._dropped):
            self._events.popleft()
        self._dropped = needed
        return entry[1]

    def dump(self, encode: Callable[[Any], Any]) -> dict[str, Any]:
        """Return JSON-ready data; `encode` turns an object into JSON-ready data."""
        return {
            "pods": [[uid, start - self._dropped, key] for uid, (start, key) in self._pods.items()],
            "events": [
                {
                    "resource": stored.event.resource.value,
                    "action": stored.event.action.name,
                    "label": stored.event.custom_label,
                    "old": None if stored.old is None else encode(stored.old),
                    "new": None if stored.new is None else encode(stored.new),
                }
                for stored in self._events
            ],
        }

    def load(self, data: Mapping[str, Any], decode: Callable[[Any], Any]) -> None:
        """Load the data of `dump` into an empty instance."""
        self._pods = {uid: (start, key) for uid, start, key in data["pods"]}
        for stored in data["events"]:
            event = ClusterEvent(EventResource(stored["resource"]), _action(stored["action"]), stored["label"])
            old, new = (None if stored[side] is None else decode(stored[side]) for side in ("old", "new"))
            self._events.append(InFlightEvent(event, old, new))


def _action(stored: str | int) -> ActionType:
    """Return the action of a stored name; older checkpoints hold numbers from when there were twelve actions."""
    if isinstance(stored, str):
        return ActionType[stored]
    return {_OLD_ALL: ActionType.ALL, _OLD_UPDATE: ActionType.UPDATE}.get(stored) or ActionType(stored)
