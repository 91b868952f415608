"""The simulation of a cluster. The same seed, configuration and commands give the same records, byte for byte."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from simulator.simulation import checkpoint
from simulator.simulation.commands.table import check
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline


class Simulation(Timeline):
    """A cluster that applies commands, and that checkpoints store and restore. `Timeline` has the constructor."""

    @classmethod
    def create(cls, **options: Any) -> Self:
        """Return an empty cluster; the options are those of `Timeline`. Raise ConfigError."""
        return cls(**options)

    def apply(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Apply one command, and return an iterator over its records.

        1. Check the command now. Raise CommandError.
        2. Finish the work of an earlier command whose records were not all read.
        3. Apply the command record by record. Only the part whose records were read has happened.
        """
        self.run_end = self.advance_target = None
        self.attempting = False
        return self.resume(command)

    def resume(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Continue a command that was in progress at the checkpoint; a run keeps the end that it had."""
        known = check(command)
        records = known.prepare(self, command)
        if not known.wakes_no_group:
            self.unschedulable_groups.clear()
        return self._carry_out(records)

    def _carry_out(self, records: Iterator[Record]) -> Iterator[Record]:
        # The records of the command before this one may not have been read to the end.
        self.breakpoints = ()
        yield from self.settle()
        if self.advance_target is not None and not self.attempting:
            yield from self.advance(self.advance_target)
        yield from records

    def checkpoint(self, *, plain: bool = False) -> bytes | None:
        """Return the whole state as JSON, compressed unless `plain`.

        Return None during a pod group's cycle and while pods wait at Permit, because the memory of plugins about them
        can't be stored. An earlier checkpoint and the commands since then lead to the same state.
        """
        if self.cluster.scheduler.waiting or self.cluster.group is not None:
            return None
        return checkpoint.write_plain(self) if plain else checkpoint.write(self)

    @classmethod
    def restore(cls, data: bytes, **options: Any) -> Self:
        """Return the simulation of a checkpoint. The checkpoint contains the seed and the configuration."""
        restored: Self = checkpoint.read(cls, data, options)
        return restored
