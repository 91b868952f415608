"""Turns: serve the cluster that a worker was woken for, or another one whose owner had less time."""

from playground.engine import fairness, runner, simulations, waiting
from playground.store import quota

# Size of a history. Loading a cluster above it takes longer than another process, and much memory.
LARGE_BYTES = 8 << 20
# A process that has it in memory may end its turn soon, but later if the machine is busy.
MOST_PASSES = 3
NEARLY_DONE_SECONDS = 0.05


def may_be_elsewhere(cluster_id: int) -> bool:
    """Return True for a large cluster that is not in this process's memory, because another process may have it."""
    return not simulations.is_in_memory(cluster_id) and quota.stored(cluster_id) >= LARGE_BYTES


def give(cluster_id: int, *, as_guest: bool = False) -> bool:
    """Apply the queued commands of the cluster whose turn it is. Return False if no cluster may have a worker now."""
    chosen = fairness.choose(cluster_id)
    if chosen is None:
        return False
    runner.drain(chosen, as_guest=as_guest, let_others=None if as_guest else _let_others)
    fairness.note_turn(chosen)
    return True


def _let_others() -> None:
    """Give a waiting cluster a turn in the middle of a long step of another one."""
    if clusters := waiting.unattended():
        give(clusters[0], as_guest=True)
