"""Options for CSV files about a run over virtual time: usage, pending pods by reason, cost, and rollouts."""

import argparse
from collections.abc import Sequence
from typing import IO, Protocol

from simulator.simulation import Record, Simulation

_EVERY_SECONDS = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "write Nodes, Pods, requests and cost over time as CSV; - writes to stdout"
    parser.add_argument("--charts", metavar="FILE", help=about)
    every = "the minimum of virtual seconds between two rows of --charts (default %(default)g)"
    parser.add_argument("--charts-every", type=_seconds, default=_EVERY_SECONDS, metavar="SECONDS", help=every)
    about = "with --controllers: write the Pods of each revision of each workload over time as CSV; - writes to stdout"
    parser.add_argument("--rollouts", metavar="FILE", help=about)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds above 0")
    return seconds


class Follower(Protocol):
    """A collector that gets each record and writes a file at the end."""

    def follow(self, record: Record) -> None: ...

    def end(self) -> None: ...


def followers(
    simulation: Simulation, charts: IO[str] | None, every: float, changes: IO[str] | None
) -> Sequence[Follower]:
    """Return the collectors of the files that are open."""
    collectors: list[Follower] = []
    if charts is None and changes is None:
        return collectors
    # Imported late, because most runs write no such file.
    from simulator.cli.csv_files import Charts, RolloutRows

    if charts is not None:
        collectors.append(Charts(simulation, charts, every))
    if changes is not None:
        collectors.append(RolloutRows(simulation, changes))
    return collectors
