"""Commands: what users ask for becomes a row, in order; a worker does the rest."""

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
from playground.engine.wake import wake
from playground.models import Cluster, Command
from playground.packing import pack
from playground.problems import Refused, of_error, of_found, problem
from playground.store import quota
from playground.store.rows import save_new
from simulator.simulation import CommandError, reset
from simulator.simulation.breakpoints import check as check_breakpoints
from simulator.simulation.commands.scheduling import stops_at_breakpoints
from simulator.simulation.commands.table import COMMANDS, check, label_of

# As much as the column takes.
MOST_WORDS = 200
# Rows of one statement.
BATCH = 500
# So many are stored one by one: what a page posts.
FEW = 4
# Fields that are filled in here: where a run stops, and what a reset keeps.
COPIED = "breakpoints"
FILLED_IN = (COPIED, "keeps")
# What follows a change in a cluster that is live.
GO_ON: Mapping[str, Any] = {"kind": "run", "until": "idle"}


class CommandAccepted(TypedDict):
    number: int
    state: str


class Inverse(NamedTuple):
    """A command that takes back the change of another one."""

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
    """Queue a command and wake a worker once it is stored. The same `key` again gives the same command back.

    `client` is the program that writes with the Kubernetes API. Commands with the same `change_set` are one undo.
    Raises Refused for a command of the wrong form, for a key that was used for another command, and with status 429
    when too many wait.
    """
    payload = _checked(payload)
    with transaction.atomic():
        cluster = Cluster.objects.lock(cluster_id=cluster_id)
        if key is not None and (known := Command.objects.filter(cluster=cluster, key=key).first()):
            wanted = {name: value for name, value in known.payload.items() if name in payload or name not in FILLED_IN}
            if wanted != payload:
                raise Refused(
                    [
                        problem(
                            "key", say("was used for command {number}, which is another one", number=known.number), key
                        )
                    ],
                    409,
                )
            return known
        # What is posted goes by today's rule; in the commands of a scenario a reset is what it was when it was written.
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
    """Queue these commands in their order, all or none, and return the number of the last one.

    Raises Refused as `submit` does.
    """
    checked = [_checked(payload) for payload in payloads]
    with transaction.atomic():
        cluster = Cluster.objects.lock(cluster_id=cluster_id)
        queued = _queue(cluster, checked, author, client=client, change_set=change_set)
    return queued[-1].number if queued else None


def submit_inverses(
    cluster_id: int, inverses: Sequence[Inverse], way: Literal["undo", "redo"], key: str | None = None, author: str = ""
) -> Command:
    """Queue the inverses of a change set, all or none, and return the last command. Raises Refused as `submit` does."""
    checked = [_checked(inverse.payload) for inverse in inverses]
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
    """Store these commands under the cluster's lock, and a run behind them if they change a live cluster."""
    made = [_made(cluster, cluster.submitted + n, payload, author) for n, payload in enumerate(payloads, 1)]
    queued = [command for command, _ in made]
    for command in queued:
        command.client, command.change_set = client, change_set
    for command, inverted in zip(queued, inverts, strict=False):
        command.what, command.change_set = inverted.what, inverted.change_set
        command.undoes, command.redoes = (inverted.number, None) if way == "undo" else (None, inverted.number)
    if queued:
        queued[-1].key = key
    if cluster.live and any(COMMANDS[payload["kind"]].is_change for payload in payloads):
        made.append(_made(cluster, cluster.submitted + len(made) + 1, GO_ON, author))
    _store(cluster, [command for command, _ in made], sum(taken for _, taken in made))
    return queued


def _checked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check a payload and return it in its stored form, which gives the same result in a replay. Raises Refused."""
    try:
        checked = check(payload).as_stored(payload)
    except CommandError as error:
        raise Refused(of_error(error)) from error
    if payload["kind"] in ("create", "update"):
        quota.check_sizes(payload["objects"])
    return checked


def _with_breakpoints(cluster: Cluster, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A replay stops where this run does, whatever the cluster's breakpoints are by then."""
    if payload["kind"] == "run" and stops_at_breakpoints(payload) and COPIED not in payload:
        return {**payload, COPIED: cluster.breakpoints}
    return payload


def _made(cluster: Cluster, number: int, payload: Mapping[str, Any], author: str) -> tuple[Command, int]:
    """A command that is not stored yet, its payload packed, and the bytes that it will take."""
    text = json.dumps(_with_breakpoints(cluster, payload), separators=(",", ":"))
    packed = pack(text)
    # The command is kept packed; its objects are kept as they are, too, and so is a configuration.
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
    """Under the cluster's lock. Raises Refused when too many wait, or take too much room."""
    if cluster.submitted - cluster.applied + len(made) > limits.COMMANDS_WAITING:
        raise Refused(
            [problem("", say("{n} commands wait already", n=limits.COMMANDS_WAITING), hint=say("try again later"))], 429
        )
    if not made:
        return
    shared: int | None = cluster.shared  # type: ignore[attr-defined]  # annotated by the query
    quota.check(cluster.pk, taken, quota.Used(cluster.stored_bytes, shared))
    if len(made) <= FEW:
        for command in made:
            save_new(command)
    else:
        Command.objects.bulk_create(made, BATCH)
    Cluster.objects.record_submitted(cluster_id=cluster.pk, number=made[-1].number, stored_bytes=taken)
    if not is_attended(cluster):
        transaction.on_commit(partial(wake, cluster.pk))


def set_breakpoints(cluster_id: int, breakpoints: object) -> None:
    """What stops the runs posted from now on. Raises Refused with all that is wrong with them."""
    problems = check_breakpoints(breakpoints, "")
    if problems:
        raise Refused(map(of_found, problems))
    Cluster.objects.filter(pk=cluster_id).update(breakpoints=breakpoints)


def pause(cluster_id: int) -> None:
    """Tell every run that was posted until now to stop; one posted later is not meant."""
    Cluster.objects.filter(pk=cluster_id).update(paused_through=F("submitted"))


def set_pace(cluster_id: int, cycles_per_second: float | None = None, seconds_per_second: float | None = None) -> None:
    """How fast runs go from now on; 0 is as fast as it goes, None as before."""
    fields = {"pace": cycles_per_second, "speed": seconds_per_second}
    found = {name: value for name, value in fields.items() if value is not None}
    if found:
        Cluster.objects.filter(pk=cluster_id).update(**found)


@transaction.atomic
def set_live(cluster_id: int, live: bool, author: str = "") -> None:
    """Whether the cluster goes on by itself after every change; what waits when it begins to goes on at once."""
    was = Cluster.objects.select_for_update().get(pk=cluster_id).live
    Cluster.objects.filter(pk=cluster_id).update(live=live)
    if live and not was:
        submit(cluster_id, GO_ON, author=author)
