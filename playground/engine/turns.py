"""Give a cluster its turn, or another one whose owner had less of the workers."""

from playground.engine import fairness, runner


def give(cluster_id: int, *, as_guest: bool = False) -> bool:
    """Apply what is queued for the one whose turn it is; False when none is to have a worker now."""
    chosen = fairness.choose(cluster_id)
    if chosen is None:
        return False
    runner.drain(chosen, as_guest=as_guest)
    fairness.note_turn(chosen)
    return True
