"""Commands that wait, in their order; and which of them can be stored together: many clients that write at once wait
for one transaction then.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import F
from django.db.models.functions import Length

from playground.models import Cluster, Command, CommandState
from playground.prepared import Select
from playground.store.quota import Used

# What changes objects, and nothing else.
KINDS = ("create", "update", "delete")
# Behind the first one. Each of them waits until all are stored.
MOST = 31
# Of what they say, packed: what is large is applied by itself.
MOST_BYTES = 1 << 16

# Of the cluster's row, in the order of `Wishes`; then of `Used`.
_WISHES = ("pace", "speed", "paused_through", "last_cycle_at")
_USED = ("stored_bytes", "share_view")


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


_NEXT = Select(
    lambda cluster: (
        Command.objects.filter(cluster_id=cluster, state__in=(CommandState.QUEUED, CommandState.RUNNING))
        .annotate(**{f"cluster_{name}": F(f"cluster__{name}") for name in (*_WISHES, *_USED)})
        .order_by("number")[:1]
    ),
    int,
)
_WISHES_OF_ONE = Select(lambda cluster: Cluster.objects.filter(pk=cluster).values_list(*_WISHES), int)
# Those that were begun before may be what ended a worker.
_BEHIND = Select(
    lambda cluster, number: (
        Command.objects.filter(cluster_id=cluster, number__gt=number, state=CommandState.QUEUED, attempts=0)
        .annotate(size=Length("payload"))
        .filter(kind__in=KINDS, size__lte=MOST_BYTES)
        .order_by("number")[:MOST]
    ),
    *(int, int),
)


def first(cluster_id: int) -> Next | None:
    """None when nothing is to be done."""
    command = _NEXT.object(cluster_id)
    if command is None:
        return None
    wishes, used = ([getattr(command, f"cluster_{name}") for name in names] for names in (_WISHES, _USED))
    return Next(command, Wishes(*wishes), Used(*used))


def wishes(cluster_id: int) -> Wishes | None:
    """None without the cluster."""
    found = _WISHES_OF_ONE.row(cluster_id)
    return None if found is None else Wishes(*found)


def behind(first: Command) -> Sequence[Command]:
    """Those that follow it without a gap, and can be stored with it."""
    if first.kind not in KINDS or first.attempts or first.records:
        return []
    found = _BEHIND.objects(first.cluster_id, first.number)
    return [command for number, command in enumerate(found, first.number + 1) if command.number == number]
