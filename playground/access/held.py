"""The records that an open class question hides: until followers answer, they see the cluster before the outcome."""

from dataclasses import dataclass

from playground.access import shown
from playground.engine import history
from playground.engine.cluster_states import ClusterAnswer, state, state_at


@dataclass(frozen=True)
class Held:
    """The part of the history that an open question hides from followers, except for those in `answered`.

    It begins with `cycle`; `seq` is the last visible record. If `seq` is None, the cycle has not run, and nothing is
    hidden yet.
    """

    cycle: int
    seq: int | None
    answered: frozenset[int]

    def upto(self, user_id: int | None) -> int | None:
        """Return the last record that this follower may read; None for all of them."""
        return None if user_id in self.answered else self.seq


def of_cluster(cluster_id: int) -> Held | None:
    """Return the part that the class's open question hides in this cluster; None if no question is open."""
    classroom = shown.showing(cluster_id)
    hidden = None if classroom is None else shown.hides(classroom)
    if hidden is None:
        return None
    seq = history.seq_of_cycle(cluster_id, hidden[0])
    return Held(hidden[0], None if seq is None else seq - 1, hidden[1])


def state_before(cluster_id: int, held: Held) -> ClusterAnswer | None:
    """Return the cluster's state before the hidden cycle, with nothing running."""
    return state(cluster_id) if held.seq is None else state_at(cluster_id, held.seq, held.cycle - 1)
