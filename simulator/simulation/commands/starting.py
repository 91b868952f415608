"""Back to the start. The rule of what stays is in `simulator/simulation/reset.py`."""

from collections.abc import Iterator

from simulator.simulation.commands.command import Command, Payload
from simulator.simulation.commands.fields import Choices
from simulator.simulation.journal import Record
from simulator.simulation.reset import KEEPS, objects_after
from simulator.simulation.timeline import Timeline


def reset(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    store = simulation.cluster.store
    simulation.start_again(objects_after(simulation.given, store, payload.get("keeps", ())))
    yield simulation.record("reset", firstCycle=simulation.cycle + 1)
    if simulation.cluster.life is not None:
        yield from simulation.settle()


COMMANDS = (
    Command(
        kind="reset",
        about="back to the start: nothing scheduled, clock at 0, seed as at the start; see below",
        optional={"keeps": Choices(KEEPS)},
        prepare=reset,
    ),
)
