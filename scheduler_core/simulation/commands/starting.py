"""Back to the start. The rule of what stays is in `scheduler_core/simulation/reset.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scheduler_core.simulation import reset as rule
from scheduler_core.simulation.commands.command import Command, Payload
from scheduler_core.simulation.commands.fields import Choices
from scheduler_core.simulation.journal import Record

if TYPE_CHECKING:
    from scheduler_core.simulation.simulation import Simulation


def reset(simulation: "Simulation", payload: Payload) -> Iterator[Record]:
    simulation.start_again(payload.get("keeps", ()))
    yield simulation.record("reset", firstCycle=simulation.cycle + 1)


COMMANDS = (Command(kind="reset", optional={"keeps": Choices(rule.KEEPS)}, prepare=reset),)
