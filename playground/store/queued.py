"""Commands that wait, in their order; and which of them can be stored together: many clients that write at once wait
for one transaction then.
"""

from collections.abc import Sequence

from django.db.models.functions import Length

from playground.models import Command, CommandState
from playground.prepared import Select

# What changes objects, and nothing else.
KINDS = ("create", "update", "delete")
# Behind the first one. Each of them waits until all are stored.
MOST = 31
# Of what they say, packed: what is large is applied by itself.
MOST_BYTES = 1 << 16

_NEXT = Select(
    lambda cluster: Command.objects.filter(
        cluster_id=cluster, state__in=(CommandState.QUEUED, CommandState.RUNNING)
    ).order_by("number")[:1],
    int,
)
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


def first(cluster_id: int) -> Command | None:
    """The one whose turn it is, or that is not over."""
    return _NEXT.object(cluster_id)


def behind(first: Command) -> Sequence[Command]:
    """Those that follow it without a gap, and can be stored with it."""
    if first.kind not in KINDS or first.attempts or first.records:
        return []
    found = _BEHIND.objects(first.cluster_id, first.number)
    return [command for number, command in enumerate(found, first.number + 1) if command.number == number]
