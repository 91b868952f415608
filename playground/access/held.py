"""What a class's question holds back: who has not answered sees the cluster as it was before the outcome."""

from dataclasses import dataclass

from playground.classes import selectors as classrooms
from playground.engine import records as history


@dataclass(frozen=True)
class Held:
    """From `cycle` on nothing is told to followers, but for those in `answered`; `seq` is the last record that is.

    `seq` None: the cycle has not run, so that there is nothing to hold back yet.
    """

    cycle: int
    seq: int | None
    answered: frozenset[int]

    def upto(self, user_id: int | None) -> int | None:
        """The last record that this follower may read; None for all of them."""
        return None if user_id in self.answered else self.seq


def of_cluster(cluster_id: int) -> Held | None:
    """What the open question of the class that shows this cluster holds back; None when nothing is asked."""
    shown = classrooms.open_classes().filter(cluster_id=cluster_id).first()
    hidden = None if shown is None else classrooms.hides(shown)
    if hidden is None:
        return None
    seq = history.seq_of_cycle(cluster_id, hidden[0])
    return Held(hidden[0], None if seq is None else seq - 1, hidden[1])
