"""Commands: each request of a user becomes a row, and a worker applies the rows in order."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypedDict

from django.db import transaction
from django.db.models import F

from kube_objects.sentences import packed as as_text
from kube_objects.sentences import say
from playground import limits
from playground.engine.leases import is_attended
from playground.engine.triggers import trigger_commands
from playground.models import Cluster, Command
from playground.packing import pack
from playground.problems import Refused, list_api_problems, problem, to_api_problem
from playground.store import quota
from playground.store.rows import save_new
from simulator.simulation import CommandError, reset
from simulator.simulation.breakpoints import check as check_breakpoints
from simulator.simulation.commands.scheduling import stops_at_breakpoints
from simulator.simulation.commands.table import COMMANDS, check, label_of

# The length of the column.
MOST_WORDS = 200
# Rows per statement.
BATCH = 500
# Up to this many commands are inserted one by one, which is the usual case.
FEW = 4
# Fields that the server fills in: the breakpoints of a run, and what a reset keeps.
COPIED = "breakpoints"
FILLED_IN = (COPIED, "keeps")
# The command that follows each change of a live cluster.
RUN_UNTIL_IDLE: Mapping[str, Any] = {"kind": "run", "until": "idle"}


class CommandAccepted(TypedDict):
    number: int
    state: str


class Inverse(NamedTuple):
    """A command that undoes or redoes the change of another command."""

    of: Command
    payload: Mapping[str, Any]


def submit(
    cluster_id: int,
    payload: Mapping[str, Any],
    key: str | None = None,
    author: str = "",
    *,
    client: str = "",
    change_set: str = "",
) -> Command:
    """Queue a command and wake a worker after the commit. The same `key` returns the same command again.

    `client` is the program that writes with the Kubernetes API. Commands with the same `change_set` are undone
    together. Raise Refused for an invalid command, for a key that was used for another command, and with status 429 if
    too many commands wait.
    """
    payload = _check_payload(payload)
    with transaction.atomic():
        cluster = Cluster.objects.lock(cluster_id=cluster_id)
        if key is not None and (known := Command.objects.filter(cluster=cluster, key=key).first()):
            wanted = {name: value for name, value in known.payload.items() if name in payload or name not in FILLED_IN}
            if wanted != payload:
                raise Refused(
                    [problem("key", say("was used for a different command: {number}", number=known.number), key)],
                    409,
                )
            return known
        # A posted reset follows the current rule. A reset in a scenario keeps its recorded form.
        payload = reset.COMMAND if payload == {"kind": "reset"} else payload
        (command,) = _queue(cluster, [payload], author, client=client, change_set=change_set, key=key)
    command.payload = _with_breakpoints(cluster, payload)
    return command


def submit_all(
    cluster_id: int,
    payloads: Sequence[Mapping[str, Any]],
    author: str = "",
    *,
    client: str = "",
    change_set: str = "",
) -> int | None:
    """Queue these commands in their order, all or none, and return the number of the last one, or None for no commands.

    Raise Refused as `submit` does.
    """
    checked = [_check_payload(payload) for payload in payloads]
    with transaction.atomic():
        cluster = Cluster.objects.lock(cluster_id=cluster_id)
        queued = _queue(cluster, checked, author, client=client, change_set=change_set)
    return queued[-1].number if queued else None


def submit_inverses(
    cluster_id: int, inverses: Sequence[Inverse], way: Literal["undo", "redo"], key: str | None = None, author: str = ""
) -> Command:
    """Queue the inverses of a change set, all or none, and return the last command. Raise Refused as `submit` does."""
    checked = [_check_payload(inverse.payload) for inverse in inverses]
    with transaction.atomic():
        cluster = Cluster.objects.lock(cluster_id=cluster_id)
        return _queue(cluster, checked, author, key=key, inverts=[inverse.of for inverse in inverses], way=way)[-1]


def _queue(
    cluster: Cluster,
    payloads: Sequence[Mapping[str, Any]],
    author: str,
    *,
    client: str = "",
    change_set: str = "",
    key: str | None = None,
    inverts: Sequence[Command] = (),
    way: Literal["undo", "redo"] = "undo",
) -> list[Command]:
    """Store these commands, and a run after them if they change a live cluster. The caller holds the cluster's lock."""
    made = [_new_command(cluster, cluster.submitted + n, payload, author) for n, payload in enumerate(payloads, 1)]
    queued = [command for command, _ in made]
    for command in queued:
        command.client, command.change_set = client, change_set
    for command, inverted in zip(queued, inverts, strict=False):
        command.what, command.change_set = inverted.what, inverted.change_set
        command.undoes, command.redoes = (inverted.number, None) if way == "undo" else (None, inverted.number)
    if queued:
        queued[-1].key = key
    if cluster.live and any(COMMANDS[payload["kind"]].is_change for payload in payloads):
        made.append(_new_command(cluster, cluster.submitted + len(made) + 1, RUN_UNTIL_IDLE, author))
    _store(cluster, [command for command, _ in made], sum(taken for _, taken in made))
    return queued


