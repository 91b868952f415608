"""Queued commands in their order, and those of them that can be stored in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from playground.models import Cluster, Command
from playground.models.clusters import RUN_SETTINGS, STORAGE
from playground.store.quota import StorageUse

# The kinds of commands that change only objects.
BATCHED_KINDS = ["create", "update", "delete"]
# The limit for commands after the first one. Each waits until all are stored.
MOST_BATCHED = 31
# The limit for the packed payloads. A larger command is applied alone.
MOST_BATCHED_BYTES = 1 << 16


class RunSettings(NamedTuple):
    """The user's settings for the cluster's runs, and the time of its last cycle."""

    pace: float
    speed: float
    paused_through: int
    last_cycle_at: datetime | None


class NextCommand(NamedTuple):
    """The next command, or the one that is not complete, with settings and storage of its cluster's row."""

    command: Command
    settings: RunSettings
    used: StorageUse


def find_next(cluster_id: int) -> NextCommand | None:
    """Return the next command, or None if none is queued."""
    command = Command.objects.find_next(cluster_id=cluster_id)
    if command is None:
        return None
    run_settings, used = ([getattr(command, f"cluster_{name}") for name in names] for names in (RUN_SETTINGS, STORAGE))
    return NextCommand(command, RunSettings(*run_settings), StorageUse(*used))


def read_run_settings(cluster_id: int) -> RunSettings | None:
    """Return the settings of the cluster's runs, or None if there is no such cluster."""
    row = Cluster.objects.find_run_settings(cluster_id=cluster_id)
    return None if row is None else RunSettings(*row)


def list_batchable(first: Command) -> Sequence[Command]:
    """Return the commands that follow without a gap and can be stored with it."""
    if first.kind not in BATCHED_KINDS or first.attempts or first.records:
        return []
    last = first.number + MOST_BATCHED
    queued = Command.objects.select_queued(
        cluster_id=first.cluster_id, after=first.number, last=last, kinds=BATCHED_KINDS, max_bytes=MOST_BATCHED_BYTES
    )
    return [command for number, command in enumerate(queued, first.number + 1) if command.number == number]
