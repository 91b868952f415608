"""Which of a user's changes can be taken back, and which of those that were can be made again."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict, cast

from django.db.models import Window
from django.db.models.functions import RowNumber

from kube_objects.sentences import data_of, unpacked
from playground import shapes
from playground.models import Command
from playground.models.clusters import MOST_CHANGES
from simulator.simulation.reset import Keeps, Undoes

# What a client changes so soon after its change before belongs to it: a command of kubectl writes one after the other.
TOGETHER_SECONDS = 3
_LONGEST_AUTHOR = Command._meta.get_field("author").max_length or 0


class Change(TypedDict):
    """`client`: the program that made it with the Kubernetes API, `kubectl/v1.34.5`; not there for the page's."""

    number: int
    what: str
    client: NotRequired[str]


class CanBeTaken(TypedDict):
    """Back, or back again."""

    can_undo: Change | None
    can_redo: Change | None


class ResetKeeps(Keeps):
    """`more` changes are not listed."""

    changes: list[Change]
    more: int


shapes.named("ResetUndoes")(Undoes)


class ResetPlan(TypedDict):
    keeps: ResetKeeps
    undoes: Undoes


@dataclass
class Changes:
    """Two stacks of commands, the last change on top."""

    done: list[Command] = field(default_factory=list)
    undone: list[Command] = field(default_factory=list)
    # The change that a command makes, takes back, or makes again, by its number.
    origins: dict[int, Command] = field(default_factory=dict)

    def add(self, command: Command) -> None:
        self.origins[command.number] = self.origins.get(command.undoes or 0, command)
        if command.undoes is None:
            self.done.append(command)
            self.undone.clear()
        elif self.done and self.done[-1].number == command.undoes:
            self.done.pop()
            self.undone.append(command)
        elif self.undone and self.undone[-1].number == command.undoes:
            self.undone.pop()
            self.done.append(command)

    @property
    def to_undo(self) -> Command | None:
        return self.done[-1] if self.done else None

    @property
    def to_redo(self) -> Command | None:
        return self.undone[-1] if self.undone else None

    def together(self, stack: Sequence[Command]) -> list[list[Command]]:
        """The changes of `done` or `undone`, what one client made in one go together; the top of the stack first."""
        found: list[list[Command]] = []
        for command in reversed(stack):
            change = self.origins[command.number]
            if found and _are_one_go(found[-1][-1], change):
                found[-1].append(change)
            else:
                found.append([change])
        return found

    def as_dict(self) -> CanBeTaken:
        """`can_undo` and `can_redo` of the cluster's state."""
        return {"can_undo": _shown(self.to_undo), "can_redo": _shown(self.to_redo)}


def _are_one_go(one: Command, other: Command) -> bool:
    apart = abs((one.created - other.created).total_seconds())
    return one.author == other.author and bool(client_of(one.author)) and apart <= TOGETHER_SECONDS


def changes_of(cluster_ids: Sequence[int]) -> Mapping[int, Changes]:
    """Of each of these clusters, in one query."""
    age = Window(RowNumber(), partition_by="cluster", order_by="-number")
    found: dict[int, Changes] = defaultdict(Changes)
    commands = Command.objects.changes_by_users(cluster_ids)
    for command in reversed(commands.annotate(age=age).filter(age__lte=MOST_CHANGES)):
        found[command.cluster_id].add(command)
    return found


def newest(cluster_id: int) -> Sequence[Command]:
    """The last changes of a cluster by users, the newest first."""
    # They stand at an end of the index: thousands before them are not looked at.
    return Command.objects.select_newest_changes(cluster_id=cluster_id)


def last_of_one(cluster_id: int) -> Changes:
    """What of a cluster's changes can be taken back, or back again; others may not be among them."""
    newest_one = Command.objects.find_newest_change(cluster_id=cluster_id)
    # Who did something anew has that to take back, and nothing to make again.
    if newest_one is None or newest_one.undoes is None:
        return Changes([newest_one] if newest_one else [])
    return changes_of_one(cluster_id)


def changes_of_one(cluster_id: int) -> Changes:
    found = Changes()
    for command in reversed(newest(cluster_id)):
        found.add(command)
    return found


def _shown(command: Command | None) -> Change | None:
    return None if command is None else named(command)


def named(command: Command) -> Change:
    """In frames and handed on, `said.what` is the sentence that `what` is, as JSON. An old command has none."""
    what = unpacked(command.what)
    data = data_of(what)
    change: dict[str, object] = {"number": command.number, "what": what}
    if client := client_of(command.author):
        change["client"] = client
    return cast(Change, change if data is None else change | {"said": {"what": data}})


def signed(user: str, client: str) -> str:
    """The author of a command that a user's program posts."""
    return f"{user[: _LONGEST_AUTHOR - len(client) - 3]} ({client})" if client else user


def client_of(author: str) -> str:
    """The program that posted a command, "" for the page."""
    # No name of a user has brackets.
    found = re.fullmatch(r".* \((.+)\)", author)
    return found[1] if found else ""
