"""The changes of a cluster's users that can be undone, and the undos that can be redone.

Both are stacks in the log of commands. An undo pops the changes that it reverts from the first stack, and a redo pops
undos from the second one. A reader starts at the newest command and skips popped ones.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, takewhile
from typing import Literal, NotRequired, TypedDict, cast

from django.db.models import Window
from django.db.models.functions import RowNumber

from kube_objects.sentences import data_of, unpacked
from playground import limits, response_types
from playground.models import Command
from simulator.simulation.reset import KeptChanges, UndoneChanges

_LAST = 2**63 - 1

# A function from a command's number to earlier changes, newest first. It returns an empty sequence at the end.
Read = Callable[[int], Sequence[Command]]


class Change(TypedDict):
    """A user's change. `client` is the program that made it through the Kubernetes API, such as `kubectl/v1.34.5`."""

    number: int
    what: str
    client: NotRequired[str]


class NextChanges(TypedDict):
    """The next change to undo and the next one to redo, or null."""

    can_undo: Change | None
    can_redo: Change | None


class ResetKeeps(KeptChanges):
    """The parts of the cluster that a reset keeps. `more` is the number of changes that are not listed."""

    changes: list[Change]
    more: int


response_types.named("ResetUndoes")(UndoneChanges)


class ResetPlan(TypedDict):
    keeps: ResetKeeps
    undoes: UndoneChanges


def read_undo_stack(read: Read) -> Iterator[Command]:
    """Yield the changes and redos that can be undone, the next one first."""
    return _read_stack(read, "undoes")


def read_redo_stack(read: Read) -> Iterator[Command]:
    """Yield the undos that can be redone, the next one first. A new change ends this stack."""
    return takewhile(lambda command: command.undoes is not None, _read_stack(read, "redoes"))


def _read_stack(read: Read, pops: Literal["undoes", "redoes"]) -> Iterator[Command]:
    before = _LAST
    while commands := read(before):
        for command in commands:
            if command.number >= before:
                continue
            popped: int | None = getattr(command, pops)
            if popped is None:
                yield command
            before = command.number if popped is None else popped


def split_change_sets(stack: Iterator[Command]) -> Iterator[list[Command]]:
    """Yield the parts of a stack that are undone or redone as one."""
    return (list(part) for _, part in groupby(stack, lambda command: command.change_set or command.number))


def next_change_set(cluster_id: int, way: Literal["undo", "redo"]) -> list[Command]:
    """Return the commands that the next undo or redo reverts, in this order, or an empty list."""
    read = read_undo_stack if way == "undo" else read_redo_stack
    return next(split_change_sets(islice(read(changes_reader(cluster_id)), limits.CHANGES_PER_UNDO)), [])


def changes_reader(cluster_id: int) -> Read:
    """Return a function that reads the cluster's changes from the database."""
    return lambda before: Command.objects.select_newest_changes(cluster_id=cluster_id, before=before)


def newest_changes(cluster_id: int) -> Sequence[Command]:
    """Return the last changes of a cluster by users, newest first."""
    return Command.objects.select_newest_changes(cluster_id=cluster_id, before=_LAST)


def next_changes(cluster_id: int) -> NextChanges:
    """Return `can_undo` and `can_redo` of the cluster's state."""
    return _next_changes(cluster_id, Command.objects.find_newest_change(cluster_id=cluster_id))


def next_changes_of_all(cluster_ids: Sequence[int]) -> dict[int, NextChanges]:
    """Return `can_undo` and `can_redo` of several clusters.

    Only clusters whose last command is an undo or redo need queries of their own.
    """
    age = Window(RowNumber(), partition_by="cluster", order_by="-number")
    changes = Command.objects.changes_by_users(cluster_ids).annotate(age=age).filter(age=1)
    last = {command.cluster_id: command for command in changes}
    return {cluster_id: _next_changes(cluster_id, last.get(cluster_id)) for cluster_id in cluster_ids}


def _next_changes(cluster_id: int, last: Command | None) -> NextChanges:
    """Return the changes that can be undone and redone after the cluster's last change, undo or redo."""
    if last is None:
        return {"can_undo": None, "can_redo": None}
    if last.undoes is None and last.redoes is None:
        return {"can_undo": describe_change(last), "can_redo": None}
    to_undo, to_redo = (
        next(map(describe_change, read(changes_reader(cluster_id))), None)
        for read in (read_undo_stack, read_redo_stack)
    )
    return {"can_undo": to_undo, "can_redo": to_redo}


def describe_change(command: Command) -> Change:
    """Return a change for the API. In frames and embedded views, `said.what` is the data of the sentence `what`."""
    what = unpacked(command.what)
    data = data_of(what)
    change: dict[str, object] = {"number": command.number, "what": what}
    if command.client:
        change["client"] = command.client
    return cast(Change, change if data is None else change | {"said": {"what": data}})
