"""What a worker knows of rows that only whoever has the cluster's lease writes: it need not read them again."""

from dataclasses import dataclass

from simulator.explain.times import TimeSums


@dataclass
class Known:
    """As they were committed with the record at which the simulation is. None: to be read."""

    # What extension points and plugins took.
    times: TimeSums | None = None
    # The newest list of nodes that matrices refer to.
    epoch: int | None = None