def _check_payload(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check a payload and return it in its stored form, which gives the same result in a replay. Raise Refused."""
    try:
        checked = check(payload).as_stored(payload)
    except CommandError as error:
        raise Refused(list_api_problems(error)) from error
    if payload["kind"] in ("create", "update"):
        quota.check_sizes(payload["objects"])
    return checked


def _with_breakpoints(cluster: Cluster, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add the cluster's breakpoints to a run, so that a replay stops at the same place after they have changed."""
    if payload["kind"] == "run" and stops_at_breakpoints(payload) and COPIED not in payload:
        return {**payload, COPIED: cluster.breakpoints}
    return payload


def _new_command(cluster: Cluster, number: int, payload: Mapping[str, Any], author: str) -> tuple[Command, int]:
    """Return an unsaved command with its payload packed, and the number of bytes that it will take."""
    text = json.dumps(_with_breakpoints(cluster, payload), separators=(",", ":"))
    packed = pack(text)
    # Besides the packed command, its objects or configuration are stored in rows of their own.
    taken = len(packed) + quota.ROW_BYTES + len(text) * COMMANDS[payload["kind"]].is_stored
    made = Command(
        cluster=cluster,
        number=number,
        kind=payload["kind"],
        payload=packed,
        author=author,
        what=as_text(label_of(payload), MOST_WORDS),
    )
    return made, taken


def _store(cluster: Cluster, made: Sequence[Command], taken: int) -> None:
    """Insert the commands under the cluster's lock. Raise Refused if too many wait or if they take too much room."""
    if cluster.submitted - cluster.applied + len(made) > limits.COMMANDS_WAITING:
        raise Refused(
            [problem("", say("{n} commands wait already", n=limits.COMMANDS_WAITING), hint=say("try again later"))], 429
        )
    if not made:
        return
    shared: int | None = cluster.shared  # type: ignore[attr-defined]  # annotated by the query
    quota.check_quota(cluster.pk, taken, quota.StorageUse(cluster.stored_bytes, shared))
    if len(made) <= FEW:
        for command in made:
            save_new(command)
    else:
        Command.objects.bulk_create(made, BATCH)
    Cluster.objects.record_submitted(cluster_id=cluster.pk, number=made[-1].number, stored_bytes=taken)
    if not is_attended(cluster):
        transaction.on_commit(partial(trigger_commands, cluster.pk))


def set_breakpoints(cluster_id: int, breakpoints: object) -> None:
    """Set the breakpoints for runs that are posted later. Raise Refused with all problems."""
    problems = check_breakpoints(breakpoints, "")
    if problems:
        raise Refused(map(to_api_problem, problems))
    Cluster.objects.filter(pk=cluster_id).update(breakpoints=breakpoints)


def pause(cluster_id: int) -> None:
    """Stop all runs that were posted until now. Later runs are not affected."""
    Cluster.objects.filter(pk=cluster_id).update(paused_through=F("submitted"))


def set_pace(cluster_id: int, cycles_per_second: float | None = None, seconds_per_second: float | None = None) -> None:
    """Set the speed of runs. 0 is full speed, and None keeps the value."""
    fields = {"pace": cycles_per_second, "speed": seconds_per_second}
    changes = {name: value for name, value in fields.items() if value is not None}
    if changes:
        Cluster.objects.filter(pk=cluster_id).update(**changes)


@transaction.atomic
def set_live(cluster_id: int, live: bool, author: str = "") -> None:
    """Set whether the cluster continues by itself after every change. Queue a run if that is new."""
    was = Cluster.objects.select_for_update().get(pk=cluster_id).live
    Cluster.objects.filter(pk=cluster_id).update(live=live)
    if live and not was:
        submit(cluster_id, RUN_UNTIL_IDLE, author=author)
