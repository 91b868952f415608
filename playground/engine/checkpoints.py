"""Checkpoints: where a replay can start."""

from django.db.models import F
from django.db.models.functions import Length

from playground.models import Checkpoint, Cluster
from playground.packing import pack_bytes, unpack_bytes
from simulator.simulation.checkpoint import CheckpointError

# A jump to a past moment goes on from the checkpoint before it: docs/time_travel.md says what it may cost.
MOST_CHECKPOINTS = 64
ALWAYS_KEPT = 3


def state(stored: Checkpoint) -> bytes:
    """Return what `Simulation.restore` reads. Raise CheckpointError if the row is damaged."""
    try:
        return unpack_bytes(stored.body)
    except ValueError as error:
        raise CheckpointError(str(error)) from error


def save(cluster_id: int, position: tuple[int, int, int], seq: int, plain: bytes) -> None:
    """Keep the engine's state at a position (command, records, cycles) that is committed; thin out the older ones."""
    command, records, cycles = position
    # Zstandard takes a third of the time of the engine's zlib, and a quarter less room.
    body = pack_bytes(plain)
    Checkpoint.objects.bulk_create(
        [Checkpoint(cluster_id=cluster_id, command=command, records=records, cycles=cycles, seq=seq, body=body)],
        # Two workers may pass the same position, one of them replaying: the bytes are the same.
        ignore_conflicts=True,
    )
    stored = Checkpoint.objects.filter(cluster_id=cluster_id).order_by("seq", "pk")
    rows = list(stored.annotate(size=Length("body")).values_list("pk", "seq", "size"))
    taken = len(body)
    while len(rows) > MOST_CHECKPOINTS:
        del_at = superfluous([seq for _, seq, _ in rows])
        pk, _, size = rows.pop(del_at)
        Checkpoint.objects.filter(pk=pk).delete()
        taken -= size
    Cluster.objects.filter(pk=cluster_id).update(stored_bytes=F("stored_bytes") + taken)


def superfluous(numbers: list[int]) -> int:
    """Which of these to drop: the one whose neighbours are closest, never the first, never one of the newest."""
    gaps = [(numbers[i + 1] - numbers[i - 1], i) for i in range(1, len(numbers) - ALWAYS_KEPT)]
    return min(gaps)[1]
