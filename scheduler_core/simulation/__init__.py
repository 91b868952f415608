"""A cluster driven by commands on a virtual clock: deterministic, checkpointed, replayable."""

from scheduler_core.simulation.commands.command import CommandError
from scheduler_core.simulation.journal import Record
from scheduler_core.simulation.matrix import Matrix
from scheduler_core.simulation.simulation import Simulation

__all__ = ["CommandError", "Matrix", "Record", "Simulation"]
