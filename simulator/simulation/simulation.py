"""Simulation: a cluster driven by commands. Same seed, configuration and commands: the same records, byte for byte."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from simulator.simulation import checkpoint
from simulator.simulation.commands.table import check
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline


class Simulation(Timeline):
    """A timeline that commands are given to, and that can be written down; see `Timeline` for what it is made of."""

    @classmethod
    def create(cls, **options: Any) -> Self:
        """An empty cluster; see `__init__`. Raises ConfigError."""
        return cls(**options)

    def apply(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Carry out one command. The checks are done at once: CommandError comes before the first record is asked for.

        The records come one by one, and may be left unread: what was read has happened, what was not has not.
        """
        self.ends = self.passing = None
        self.attempting = False
        return self.resume(command)

    def resume(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Go on with a run out of whose middle this simulation was restored; it ends when it would have ended."""
        known = check(command)
        records = known.prepare(self, command)
        if not known.helps_nobody:
            self.futile.clear()
        return self._carry_out(records)

    def _carry_out(self, records: Iterator[Record]) -> Iterator[Record]:
        # A run before this one may have been left in the middle.
        self.breakpoints = ()
        yield from self.settle()
        if self.passing is not None and not self.attempting:
            yield from self.advance(self.passing)
        yield from records

    def checkpoint(self, *, plain: bool = False) -> bytes | None:
        """The whole state, compressed or `plain`; None in a group's cycle, and while pods wait at Permit (what plugins
        remember of them cannot be written down). Then an earlier checkpoint and the commands since lead to the same
        state.
        """
        if self.cluster.scheduler.waiting or self.cluster.group is not None:
            return None
        return checkpoint.write_plain(self) if plain else checkpoint.write(self)

    @classmethod
    def restore(cls, data: bytes, **options: Any) -> Self:
        """The inverse of `checkpoint`; `options` as for `create`, except for the seed and the configuration."""
        restored: Self = checkpoint.read(cls, data, options)
        return restored
