"""The committed values of rows that only the holder of the cluster's lease writes, so it need not read them again."""

from dataclasses import dataclass

from simulator.explain.times import TimeSums


@dataclass
class CommittedState:
    """The committed values at the simulation's current record. None means that the value has to be read."""

    # The durations of extension points and plugins.
    times: TimeSums | None = None
    # The newest list of Nodes that matrices refer to.
    epoch: int | None = None
