"""Undo and redo. The inverse of a change is a new command, so history is never rewritten."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from django.db import transaction

from kube_objects.sentences import say, unpacked
from playground.clusters import commands
from playground.models import BeforeChange, Cluster, Command, CommandState
from playground.problems import Refused, problem
from playground.store.undo_stacks import next_change_set
from scheduler_core.emulations import EMULATIONS
from simulator.simulation.commands.table import COMMANDS


class UndoAccepted(commands.CommandAccepted):
    """The last command that undoes or redoes a change set. `changes` is the number of these commands."""

    changes: int


@transaction.atomic
def queue_undo(cluster_id: int, way: Literal["undo", "redo"], key: str | None = None, author: str = "") -> UndoAccepted:
    """Queue the inverses of the last change set, or of the last undo for a redo.

    Raise Refused, with status 409, if there is none, or if one of its commands is not applied yet.
    """
    # With the lock, two simultaneous requests take back two change sets.
    cluster = Cluster.objects.select_for_update().get(pk=cluster_id)
    if key is not None and (known := Command.objects.filter(cluster_id=cluster_id, key=key).first()):
        return _accepted_before(known)
    change_set = next_change_set(cluster_id, way)
    if not change_set:
        nothing = say("nothing to undo") if way == "undo" else say("nothing to redo")
        raise Refused([problem("", nothing)], 409)
    for command in change_set:
        if command.state in (CommandState.QUEUED, CommandState.RUNNING):
            what = unpacked(command.what)
            rule = say("command {number} ({what}) is not applied yet", number=command.number, what=what)
            raise Refused([problem("", rule, hint=say("try again when it is"))], 409)
    last = commands.submit_inverses(cluster_id, _inverses(cluster, change_set), way, key, author)
    return {"number": last.number, "state": last.state, "changes": len(change_set)}


def _accepted_before(known: Command) -> UndoAccepted:
    """Return the answer to the first request with this key. Raise Refused if that was no undo or redo."""
    if known.undoes is None and known.redoes is None:
        rule = say("was used for a different command: {number}", number=known.number)
        raise Refused([problem("key", rule)], 409)
    # The commands of one undo are queued in one transaction, in descending order of the changes.
    column, first = ("undoes", known.undoes) if known.undoes is not None else ("redoes", known.redoes)
    taken = Command.objects.filter(cluster_id=known.cluster_id, change_set=known.change_set, number__lte=known.number)
    changes = taken.filter(**{f"{column}__gte": first}).count() if known.change_set else 1
    return {"number": known.number, "state": known.state, "changes": changes}


def _inverses(cluster: Cluster, change_set: Sequence[Command]) -> list[commands.Inverse]:
    numbers = [command.number for command in change_set]
    rows = BeforeChange.objects.filter(cluster_id=cluster.pk, number__in=numbers)
    bodies: Mapping[int, Any] = {row.number: row.body for row in rows}
    inverses = []
    for command in change_set:
        body = bodies.get(command.number)
        if body is None:
            raise Refused(
                [
                    problem(
                        "",
                        say(
                            "command {number} cannot be undone, because its changes were not stored",
                            number=command.number,
                        ),
                    )
                ],
                409,
            )
        if "yaml" in body and not body["yaml"]:
            # The first configuration of a cluster may be empty, which stands for the default one.
            body = {"yaml": EMULATIONS[cluster.emulates].default_text}
        inverse = COMMANDS[command.kind].inverse
        assert inverse is not None  # only commands with an inverse store undo data
        inverses.append(commands.Inverse(command, inverse(body)))
    return inverses
