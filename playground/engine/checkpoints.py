"""Checkpoints: stored states of the engine, from which a replay can start."""

from django.db.models import F
from django.db.models.functions import Length

from playground.models import Checkpoint, Cluster
from playground.packing import pack_bytes, unpack_bytes
from simulator.simulation.checkpoint import CheckpointError

# docs/contributing/benchmarks.md gives the limits for a jump into the past, which starts at the checkpoint before it.
MOST_CHECKPOINTS = 64
ALWAYS_KEPT = 3


def unpack_state(stored: Checkpoint) -> bytes:
    """Return the bytes that `Simulation.restore` reads. Raise CheckpointError if the row is damaged."""
    try:
        return unpack_bytes(stored.body)
    except ValueError as error:
        raise CheckpointError(str(error)) from error


def save_checkpoint(cluster_id: int, position: tuple[int, int, int], seq: int, plain: bytes) -> None:
    """Store the engine's state at a committed position (command, records, cycles), and thin out older checkpoints."""
    command, records, cycles = position
    body = pack_bytes(plain)
    Checkpoint.objects.bulk_create(
        [Checkpoint(cluster_id=cluster_id, command=command, records=records, cycles=cycles, seq=seq, body=body)],
        # Two workers may pass the same position, one of them in a replay. They store the same bytes.
        ignore_conflicts=True,
    )
    stored = Checkpoint.objects.filter(cluster_id=cluster_id).order_by("seq", "pk")
    rows = list(stored.annotate(size=Length("body")).values_list("pk", "seq", "size"))
    taken = len(body)
    while len(rows) > MOST_CHECKPOINTS:
        del_at = index_to_drop([seq for _, seq, _ in rows])
        pk, _, size = rows.pop(del_at)
        Checkpoint.objects.filter(pk=pk).delete()
        taken -= size
    Cluster.objects.filter(pk=cluster_id).update(stored_bytes=F("stored_bytes") + taken)


def index_to_drop(numbers: list[int]) -> int:
    """Return the index of the checkpoint to drop: the one with the closest neighbors, never the first or one of the
    newest.
    """
    gaps = [(numbers[i + 1] - numbers[i - 1], i) for i in range(1, len(numbers) - ALWAYS_KEPT)]
    return min(gaps)[1]
