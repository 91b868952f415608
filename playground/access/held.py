"""What a class's question holds back: who has not answered sees the cluster as it was before the outcome."""

from dataclasses import dataclass

from playground.access import shown
from playground.engine import history
from playground.engine.cluster_states import ClusterAnswer, state, state_at


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
    classroom = shown.showing(cluster_id)
    hidden = None if classroom is None else shown.hides(classroom)
    if hidden is None:
        return None
    seq = history.seq_of_cycle(cluster_id, hidden[0])
    return Held(hidden[0], None if seq is None else seq - 1, hidden[1])


def state_before(cluster_id: int, held: Held) -> ClusterAnswer | None:
    """The state without what a class is asked about: as it was before that cycle, and nothing at work."""
    return state(cluster_id) if held.seq is None else state_at(cluster_id, held.seq, held.cycle - 1)
