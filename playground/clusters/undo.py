"""Undo and redo: the inverse of a change is a new command, so that nothing of the history is ever rewritten."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from kube_objects.sentences import say, unpacked
from playground.clusters import commands
from playground.models import BeforeChange, Cluster, Command, CommandState
from playground.problems import Refused, problem
from playground.store.changes import changes_of_one
from scheduler_core.emulations import EMULATIONS
from simulator.simulation.commands.table import COMMANDS


def undo(cluster_id: int, key: str | None = None, author: str = "") -> Command:
    """Take back the last change. Raises Refused, with status 409, when there is none or it is not applied yet."""
    return _take_back(cluster_id, key, author, "undo")


def redo(cluster_id: int, key: str | None = None, author: str = "") -> Command:
    """Take back the last undo, as long as nothing was changed since. Raises Refused as `undo`."""
    return _take_back(cluster_id, key, author, "redo")


@transaction.atomic
def _take_back(cluster_id: int, key: str | None, author: str, what: str) -> Command:
    # Two requests at the same time take back two changes.
    Cluster.objects.select_for_update().get(pk=cluster_id)
    if key is not None and (known := Command.objects.filter(cluster_id=cluster_id, key=key).first()):
        if known.undoes is None:
            raise Refused(
                [problem("key", say("was used for command {number}, which is another one", number=known.number), key)],
                409,
            )
        return known
    changes = changes_of_one(cluster_id)
    command = changes.to_undo if what == "undo" else changes.to_redo
    if command is None:
        nothing = say("there is nothing to undo") if what == "undo" else say("there is nothing to redo")
        raise Refused([problem("", nothing)], 409)
    if command.state in (CommandState.QUEUED, CommandState.RUNNING):
        rule = say("command {number} ({what}) is not applied yet", number=command.number, what=unpacked(command.what))
        raise Refused([problem("", rule, hint=say("try again when it is"))], 409)
    return commands.submit(cluster_id, _inverse(command), key, author, takes_back=command)


def _inverse(command: Command) -> Mapping[str, Any]:
    found = BeforeChange.objects.filter(cluster_id=command.cluster_id, number=command.number).first()
    if found is None:
        raise Refused([problem("", say("what command {number} changed was not kept", number=command.number))], 409)
    body = found.body
    if "yaml" in body and not body["yaml"]:
        # A cluster's first configuration may be none at all, which is the default one.
        body = {"yaml": EMULATIONS[command.cluster.emulates].default_text}
    inverse = COMMANDS[command.kind].inverse
    assert inverse is not None  # else nothing would have been kept
    return inverse(body)
