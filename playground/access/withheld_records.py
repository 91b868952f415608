"""The records that an open class question hides: until followers answer, they see the cluster before the outcome."""

from dataclasses import dataclass

from playground.access import open_classes
from playground.engine import history_reads
from playground.engine.cluster_states import ClusterAnswer, read_state, read_state_at


@dataclass(frozen=True)
class WithheldRecords:
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


def find_withheld(cluster_id: int) -> WithheldRecords | None:
    """Return the part that the class's open question hides in this cluster; None if no question is open."""
    classroom = open_classes.find_class_showing(cluster_id)
    hidden = None if classroom is None else open_classes.find_hidden_cycles(classroom)
    if hidden is None:
        return None
    seq = history_reads.seq_of_cycle(cluster_id, hidden[0])
    return WithheldRecords(hidden[0], None if seq is None else seq - 1, hidden[1])


def read_state_before(cluster_id: int, withheld: WithheldRecords) -> ClusterAnswer | None:
    """Return the cluster's state before the hidden cycle, with nothing running."""
    return (
        read_state(cluster_id) if withheld.seq is None else read_state_at(cluster_id, withheld.seq, withheld.cycle - 1)
    )
