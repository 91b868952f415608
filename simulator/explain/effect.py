"""Effect of a change on waiting pods: which ones moved in the queue and by which hint, and why the others stayed."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, TypedDict

from kube_objects.node import Node
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template
from scheduler_core.queue.cluster_events import node_update_events, pod_update_events

HINT_SAYS_NO = Template("{plugins} was asked about {event}, and its hint says that it does not help")
UNASKED = Template("{plugins} rejected it, and does not wait for {event}")
UNCHANGED = Template("{plugins} rejected it, and nothing changed that a scheduler looks at")
IN_PLACE = Template("a scheduler notices tolerations that are added; no cluster lets one be changed in place")
GATED = Template("{plugins} holds it at its gate")

# A waiting pod's place in the queue: `(lane, plugins that rejected it, gate)`.
Place = tuple[str, Collection[str], str]
Manifest = Mapping[str, Any]
# (kind, key, before or None, now or None)
Changed = tuple[str, str, Manifest | None, Manifest | None]
Move = Mapping[str, Any]

STAYS_IN = ("unschedulable", "gated")


Journey = TypedDict("Journey", {"pod": str, "from": str, "to": str, "event": str, "plugin": str, "hint": str})


class Stayed(TypedDict):
    """A pod that did not move. `helps` lists the actions that would make the scheduler try it again."""

    pod: str
    lane: str
    why: Data
    helps: list[Literal["activate", "recreate"]]


def event_labels(changed: Iterable[Changed]) -> list[str]:
    """Return upstream's labels of the events that the changes cause, each once."""
    labels: dict[str, None] = {}
    for kind, _, before, now in changed:
        if before is None or now is None:
            labels[f"{kind}{'Add' if before is None else 'Delete'}"] = None
            continue
        old, new = parse_object(before), parse_object(now)
        if isinstance(old, Node) and isinstance(new, Node):
            labels.update((event.label, None) for event in node_update_events(old, new))
        elif isinstance(old, Pod) and isinstance(new, Pod):
            labels.update((event.label, None) for event in pod_update_events(old, new))
        elif old != new:
            labels[f"{kind}Update"] = None
    return list(labels)


def queue_journeys(moves: Iterable[Move]) -> list[Journey]:
    """Return one journey per waiting pod that changed its place, with the event and the hint that started it."""
    journeys: dict[str, Journey] = {}
    for move in moves:
        if move["from"] == move["to"]:
            continue
        if move["pod"] in journeys:
            journeys[move["pod"]]["to"] = move["to"]
        elif move["from"] != "new":
            journeys[move["pod"]] = {
                "pod": move["pod"],
                "from": move["from"],
                "to": move["to"],
                "event": move.get("event") or "",
                "plugin": move.get("plugin") or "",
                "hint": move.get("hint") or "",
            }
    return [journey for journey in journeys.values() if journey["from"] != journey["to"]]


def explain_stay(pod: str, place: Place, changed: Collection[Changed], moves: Iterable[Move]) -> Stayed:
    """Return the reason why a waiting pod kept its place, and what would help."""
    lane, rejectors, gate = place
    own = [change for change in changed if change[:2] == ("Pod", pod)]
    helps: list[Literal["activate", "recreate"]] = ["recreate"] if own else []
    if lane == "gated":
        return {"pod": pod, "lane": lane, "why": GATED(plugins=gate or ", ".join(rejectors)), "helps": helps}
    return {"pod": pod, "lane": lane, "why": _why(pod, rejectors, own, changed, moves), "helps": ["activate", *helps]}


def _why(
    pod: str, rejectors: Collection[str], own: Collection[Changed], changed: Collection[Changed], moves: Iterable[Move]
) -> Data:
    skipped = [move for move in moves if move["pod"] == pod and move["from"] == move["to"]]
    if skipped:
        plugins = dict.fromkeys(str(move["plugin"]) for move in skipped if move.get("plugin"))
        return HINT_SAYS_NO(plugins=", ".join(plugins), event=str(skipped[0]["event"]))
    if any(_changed_tolerations(before, now) for _, _, before, now in own):
        return IN_PLACE()
    events = event_labels(own or changed)
    names = ", ".join(rejectors)
    return UNASKED(plugins=names, event=", ".join(events)) if events else UNCHANGED(plugins=names)


def _changed_tolerations(before: Manifest | None, now: Manifest | None) -> bool:
    """Return True if tolerations were changed in place: same number, other content."""
    was, is_now = (((manifest or {}).get("spec") or {}).get("tolerations") or [] for manifest in (before, now))
    return len(was) == len(is_now) and was != is_now
