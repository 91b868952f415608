"""A cluster driven by commands on a virtual clock: deterministic, checkpointed, replayable."""

from simulator.simulation.commands.command import CommandError
from simulator.simulation.journal import Record
from simulator.simulation.matrix import Matrix
from simulator.simulation.simulation import Simulation

__all__ = ["CommandError", "Matrix", "Record", "Simulation"]
