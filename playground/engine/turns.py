"""Give a cluster its turn, or another one whose owner had less of the workers."""

from playground.engine import fairness, runner, simulations, waiting
from playground.store import quota

# Of its history. To load such a cluster takes longer than to ask another process, and hundreds of bytes a pod.
LARGE_BYTES = 8 << 20
# Who has it in memory may be about to end a turn, which takes longer where the machine is busy.
MOST_PASSES = 3
NEARLY_DONE_SECONDS = 0.05


def may_be_elsewhere(cluster_id: int) -> bool:
    """Whether this is a large cluster that this process would have to load, where another one may have it."""
    return not simulations.keeps(cluster_id) and quota.stored(cluster_id) >= LARGE_BYTES


def give(cluster_id: int, *, as_guest: bool = False) -> bool:
    """Apply what is queued for the one whose turn it is; False when none is to have a worker now."""
    chosen = fairness.choose(cluster_id)
    if chosen is None:
        return False
    runner.drain(chosen, as_guest=as_guest, let_others=None if as_guest else _let_others)
    fairness.note_turn(chosen)
    return True


def _let_others() -> None:
    """Give a cluster that waits for a worker a turn in the middle of a long step of another one."""
    if clusters := waiting.unattended():
        give(clusters[0], as_guest=True)
