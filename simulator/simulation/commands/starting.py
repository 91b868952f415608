"""The command `reset`. `simulator/simulation/reset.py` decides which changes it keeps."""

from collections.abc import Iterator

from simulator.simulation.commands.command import Command, Payload
from simulator.simulation.commands.fields import Choices
from simulator.simulation.journal import Record
from simulator.simulation.reset import KEEPS, objects_after_reset
from simulator.simulation.timeline import Timeline


def reset(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    store = simulation.cluster.store
    simulation.replace_cluster(objects_after_reset(simulation.submitted, store, payload.get("keeps", ())))
    yield simulation.record("reset", firstCycle=simulation.cycle + 1)
    if simulation.cluster.controllers is not None:
        yield from simulation.settle()


COMMANDS = (
    Command(
        kind="reset",
        about="returns to the start of the cluster; see [Reset](#reset)",
        optional={"keeps": Choices(KEEPS)},
        prepare=reset,
    ),
)
