"""Commands that wait, in their order; and which of them can be stored together: many clients that write at once wait
for one transaction then.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from playground.models import Cluster, Command
from playground.models.clusters import RUN_SETTINGS, STORAGE
from playground.store.quota import Used

# What changes objects, and nothing else.
KINDS = ["create", "update", "delete"]
# Behind the first one. Each of them waits until all are stored.
MOST = 31
# Of what they say, packed: what is large is applied by itself.
MOST_BYTES = 1 << 16


class Wishes(NamedTuple):
    """What the user wants of the cluster's runs, and when its last cycle was."""

    pace: float
    speed: float
    paused_through: int
    last_cycle_at: datetime | None


class Next(NamedTuple):
    """The command whose turn it is, or that is not over; and what stands in its cluster's row."""

    command: Command
    wishes: Wishes
    used: Used


def first(cluster_id: int) -> Next | None:
    """None when nothing is to be done."""
    command = Command.objects.find_next(cluster_id=cluster_id)
    if command is None:
        return None
    wishes, used = ([getattr(command, f"cluster_{name}") for name in names] for names in (RUN_SETTINGS, STORAGE))
    return Next(command, Wishes(*wishes), Used(*used))


def wishes(cluster_id: int) -> Wishes | None:
    """None without the cluster."""
    found = Cluster.objects.find_run_settings(cluster_id=cluster_id)
    return None if found is None else Wishes(*found)


def behind(first: Command) -> Sequence[Command]:
    """Those that follow it without a gap, and can be stored with it."""
    if first.kind not in KINDS or first.attempts or first.records:
        return []
    last = first.number + MOST
    found = Command.objects.select_queued(
        cluster_id=first.cluster_id, after=first.number, last=last, kinds=KINDS, max_bytes=MOST_BYTES
    )
    return [command for number, command in enumerate(found, first.number + 1) if command.number == number]
