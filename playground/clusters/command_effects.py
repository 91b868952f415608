"""The effects of a command on pending Pods."""

import json
from typing import Any, TypedDict

from django.db.models import Sum

from playground.models import FOREVER, BeforeChange, ClusterObject, Command, CommandState, PodState
from playground.store.batched_rows import RECORDS
from playground.store.undo_stacks import Change, describe_change
from simulator.explain import effect
from simulator.explain.effect import Changed, Journey, Stayed

MOST_NAMED = 10
# A change with more objects is an import, which needs no effects per object.
MOST_CHANGED = 50
MOST_RECORDS = 100


class Remaining(TypedDict):
    """A Pod that a drain leaves on its Node, with the reason."""

    pod: str
    reason: str


class Effect(Change):
    moved: list[Journey]
    moved_total: int
    stayed: list[Stayed]
    stayed_total: int
    remaining: list[Remaining]
    remaining_total: int


def describe_effect(cluster_id: int, number: int) -> Effect | None:
    """Return the answer of `commands/{number}/effect/`, or None for a command that does not exist or is not done."""
    command = Command.objects.filter(cluster_id=cluster_id, number=number).defer("payload").first()
    if command is None or command.state != CommandState.DONE:
        return None
    records = _records(cluster_id, command)
    moves = [move for record in records for move in record.get("moves", ())]
    remaining = [pod for record in records for pod in record.get("kept", ())]
    changed = _read_changed_pods(cluster_id, number)
    moved = effect.queue_journeys(moves)
    stayed = _list_stayed(cluster_id, changed, moves, bool(moved))
    return {
        **describe_change(command),
        "moved": moved[:MOST_NAMED],
        "moved_total": len(moved),
        "stayed": stayed[:MOST_NAMED],
        "stayed_total": len(stayed),
        "remaining": remaining[:MOST_NAMED],
        "remaining_total": len(remaining),
    }


def _records(cluster_id: int, command: Command) -> list[dict[str, Any]]:
    earlier = Command.objects.filter(cluster_id=cluster_id, number__lt=command.number)
    first = (earlier.aggregate(Sum("records"))["records__sum"] or 0) + 1
    last = first + min(command.records, MOST_RECORDS) - 1
    return [json.loads(body) for _, body in RECORDS.iterate_range(cluster_id, first, last)]


def _read_changed_pods(cluster_id: int, number: int) -> list[Changed]:
    """Return the changed objects, each with its manifest before the change and its current manifest."""
    row = BeforeChange.objects.filter(cluster_id=cluster_id, number=number).first()
    before = [] if row is None else row.body.get("objects", [])[:MOST_CHANGED]
    changed: list[Changed] = []
    for kind, key, manifest in before:
        now = ClusterObject.objects.filter(cluster_id=cluster_id, kind=kind, key=key)
        changed.append((kind, key, manifest, now.values_list("manifest", flat=True).first()))
    return changed


def _list_stayed(cluster_id: int, changed: list[Changed], moves: list[dict[str, Any]], has_moved: bool) -> list[Stayed]:
    """Return pending Pods that were changed, or considered by a queueing hint, but stayed.

    If no Pod moved, return all pending Pods.
    """
    waiting = PodState.objects.filter(cluster_id=cluster_id, until=FOREVER, lane__in=effect.STAYS_IN).order_by("pk")
    concerned = {key for kind, key, _, _ in changed if kind == "Pod"}
    concerned |= {move["pod"] for move in moves if move["from"] == move["to"]}
    if concerned or has_moved:
        waiting = waiting.filter(pod__in=concerned)
    if not changed and not moves:
        return []
    own_first = sorted(waiting, key=lambda state: ("Pod", state.pod) not in {each[:2] for each in changed})
    return [effect.explain_stay(s.pod, (s.lane, s.plugins, s.gate), changed, moves) for s in own_first]
